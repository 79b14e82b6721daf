"""Finds the values of a manifest whose kind says that all of them are secret. Not for values beside a telling name."""

from __future__ import annotations

import re

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.values import is_expression, is_harmless_name, is_mixed, is_placeholder, is_scrambled

Span = tuple[int, int]

_ENTRIES = 60
"""Entries of a manifest that are looked at."""
_ENTRY = lazy_pattern(
    r"""(?P<indent>[ \t]{1,40})(?P<key>["']?[\w.\-/]{1,80}["']?):[ \t]{1,8}"""
    r"""(?:"(?P<double>[^"\n]{1,400})"|'(?P<single>[^'\n]{1,400})'|(?P<bare>[^\s"'|>{}\[\]][^\n#]{0,400}))?[^\n]{0,200}(?:\n|\Z)"""
)
_ADDRESS = lazy_pattern(r".*://.*|[\w.\-]+(?::[0-9]+)|[0-9.:/]+|[^@\s]+@[\w.\-]+")


def manifest(match: re.Match[str]) -> list[Span]:
    """The values of the entries below `stringData:` that have a digit or a sign."""
    text, at = match.string, match.end()
    spans: list[Span] = []
    for _ in range(_ENTRIES):
        entry = _ENTRY.match(text, at)
        if entry is None:
            break
        group = next((name for name in ("double", "single", "bare") if entry[name]), None)
        if group and _is_secret(entry["key"], entry[group].rstrip()):
            spans.append((entry.start(group), entry.start(group) + len(entry[group].rstrip())))
        at = entry.end()
    return spans


def _is_secret(key: str, value: str) -> bool:
    if len(value) < 6 or is_harmless_name(key) or is_placeholder(value) or _ADDRESS.fullmatch(value):
        return False
    return " " not in value and (is_mixed(value) or is_scrambled(value) or is_expression(value))
