"""The names in a text, as their writer wrote them (paths, identifiers, ids, addresses), and what code or data show them
to be. Sentences and their paths with spaces are the business of `cfpm.paths`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.paths.lexicon import names as known_names


class NameKind(StrEnum):
    """What a name looks like."""

    PATH = "path"
    IDENTIFIER = "identifier"
    ADDRESS = "address"


class Name(NamedTuple):
    """A name as written; of a path, without `./` in front and without a slash at its end."""

    kind: NameKind
    text: str

    @property
    def last(self) -> str:
        """The file name of a path; any other name whole."""
        return self.text if self.kind is not NameKind.PATH else self.text.rpartition("/")[2].rpartition("\\")[2]


_TOKEN = lazy_pattern(r"https?://[^\s\"'<>)\]}|`]+|[A-Za-z]:[\\/][\w$@~./\\+-]+|[\w$@~#./\\][\w$@~./\\+-]*")
_PLAIN = lazy_pattern(r"[\"'`(*]*[A-Za-z]?[a-z]*[.,:;!?\"'`)*]*")
_LETTER = lazy_pattern(r"[^\W\d]|#|\d{6}")
"""What a name has: a letter, or enough digits for an id."""
_EDGES = ".,/\\-+~"
_MIN, _MAX = 3, 160
_MIN_MIXED = 5
"""Signs of the shortest word that is a name because it has digits and letters."""
_CAMEL = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}")
_WORD = lazy_pattern(r"[A-Za-z_$#]?[\w$-]*")
_TICKET = lazy_pattern(r"[A-Z]{2,10}-\d{1,7}")
_HYPHENS = lazy_pattern(r"[-+]+")
_STAMP = lazy_pattern(r"\d[\d_]*[A-Z]?[\d]*Z?|\d+(?:ms|px|em|rem|kb|mb|gb|KB|MB|GB)|0x[\da-fA-F]+")
"""Numbers, times and sizes."""
_HEX = lazy_pattern(r"[0-9a-fA-F]{12,}")
_SPLIT = lazy_pattern(r"[/\\]")
_DIFF = lazy_pattern(r"\A[ab]/(?=[^/]+/)")
"""What `git diff` writes before a path."""
_LINE_NUMBER = lazy_pattern(r"(\.[a-z]\w{0,9})-\d{1,6}-?$")
"""How `grep` writes the number of a line of context behind the name of its file."""
_MEMO = 1 << 16
"""Different words that are remembered: a session of a few megabytes has some tens of thousands."""


def names_between_blanks(word: str) -> tuple[Name, ...]:
    """The names in what stands between two blanks of a text, in order. Most of it is plain words and numbers."""
    if _PLAIN.fullmatch(word) or not _LETTER.search(word):
        return ()
    return tuple([name for part in words(word) for name in names_in(part)])


def words(text: str) -> list[str]:
    """The words of a text that may hold names, in order."""
    return _TOKEN.findall(text)


@lru_cache(_MEMO)
def names_in(word: str) -> tuple[Name, ...]:
    """The names that one word holds: none for plain words and numbers; several for `loader.Cache_entry.load_all`."""
    if word.startswith(("http://", "https://")):
        return (Name(NameKind.ADDRESS, word.rstrip(".,:;")),) if len(word) <= _MAX else ()
    bare = (_LINE_NUMBER.sub(r"\1", word) if "-" in word else word).rstrip(_EDGES)
    if len(bare) < _MIN or len(bare) > _MAX:
        return ()
    if "/" in bare or "\\" in bare:
        return _path(bare)
    if "." in bare.strip("."):
        return _dotted(bare)
    if "-" in bare and not _TICKET.fullmatch(bare):
        return tuple(Name(NameKind.IDENTIFIER, part) for part in _HYPHENS.split(bare) if is_identifier(part))
    # A method behind a closed bracket begins with its dot.
    alone = bare.lstrip(".")
    return (Name(NameKind.IDENTIFIER, alone),) if is_identifier(alone) else ()


def path_name(path: str) -> Name | None:
    """The name of a path that a call gives as an argument."""
    text = path.strip().removeprefix("./").rstrip("/\\") if len(path) <= 4 * _MAX else ""
    return Name(NameKind.PATH, text) if text and "\n" not in text else None


def is_identifier(word: str) -> bool:
    """Whether a word is no word of a language: `load_config`, `loadConfig`, `TS2304`, `#W5744371`, `order-1234`."""
    if word.isalpha() and (word.islower() or word.istitle()):
        return False
    core = word.lstrip("#$@")
    if len(core) < _MIN or not _WORD.fullmatch(word) or _HEX.fullmatch(core):
        return False
    if core[0].isdigit() and not core.isdigit() and _STAMP.fullmatch(core):
        return False
    if "_" in core.strip("_"):
        return True
    if core.isdigit():
        return len(core) >= 6 or (word[0] == "#" and len(core) >= _MIN)
    if _TICKET.fullmatch(core):
        return True
    mixed = not core.isalpha() and any(map(str.isdigit, core)) and any(map(str.isalpha, core))
    return (mixed and len(core) >= _MIN_MIXED) or bool(_CAMEL.search(core))


def is_file(segment: str) -> bool:
    """Whether the last segment of a path names a file, by its ending or as one of the files known by name."""
    if segment in known_names("known_files"):
        return True
    stem, dot, ending = segment.rpartition(".")
    return bool(dot and stem) and (ending.islower() or ending.isupper()) and ending.lower() in known_names("extensions")


def _path(word: str) -> tuple[Name, ...]:
    if word.startswith(("//", "/dev/")) or "\\n" in word:
        return ()
    split = _SPLIT.split(word) if "\\" in word else word.split("/")
    segments = [part for part in split if part not in ("", ".")]
    if not segments or not any(map(str.isalpha, word)):
        return ()
    rooted = word[0] in "/\\~" or word[1:2] == ":" or word.startswith(("./", "../"))
    folder = (rooted and len(segments) > 1) or segments[0] in known_names("source_folders")
    if not folder and not is_file(segments[-1]):
        return tuple(Name(NameKind.IDENTIFIER, part) for part in segments if is_identifier(part))
    bare = word.removeprefix("./")
    return (Name(NameKind.PATH, _DIFF.sub("", bare) if bare[1:2] == "/" else bare),)


def _dotted(word: str) -> tuple[Name, ...]:
    if is_file(word) and not word.startswith(("self.", "this.")):
        return (Name(NameKind.PATH, word),) if word[0] not in "$@" and len(word.strip("._-")) > _MIN else ()
    return tuple(Name(NameKind.IDENTIFIER, part) for part in word.split(".") if is_identifier(part))


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

_DECLARING = lazy_pattern(rf" (?:{'|'.join(word[::-1] for word in _BY_WORD)})\b")
_CALLED = lazy_pattern(r"\((\w{2,79}[A-Za-z_])")
_ASSIGNED = lazy_pattern(r" =:? {1,16}(?:(\w{1,40}) ,)?(\w{2,79}[A-Za-z_])")
"""These read a text backwards: from the few signs behind a name, and not from the start of every word, which costs a
sixth more of a whole compaction (650 KB, 541 messages)."""

_DECLARED = lazy_pattern(r"(?:\([^()\n]{0,60}\) )?([A-Za-z_]\w{2,79})")
_KEYED = lazy_pattern(r"[\"']([A-Za-z]\w{1,39})[\"']: ?(?:[\"']|(?=\d))([\w#@.-]{3,80})")
_KEY = lazy_pattern(r"[\"']([A-Za-z]\w{2,79})[\"']: ?")
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
_TYPED = lazy_pattern(rf"\b([A-Za-z_]\w{{2,79}}+)(?:\?: ?|: ?| {{1,16}})[*&]?(?:\[\])?(?:{_TYPES})\b(?! [a-z])")
_MEMBER = lazy_pattern(r"\.([A-Za-z_]\w{2,79}) (?:[=!<>+-]=|=|<|>) ")
_QUOTED = lazy_pattern(r"\"(\w{3,80})\"(?!:)")
_NOUNS = "function|method|type|struct|class|interface|constant|variable|field|flag|option|parameter|argument|key|column"
_NAMED = lazy_pattern(rf"`([A-Za-z_]\w{{2,79}})(?:\(\))?` ({_NOUNS})\b")
_TEST = lazy_pattern(r"[Tt]est_?[A-Z_]\w*|test_\w+")


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
