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
SHAPES = frozenset({CALLED, "key", "test", "field", "value", *_WORDS})
"""All that is said of a name, values of keys apart."""

_WEAK = frozenset({CALLED, "key", "field", "value", "variable"})
"""What a use of a name shows. What its declaration, a key or a sentence says of it stays against these."""

_DECLARING = re.compile(rf" (?:{'|'.join(word[::-1] for word in _BY_WORD)})\b")
_CALLED = re.compile(r"\((\w{2,79}[A-Za-z_])")
_ASSIGNED = re.compile(r" =:? {1,16}(?:(\w{1,40}) ,)?(\w{2,79}[A-Za-z_])")
"""These read a text backwards: from the few signs behind a name, and not from the start of every word."""

_DECLARED = re.compile(r"(?:\([^()\n]{0,60}\) )?([A-Za-z_]\w{2,79})")
_KEYED = re.compile(r"[\"']([A-Za-z]\w{1,39})[\"']: ?(?:[\"']|(?=\d))([\w#@.-]{3,80})")
_KEY = re.compile(r"[\"']([A-Za-z]\w{2,79})[\"']: ?")
_TYPE_WORDS = (
    " string",
    " bool",
    " int",
    " float",
    " number",
    " error",
    " any",
    " uint",
    ": str",
    " bytes",
    "]byte",
    "]string",
)
_TYPES = "string|bool|boolean|int|int32|int64|uint|uint64|float|float64|number|error|any|str|bytes|byte|void"
_TYPED = re.compile(rf"\b([A-Za-z_]\w{{2,79}}+)(?:\?: ?|: ?| {{1,16}})[*&]?(?:\[\])?(?:{_TYPES})\b(?! [a-z])")
_MEMBER = re.compile(r"\.([A-Za-z_]\w{2,79}) (?:[=!<>+-]=|=|<|>) ")
_QUOTED = re.compile(r"\"(\w{3,80})\"(?!:)")
_NOUNS = "function|method|type|struct|class|interface|constant|variable|field|flag|option|parameter|argument|key|column"
_NAMED = re.compile(rf"`([A-Za-z_]\w{{2,79}})(?:\(\))?` ({_NOUNS})\b")
_TEST = re.compile(r"[Tt]est_?[A-Z_]\w*|test_\w+")


def kinds_in(text: str) -> Iterator[tuple[str, str]]:
    """Names in a text with what they are, what says more behind what says less."""
    backwards = text[::-1]
    yield from _used_as(text, backwards)
    if '":' in text or "':" in text:
        for word in _KEY.findall(text):
            yield word, "key"
        for key, value in _KEYED.findall(text):
            yield value, " ".join(re.split(r"[_\W]+|(?<=[a-z])(?=[A-Z])", key)).lower()
    for word, name in _declared(text, backwards):
        yield name, "test" if _TEST.fullmatch(name) else _BY_WORD[word]
    if "` " in text:
        yield from _NAMED.findall(text)


def _used_as(text: str, backwards: str) -> Iterator[tuple[str, str]]:
    """What the way in which names are used shows of them."""
    if "(" in text:
        for word in set(_CALLED.findall(backwards)):
            yield word[::-1], CALLED
    if '"' in text:
        for word in _QUOTED.findall(text):
            yield word, "value"
    if "= " in text:
        for word in _MEMBER.findall(text):
            yield word, "field"
        for second, first in _ASSIGNED.findall(backwards):
            yield first[::-1], "variable"
            yield second[::-1], "variable"
    if any(sign in text for sign in _TYPE_WORDS):
        for word in _TYPED.findall(text):
            yield word, "variable"


def _declared(text: str, backwards: str) -> Iterator[tuple[str, str]]:
    """Each word that declares something, with the name behind it; a name declares nothing itself."""
    free = 0
    for found in reversed(list(_DECLARING.finditer(backwards))):
        start, end = len(text) - found.end(), len(text) - found.start()
        if start >= free and (name := _DECLARED.match(text, end)):
            yield text[start : end - 1], name[1]
            free = name.end()


def by_shape(name: str) -> str:
    """What a name's letters alone show of it, by a convention of nearly all languages; mostly nothing."""
    return "constant" if "_" in name.strip("_") and name.isupper() else ""


def says_more(what: str, before: str) -> bool:
    """Whether what a text shows of a name is to take the place of what was known of it."""
    return not before or what not in _WEAK or before in _WEAK
