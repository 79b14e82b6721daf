"""Finds secrets and puts `[redacted:<kind>]` in their place, before anything is stored.

Not for personal data: e-mail addresses and phone numbers stay. What is a secret stands in `patterns.toml`.
"""

from __future__ import annotations

from cfpm.secrets.patterns import Pattern, load_patterns
from cfpm.secrets.redaction import PLACEHOLDER, Finding, Numbers, Redaction, has_placeholder, redact
from cfpm.secrets.structures import redact_value

__all__ = [
    "PLACEHOLDER",
    "Finding",
    "Numbers",
    "Pattern",
    "Redaction",
    "has_placeholder",
    "load_patterns",
    "redact",
    "redact_value",
]
