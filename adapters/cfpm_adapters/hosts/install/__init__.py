"""Puts the memory into the settings of an agent host, and takes it out again: `plan` says what would change,
`carry_out` does it. Nothing else in those files is touched."""
