"""How the text of one fact stands to that of another: the same, impossible together, a new value, or denied. Pure."""
