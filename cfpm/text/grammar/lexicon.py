"""The word lists that comparing sentences needs, and what each English word does in a sentence. No judgement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from typing import Any, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_VOWEL = lazy_pattern(r"[aeiouy]")
_DOUBLED = lazy_pattern(r"([bdgmnprt])\1$")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words by what they do to a sentence. English content words are light stems; Chinese terms stand as they are."""

    stop: frozenset[str]
    be: frozenset[str]
    relative: frozenset[str]
    conjunction: frozenset[str]
    determiner: frozenset[str]
    ordering: frozenset[str]
    """Says which of two clauses is first, or why."""
    not_adverb: frozenset[str]
    manner: frozenset[str]
    """Adverbs that only colour what somebody is doing."""
    participle: frozenset[str]
    past: frozenset[str]
    negation: frozenset[str]
    weight: Mapping[str, str]
    """A word that may not stand on one side only -> its class: comparison, quantity, direction."""
    modality: Mapping[str, str]
    """A modal word -> its strength; two modals of one strength say the same."""
    person: Mapping[str, str]
    preposition: Mapping[str, str]
    light: Mapping[str, frozenset[str]]
    """A class of prepositions -> the participles that say nothing before it."""
    number: Mapping[str, str]
    month: Mapping[str, str]
    alias: Mapping[str, str]
    """A stem -> the stem that stands for its group of synonyms."""
    irregular: Mapping[str, str]
    phrases: Mapping[str, str]
    phrase: re.Pattern[str]
    joined: frozenset[str]
    """The words that stand for phrases."""
    adjective: frozenset[str]
    """Adjectives whose order says nothing."""
    opposite: Mapping[str, frozenset[str]]
    alternative: Mapping[str, frozenset[str]]
    """A word -> the names of the groups of which a frame holds one word."""
    chinese: re.Pattern[str]
    digit: Mapping[str, str]
    """A Chinese numeral -> its value."""


def light_stem(word: str) -> str:
    """Takes plural, -ed and -ing off a lower-case English word, and the silent e; never to less than three letters."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2].rstrip("e")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and _VOWEL.search(base):
            if base.endswith("i"):
                return base[:-1] + "y"
            word = _DOUBLED.sub(r"\1", base)
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def stem(word: str, irregular: Mapping[str, str]) -> str:
    """The stem of a lower-case word, irregular forms first."""
    return irregular.get(word) or light_stem(word)


@cache
def lexicon() -> Lexicon:
    """The lexicon of all languages together."""
    english, chinese = toml_table("cfpm.text.grammar", "lexicon_en"), toml_table("cfpm.text.grammar", "lexicon_zh")
    both = (english, chinese)
    verbs = {form: light_stem(word) for word, forms in english["irregular"].items() for form in forms.split()}
    irregular = verbs | {form: light_stem(word) for word, forms in english["plural"].items() for form in forms.split()}
    alias = _aliases(english["same"]["groups"], irregular) | _aliases(chinese["same"]["groups"], {})
    phrases = {**english["phrases"], **english["contractions"]}

    def words(key: str) -> frozenset[str]:
        return frozenset(word for table in both for word in table.get(key, "").split())

    def classes(key: str) -> dict[str, str]:
        return {word: name for table in both for name, entry in table[key].items() for word in entry.split()}

    def groups(key: str, entry: str) -> list[list[str]]:
        found = [line.split() for table in both for line in table[key][entry].splitlines() if line.strip()]
        return [[alias.get(word, word) for word in (stem(member, irregular) for member in group)] for group in found]

    return Lexicon(
        stop=words("stop"),
        be=words("be"),
        relative=words("relative"),
        conjunction=words("conjunction"),
        determiner=words("determiner"),
        ordering=words("ordering"),
        not_adverb=words("not_adverb"),
        manner=words("manner"),
        participle=words("participle") | frozenset(verbs),
        past=words("past"),
        negation=words("negation"),
        weight=classes("weight"),
        modality=classes("modality"),
        person=classes("person"),
        preposition={word: name for name, entry in english["preposition"].items() for word in entry.split()},
        light={
            place: frozenset(alias.get(word, word) for word in (stem(form, irregular) for form in entry.split()))
            for place, entry in english["light"].items()
        },
        number=_values(english["number"]["words"]),
        month=_values(english["number"]["months"]),
        alias=alias,
        irregular=irregular,
        phrases=phrases,
        phrase=_phrase_pattern(phrases),
        joined=frozenset(word for entry in phrases.values() for word in entry.split()),
        adjective=frozenset(alias.get(word, word) for word in (stem(entry, irregular) for entry in words("adjective"))),
        opposite=_opposites(groups("opposite", "pairs")),
        alternative=_alternatives(groups("alternatives", "groups")),
        chinese=_chinese_terms(chinese),
        digit=_values(chinese["number"]),
    )


def _longest(term: str) -> tuple[int, str]:
    return (-len(term), term)


def _phrase_pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Finds the longest phrase at a word; the first letters are tried once each, not once a phrase."""
    tails: dict[str, list[str]] = {}
    for phrase in sorted(phrases, key=_longest):
        tails.setdefault(phrase[0], []).append(re.escape(phrase[1:]))
    return lazy_pattern(r"\b(?:" + "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in tails.items()) + r")\b")


