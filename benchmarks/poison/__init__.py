"""Poison: what text of strangers plants in a memory, is shown of it as speech, and mutes of the user's own words."""
