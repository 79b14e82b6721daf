"""Memories of other programs: what they hold, read from their files, and handed to the auditor."""
