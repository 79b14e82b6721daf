"""Tells values that somebody would keep secret from placeholders, names and expressions. Not for finding them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

_PLACEHOLDER = re.compile(
    r"""
      .*(?: < [^>]*>? | \{\{ | \$\{ | \$\( | \}\} | %\( | \.{3} | … | \*{3} | •{2} | [xX]{4} | \#{4} | _{4} ).*
    | [$%&@:~] [A-Za-z_{(\[] .* | \.{0,2}[/\\][A-Za-z_.] .* | [A-Za-z]:\\ .* | \$[0-9] | -{1,2}[a-z][a-z\-]* | (.)\1*
    | .* (?i: example | placeholder | changeme | change[_\-]me | redacted | dummy | your[_\-] | [_\-]here(?![a-z]) ) .*
    | (?i: your | my[_\-] | fake | sample | insert | enter ) .*
    | [A-Z]{2,}[0-9]{0,2}(?:[_:][A-Z]{2,}[0-9]{0,2})* | \w+=\w* | [*&][A-Za-z_][A-Za-z]* | \w+@\w+(?:\.\w+)+
    | \\? [\\^\[(] .* | .* (?: \\[wdsSb] | \.[*+] | \[\^ | \(\? ) .*
    """,
    re.VERBOSE | re.DOTALL,
)
_SELF = re.compile(r"pass(?:word|wd|phrase)|secret|token|api_?key", re.IGNORECASE)
"""A value of words with one of these in it names itself."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_]*)+")
_PART = re.compile(r"[_\-./:,+=]+")
_PLAIN_PART = re.compile(r"[$#@&*!~%]?(?P<words>[A-Za-z]*)(?P<number>[0-9]{0,6})[!%?*#]{0,2}|[$#]?[0-9]+[A-Za-z]{0,3}|0x[0-9A-Fa-f]{1,8}")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DATE = re.compile(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")
_NAME_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_SIGNS = frozenset("!@#$%^&*~+=")


@cache
def _words(of: str) -> frozenset[str]:
    table = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return frozenset(str(table[of]).split())


def is_placeholder(text: str) -> bool:
    """`<your-token>`, `${TOKEN}`, `xxxx`, `changeme`, `None`, `string`, a path, a regular expression, `password123`."""
    if _PLACEHOLDER.fullmatch(text) is not None:
        return True
    parts = [part for part in _PART.split(text.rstrip(".,:;!?").lower()) if part]
    return _words("values").issuperset(parts) or (_SELF.search(text) is not None and is_words(text))


def is_harmless_name(tail: str) -> bool:
    """The rest of a name says that it is about a secret: `_file`, `Length`, `s` (as in tokens)."""
    return not _words("names").isdisjoint(word.lower() for word in _NAME_WORD.findall(tail))


def is_expression(text: str) -> bool:
    """`self.password`, `config::token`: names of a program with dots or arrows between them."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_words(text: str) -> bool:
    """Made of words and numbers, as identifiers, paths, versions and dates are: nothing in it looks random."""
    return _DATE.fullmatch(text) is not None or all(_is_plain(part) for part in _PART.split(text))


def _is_plain(part: str) -> bool:
    """A number with its unit, or words in one or in camel case with a number at the end."""
    match = _PLAIN_PART.fullmatch(part)
    letters = match["words"] if match else None
    if not letters:
        return match is not None
    return len(letters) <= 3 or len(_CAMEL.findall(letters)) * 3 <= len(letters)


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def is_scrambled(text: str) -> bool:
    """Letters and digits, or the case of letters, change as they do in no word. No entropy is measured."""
    if is_words(text):
        return False
    if any(char.isdigit() for char in text):
        return any(char.isalpha() for char in text)
    return len(text) >= 16


def is_mixed(text: str) -> bool:
    """A letter and a digit, or a letter and a sign that words do not have: what a typed password looks like."""
    letters = any(char.isalpha() for char in text)
    digits = any(char.isdigit() for char in text)
    signs = not _SIGNS.isdisjoint(text)
    return (letters and (digits or signs)) or (digits and signs)


def is_strong(text: str) -> bool:
    """Digits with letters of both cases or a sign, or letters with two signs: no word of a sentence looks like this."""
    digits = any(char.isdigit() for char in text)
    cases = any(char.islower() for char in text) and any(char.isupper() for char in text)
    signs = sum(char in _SIGNS for char in text)
    return len(text) >= 6 and not is_words(text) and (digits and (cases or signs > 0) or signs > 1)
