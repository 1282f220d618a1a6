"""What the agents' formats have in common: JSON lines, SQLite, folders, compressed files."""
