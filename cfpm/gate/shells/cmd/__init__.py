"""cmd.exe, at its prompt and in batch files."""
