"""How long a test waits for a process, a thread or an answer."""

from __future__ import annotations

HUNG = 1_200.0
"""Seconds after which what a test waits for counts as hung: many times what a machine with other work needs."""
