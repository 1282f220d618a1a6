"""What Gemini CLI and its fork Qwen Code have in common: a conversation kept as one object."""
