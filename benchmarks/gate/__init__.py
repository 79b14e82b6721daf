"""The gate over real commands: what it changes, and the proof that each change is right."""
