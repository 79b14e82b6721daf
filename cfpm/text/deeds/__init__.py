"""What a text says was done, and what it denies. English."""
