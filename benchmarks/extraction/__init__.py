"""Extraction: what a memory keeps of what was said, at what price in tokens, and how much of it is junk."""
