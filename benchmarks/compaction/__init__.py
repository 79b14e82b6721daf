"""Compaction: what the rest of a session uses again, and whether it still stands in the shortened view."""
