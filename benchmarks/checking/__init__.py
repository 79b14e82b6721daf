"""What it costs to look a brief up in its project's folder, and to keep it in a file."""
