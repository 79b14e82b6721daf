"""Writes the lexicons as the package reads them: one regular expression and trigger words a section."""
