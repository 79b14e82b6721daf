"""What it costs to assemble a prompt over a long history, and whether its beginning stays the same."""
