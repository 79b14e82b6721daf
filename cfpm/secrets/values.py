"""Tells values that somebody would keep secret from placeholders, names and expressions. Not for finding them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_MARK_INSIDE = lazy_pattern(
    r"""
      < [A-Za-z/] [^<>]* > | \{\{ | \}\} | \$[{(] | %\( | \{ [A-Za-z_] [^{}\n]{0,80} \}  # something to be filled in
    | \.{3} | … | \*{3} | •{2} | [xX]{4} | \#{4} | _{4}                                  # something left out
    | \\[wdsSb] | \.[*+] | \[\^ | \(\? | ://                                             # an expression, an address
    | (?i: example | placeholder | change[_\-]?me | redacted | dummy | your[_\-] | [_\-]here (?![a-z]) )
    """,
    re.VERBOSE,
)
_MARK_AS_WHOLE = lazy_pattern(
    r"""
      ![a-z]{2,12}                                                              # a tag of YAML
    | \$ \w+ | % [A-Za-z_]+ %? | [&*@:]{1,2} [A-Za-z_]+ | -{1,2} [a-z][a-z\-]*  # a variable, a pointer, an option
    | [A-Z]{2,}[0-9]{0,2} (?: [_:] [A-Z]{2,}[0-9]{0,2} )*                       # the name of a constant
    | [A-Za-z_]+ = \w+ | // .* | \w+ @ \w+ (?: \. \w+ )+                        # an argument, an address
    | \# [0-9A-Fa-f]{3,8} | (.)\1* | [\\\[(] .* | \^ .* [\\$*+(\[] .*             # a colour, a line, an expression
    | (?: ~ | \.{1,2} ) / .*                                                    # a path
    | (?i: your | my[_\-] | fake | sample | insert | enter ) .*
    """,
    re.VERBOSE | re.DOTALL,
)
_SELF = lazy_pattern(
    r"pass(?:word|wd|phrase|wort)|secret|token|api_?key|kennwort|contrase|senha|wachtwoord", re.IGNORECASE
)
"""A value of words with one of these in it names itself."""
_PATH = lazy_pattern(r"(?:~|\.{0,2}|[A-Za-z]:)[/\\]")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_$][A-Za-z0-9_]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_]*)+")
_PART = lazy_pattern(r"[_\-./:,+=\\]+")
_PLAIN_PART = lazy_pattern(
    r"[$#@&*!~%]?(?P<words>[A-Za-z]*)[0-9]{0,6}[!%?*#]{0,2}|[$#]?[0-9]+[A-Za-z]{0,3}|0x[0-9A-Fa-f]{1,8}"
)
_CAMEL = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_UUID = lazy_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DOTS = lazy_pattern(r"\.|::|->|\?\.")
_INNER_DIGIT = lazy_pattern(r"[A-Za-z][0-9]{1,4}[a-z]{2}|_[0-9]+[a-z]+\Z")
_WITH_DIGITS = lazy_pattern(r"[A-Za-z]+[0-9]+")
_DATE = lazy_pattern(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")
_NAME_WORD = lazy_pattern(r"[a-z]+|[A-Z][a-z]*")
_DIGIT = lazy_pattern(r"[0-9]")
_LETTER = lazy_pattern(r"[^\W\d_]")
_LOWER = lazy_pattern(r"[a-z]")
_UPPER = lazy_pattern(r"[A-Z]")
_SIGN = lazy_pattern(r"[!@#$%^&*~+=]")


@cache
def word_list(of: str) -> frozenset[str]:
    """A list of `words.toml`."""
    return frozenset(str(toml_table(__package__, "words")[of]).split())


def is_placeholder(text: str) -> bool:
    """`<your-token>`, `${TOKEN}`, `xxxx`, `changeme`, `None`, `string`, a path, a regular expression, `password123`."""
    if _MARK_AS_WHOLE.fullmatch(text) is not None or _MARK_INSIDE.search(text) is not None:
        return True
    parts = [part for part in _PART.split(text.rstrip(".,:;!?").lower()) if part]
    if word_list("values").issuperset(parts):
        return True
    return (_SELF.search(text) is not None or _PATH.match(text) is not None) and is_words(text)


def is_words_of_secrets(text: str) -> bool:
    """`newPassword`, `user_secret`, `Passwort`: a name of a field, or its label, and no value."""
    return _SELF.search(text) is not None or not word_list("values").isdisjoint(
        word.lower() for word in _NAME_WORD.findall(text)
    )


def is_harmless_name(tail: str) -> bool:
    """The rest of a name says that it is about a secret: `_file`, `Length`, `s` (as in tokens), `izer`."""
    return not word_list("names").isdisjoint(word.lower() for word in _NAME_WORD.findall(tail))


def is_expression(text: str) -> bool:
    """`self.password`, `config::token`: names of a program with dots or arrows between them."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_chosen(text: str) -> bool:
    """Names with dots between them that no program has: a digit amid the letters of one, as in `jab0ticaba.Vento`."""
    parts = _DOTS.split(text)
    known = word_list("abbreviations")
    return _SELF.search(text) is None and any(
        _INNER_DIGIT.search(part) and known.isdisjoint(word.lower() for word in _WITH_DIGITS.findall(part))
        for part in parts
    )


def is_words(text: str) -> bool:
    """Made of words and numbers, as identifiers, paths, versions and dates are: nothing in it looks random."""
    return _DATE.fullmatch(text) is not None or all(_is_plain(part) for part in _PART.split(text))


def _is_plain(part: str) -> bool:
    """A number with its unit, or words in one or in camel case with a number at the end."""
    match = _PLAIN_PART.fullmatch(part)
    letters = match["words"] if match else None
    if not letters:
        return match is not None
    return len(letters) <= 3 or len(_CAMEL.findall(letters)) * 5 <= len(letters) * 2


@cache
def _common_words() -> frozenset[str]:
    """English words and names that are common enough to be one piece of the embedding's vocabulary."""
    pieces = resources.files("cfpm").joinpath("embedding", "data", "vocabulary.txt").read_text(encoding="utf-8")
    return frozenset(piece for piece in pieces.split("\n") if len(piece) > 3)


def is_common(word: str) -> bool:
    """Whether a word is a common English one."""
    low = word.lower()
    return any(form in _common_words() for form in (low, low.removesuffix("s"), low.removesuffix("es")))


_ADJECTIVES = ("ed", "ing", "ly", "able", "ible", "less", "ous", "ful", "ized", "ive")
_INVENTED = 7
"""Characters from which letters can be a password: shorter ones are as often an abbreviation or an identifier."""


def is_invented(text: str) -> bool:
    """Letters that are no common English word and no name of a program: `octopusink`. For names in English only."""
    if len(text) < _INVENTED or not (text.isascii() and text.isalpha()) or text.endswith(_ADJECTIVES):
        return False
    return text[1:].islower() and not is_words_of_secrets(text) and not is_common(text)


_LETTERS = lazy_pattern(r"[A-Za-z]+")
_TYPED = 8
"""Characters from which letters with digits can be a typed password: shorter ones are as often a version or a model."""


_PHRASE = lazy_pattern(
    r"[A-Za-zÀ-ɏ]{2,20}(?P<sign>[-+;:,.~_])[A-Za-zÀ-ɏ]{2,20}(?:(?P=sign)[A-Za-zÀ-ɏ]{2,20}){1,7}[0-9!?]{0,4}"
)
_CAMEL_PHRASE = lazy_pattern(r"(?:[A-Z][a-z]{2,14}){3,7}[0-9!?]{0,4}")
_PHRASE_WORD = lazy_pattern(r"[A-ZÀ-Þ]?[a-zß-ɏ]+|[A-ZÀ-Þ]+")
_PHRASE_LETTERS = 10
"""Letters of a password of several words: with fewer it is as often an abbreviation."""


def is_passphrase(text: str) -> bool:
    """Three words and more with a sign between them, or with capitals, as people and programs make up a password:
    `walnut-Parade-drift`. Not a name of a field, a file, a state or of a program."""
    found = _PHRASE.fullmatch(text) or _CAMEL_PHRASE.fullmatch(text)
    if found is None or is_placeholder(text):
        return False
    words = [word.lower() for word in _PHRASE_WORD.findall(text)]
    if sum(map(len, words)) < _PHRASE_LETTERS or sum(len(word) > 2 for word in words) < 3:
        return False
    return all(word_list(name).isdisjoint(words) for name in ("values", "names", "sentence", "programs"))


_LIKE_NAMES = lazy_pattern(r"[\w.:,]+[!?]{0,4}")


def is_joined_unlike_names(text: str) -> bool:
    """Whether signs stand between its words that names of programs do not have: `-`, `+`, `;`, `~`."""
    return _LIKE_NAMES.fullmatch(text) is None


_COMPOUND = lazy_pattern(
    r"[a-z]{2,14}-(?:"
    r"(?=[a-z]{5})[a-z]*[a-df-z]ed|(?=[a-z]{7})[a-z]*(?:[st]ive|ific|able|ible|ous)|(?=[a-z]{6})[a-z]+(?:less|proof)"
    r"|known|only|wide|free|long|lived|like|driven|bound|given|written|chosen|hidden|shown|time|use|safe|friendly|way"
    r"|factor|level|side|empty|unique|compliant|dependent|independent|readable|neutral|local|specific)"
)


def is_compound_adjective(text: str) -> bool:
    """`case-sensitive`, `rate-limited`, `single-use`: what a sentence says of a password, and no password."""
    return _COMPOUND.fullmatch(text) is not None


def is_typed(text: str) -> bool:
    """Letters and digits as people make up a password: what they spell is no common word and no abbreviation."""
    if len(text) < _TYPED or not is_mixed(text) or _DIGIT.search(text) is None:
        return False
    letters = max(_LETTERS.findall(text), key=len, default="")
    return len(letters) > 3 and not letters.isupper() and not is_common(letters) and not is_words_of_secrets(text)


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def is_scrambled(text: str) -> bool:
    """Letters and digits, or the case of letters, change as they do in no word. No entropy is measured."""
    if is_words(text):
        return False
    return _LETTER.search(text) is not None if _DIGIT.search(text) else len(text) >= 16


def is_mixed(text: str) -> bool:
    """A letter and a digit, or one of them and a sign that words do not have: what a typed password looks like."""
    if _DIGIT.search(text) is not None:
        return _LETTER.search(text) is not None or _SIGN.search(text) is not None
    return _SIGN.search(text) is not None and _LETTER.search(text) is not None


def is_strong(text: str) -> bool:
    """Digits with letters of both cases or a sign, or letters with two signs: no word of a sentence looks like this."""
    signs = len(_SIGN.findall(text))
    if _DIGIT.search(text):
        likely = signs > 0 or (_LOWER.search(text) is not None and _UPPER.search(text) is not None)
    else:
        likely = signs > 1
    return likely and len(text) >= 6 and not is_words(text)