def _values(entry: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in entry.split())


def _aliases(block: str, irregular: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in block.splitlines():
        group = [stem(word, irregular) for word in line.split()]
        root = next((found[word] for word in group if word in found), group[0] if group else "")
        for word in group:
            found.setdefault(word, root)
    return found


def _opposites(pairs: Iterable[list[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _alternatives(groups: Iterable[list[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in groups:
        for word in group:
            found.setdefault(word, set()).add(" ".join(group))
    return {word: frozenset(names) for word, names in found.items()}


def _chinese_terms(table: Mapping[str, Any]) -> re.Pattern[str]:
    """Splits a run of Chinese: the longest known term first, a numeral before a measure word, else a single sign."""
    terms: set[str] = set()
    for entry in table.values():
        terms.update((" ".join(entry.values()) if isinstance(entry, dict) else entry).split())
    terms -= set(table["number"].split()) | set(table["measure"].split())
    terms |= set(table["stop"].split())
    numerals = "".join(_values(table["number"]))
    measures = "|".join(sorted(table["measure"].split(), key=_longest))
    number = rf"第?[{numerals}]+(?={measures})|第[{numerals}]+"
    return lazy_pattern("|".join(sorted(terms, key=_longest)) + "|" + number + r"|[\s\S]")


class WordClass(IntEnum):
    """What a word is to the reader."""

    CONTENT = 0
    ADVERB = 1
    SMALL = 2
    """Carries nothing: an article, "do", "very"."""
    BE = 3
    HAVE = 4
    NEGATION = 5
    PERSON = 6
    NUMBER = 7
    MODAL = 8
    PAST = 9
    COMPARISON = 10
    """A comparison or quantity."""
    PARTICLE = 11
    """A direction without an object: "turn off"."""
    DIRECTION = 12
    """A preposition of direction, which must agree."""
    PREPOSITION = 13
    RELATIVE = 14
    CONJUNCTION = 15


CONTENT_CLASSES = (WordClass.CONTENT, WordClass.ADVERB)


class Word(NamedTuple):
    """`value` is the stem, or the class of a word that is no content."""

    kind: WordClass
    value: str
    participle: bool = False
    """Its form can be a passive."""
    attribute: bool = False
    """Its form can be an adjective."""
    manner: bool = False
    """An adverb that only colours what somebody is doing."""


@lru_cache(maxsize=8_192)
def classify(lower: str) -> Word:
    """What the lower-case word `lower` is."""
    known = lexicon()
    return _small(lower, known) or _content(lower, known)


def _small(lower: str, known: Lexicon) -> Word | None:
    sets = (
        (known.negation, WordClass.NEGATION),
        (known.be, WordClass.BE),
        (known.stop, WordClass.SMALL),
        (known.past, WordClass.PAST),
        (known.relative, WordClass.RELATIVE),
        (known.conjunction, WordClass.CONJUNCTION),
    )
    for words, kind in sets:
        if lower in words:
            return Word(kind, lower)
    maps = ((known.person, WordClass.PERSON), (known.number, WordClass.NUMBER), (known.modality, WordClass.MODAL))
    for table, kind in maps:
        if lower in table:
            return Word(kind, table[lower])
    if lower in known.weight:
        same = known.alias.get(lower, lower)
        if lower in known.preposition:
            return Word(WordClass.DIRECTION, same)
        return Word(WordClass.PARTICLE if known.weight[lower] == "direction" else WordClass.COMPARISON, same)
    if lower in known.preposition:
        return Word(WordClass.PREPOSITION, known.preposition[lower])
    return Word(WordClass.HAVE, "have") if lower in ("have", "has", "had", "having") else None


def _content(lower: str, known: Lexicon) -> Word:
    kind, base = WordClass.CONTENT, lower
    if lower.endswith("ly") and len(lower) > 4 and lower not in known.not_adverb:
        kind, base = WordClass.ADVERB, lower[:-3] + "y" if lower.endswith("ily") else lower[:-2]
    reduced = stem(base, known.irregular)
    ongoing = lower.endswith("ing")
    changed = lower.endswith("ed") or (lower in known.participle and not ongoing)
    return Word(
        kind,
        known.alias.get(reduced, reduced),
        changed or lower.endswith("en"),
        not changed and not ongoing,
        lower in known.manner,
    )
