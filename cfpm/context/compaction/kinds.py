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

_DECLARING = re.compile(rf" (?:{'|'.join(word[::-1] for word in _BY_WORD)})\b")
_CALLED = re.compile(r"\((\w{2,79}[A-Za-z_])")
_ASSIGNED = re.compile(r" =:? (?:\w{1,40} ,)?(\w{2,79}[A-Za-z_])")
"""These read a text backwards: from the few signs behind a name, and not from the start of every word."""

_DECLARED = re.compile(r"(?:\([^()\n]{0,60}\) )?([A-Za-z_]\w{2,79})")
_KEYED = re.compile(r"[\"']([A-Za-z]\w{1,39})[\"']: ?[\"']?([\w#@.-]{3,80})")
_KEY = re.compile(r"[\"']([A-Za-z]\w{2,79})[\"']: ?")
_TEST = re.compile(r"[Tt]est_?[A-Z_]\w*|test_\w+")


def kinds_in(text: str) -> Iterator[tuple[str, str]]:
    """Names in a text with what they are, what says more behind what says less."""
    backwards = text[::-1]
    if "(" in text:
        for word in set(_CALLED.findall(backwards)):
            yield word[::-1], CALLED
    if "= " in text:
        for word in _ASSIGNED.findall(backwards):
            yield word[::-1], "variable"
    if '":' in text or "':" in text:
        for word in _KEY.findall(text):
            yield word, "key"
        for key, value in _KEYED.findall(text):
            yield value, " ".join(re.split(r"[_\W]+|(?<=[a-z])(?=[A-Z])", key)).lower()
    for word, name in _declared(text, backwards):
        yield name, "test" if _TEST.fullmatch(name) else _BY_WORD[word]


def _declared(text: str, backwards: str) -> Iterator[tuple[str, str]]:
    """Each word that declares something, with the name behind it; a name declares nothing itself."""
    free = 0
    for found in reversed(list(_DECLARING.finditer(backwards))):
        start, end = len(text) - found.end(), len(text) - found.start()
        if start >= free and (name := _DECLARED.match(text, end)):
            yield text[start : end - 1], name[1]
            free = name.end()
