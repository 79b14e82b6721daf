"""Agent hosts: what their hooks are told at the start, with a prompt, around a call and at the end, by a table of their
field names (`data/`); and the settings that start them (`install/`)."""
