"""What observing real agent sessions brings: facts by category, refusals by reason; needs the data package (--data)."""
