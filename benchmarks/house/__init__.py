"""What the code base is like to live in: sizes, imports, word lists, calls across rooms, quoted data; needs no data."""
