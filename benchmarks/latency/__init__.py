"""How long observing takes and how much memory it needs, against the goals; needs no data."""
