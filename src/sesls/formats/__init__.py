"""What the agents' formats have in common: JSON lines and documents, SQLite, folders, compressed files."""
