"""What the names in a piece of code or of data are: functions, types, values of a key. Knows no language by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

CALLED = "called"
"""What is known of a name behind which a bracket opens."""

_WORDS = {
    "function": ("def", "func", "fn", "function", "sub", "fun"),
    "type": ("type", "typedef"),
    "class": ("class", "trait", "protocol"),
    "struct": ("struct", "record"),
    "interface": ("interface",),
    "enum type": ("enum",),
    "constant": ("const", "final", "static"),
    "variable": ("let", "var", "val"),
}
_BY_WORD = {word: kind for kind, words in _WORDS.items() for word in words}
SHAPES = frozenset({CALLED, "key", "test", *_WORDS})
"""All that is said of a name, values of keys apart."""

_DECLARED = re.compile(rf"\b({'|'.join(_BY_WORD)}) (?:\([^()\n]{{0,60}}\) )?([A-Za-z_]\w{{2,79}})")
_CALLED = re.compile(r"[A-Za-z_]\w{2,79}(?=\()")
_ASSIGNED = re.compile(r"([A-Za-z_]\w{2,79})(?:, \w{1,40})? :?= ")
_KEYED = re.compile(r"[\"']([A-Za-z]\w{1,39})[\"']: ?[\"']?([\w#@.-]{3,80})")
_KEY = re.compile(r"[\"']([A-Za-z]\w{2,79})[\"']: ?")
_TEST = re.compile(r"[Tt]est_?[A-Z_]\w*|test_\w+")


def kinds_in(text: str) -> Iterator[tuple[str, str]]:
    """Names in a text with what they are, what says more behind what says less."""
    if "(" in text:
        for word in set(_CALLED.findall(text)):
            yield word, CALLED
    if "= " in text:
        for word in _ASSIGNED.findall(text):
            yield word, "variable"
    if '":' in text or "':" in text:
        for word in _KEY.findall(text):
            yield word, "key"
        for key, value in _KEYED.findall(text):
            yield value, " ".join(re.split(r"[_\W]+|(?<=[a-z])(?=[A-Z])", key)).lower()
    for word, name in _DECLARED.findall(text):
        yield name, "test" if _TEST.fullmatch(name) else _BY_WORD[word]
