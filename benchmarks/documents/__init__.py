"""How long it takes to add a large document, to find a passage in it, and to remove it."""
