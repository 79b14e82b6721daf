"""What a stranger's agent finds in its prompt: stories by authors who saw no code, asked about afterwards."""
