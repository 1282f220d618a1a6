"""What the agents' formats have in common: JSON lines, conversations, SQLite, folders, compressed files."""
