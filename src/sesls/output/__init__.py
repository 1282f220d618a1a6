"""How an answer looks. Nothing here knows an agent or reads a file."""
