"""Verbs by groups, and the words of what was done as stems. Which text says that something was done: see `deeds.py`."""

from __future__ import annotations

import re
from functools import cache

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.words import Kind, classify
from cfpm.text.quantities.vocabulary import doing_lines, lists

STEM = 7
"""Letters by which words of one root are one: "optimise", "optimisation"."""

WORD = re.compile(r"[^\W_][\w'’+#-]*")
_WITH = re.compile(r"\bco-(?=[a-z]{3})")
_TITLES = ("Dr. ", "Mr. ", "Mrs. ", "Ms. ", "Prof. ")
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.\s+(?=[A-Z])")
FREE = frozenset(["actually", "really", "personally", "even", "ever", "once", "yet", "before", "any"])
_LOOSE = frozenset(["next", "last", "previous", "other", "another"])


def bared(text: str) -> str:
    """Without the title before a name, whose full stop ends no sentence, and the "co-" before a verb."""
    text = _TITLE.sub("", text) if any(title in text for title in _TITLES) else text
    return _WITH.sub("", text) if "co-" in text else text


def ordinals_of(text: str) -> frozenset[str]:
    """ "First", "final": a first draft is not the final one."""
    return frozenset(word for word in text.lower().split() if word in lists()["ordinals"]) - _LOOSE


def numbers_of(text: str) -> frozenset[str]:
    """The numbers that tell one from another: "sprint 2" is not "sprint 1"."""
    return frozenset(word for word in WORD.findall(text) if word.isdigit())


@cache
def happening() -> dict[str, str]:
    """Nouns of what was done, each with the verb that stands for its group."""
    return dict(entry.split("=") for entry in sorted(lists()["happening"]))


@cache
def implied() -> dict[str, str]:
    """Groups of verbs, each with the group that follows from it: who bought a thing has it."""
    return dict(entry.split("=") for entry in sorted(lists()["implied"]))


@cache
def verb_forms() -> dict[str, str]:
    """Verb forms, each with the verb that stands for its group."""
    return {form: line.partition("=")[0] for line in doing_lines() for form in line.partition("=")[2].split()}


@cache
def kinds() -> frozenset[str]:
    """The stems of nouns of a kind."""
    return frozenset(map(stem, lists()["kinds"]))


def verb_of(word: str) -> str:
    """The verb that stands for the group of a form, or its stem."""
    lower = word.lower()
    return verb_forms().get(lower) or classify(lower).value[:STEM]


def form_of(word: str) -> str:
    """The stem of a verb form."""
    return classify(word.lower()).value[:STEM]


def stems(text: str) -> list[str]:
    """The stems of the content words, in order."""
    return [found for word in WORD.findall(text.replace("-", " ")) if (found := stem(word))]


def stem(word: str) -> str:
    """The stem of a content word; empty for one that says nothing of what was done."""
    lower = word.lower().replace("’", "'")
    if lower.endswith("'s"):
        lower = lower[:-2]
    read = classify(lower)
    if read.kind not in (Kind.CONTENT, Kind.ADVERB) or "'" in lower or lower in FREE or lower in lexicon().month:
        return ""
    idle = lists()["idle"]
    return "" if read.value in idle or lower in idle or lower.isdigit() else read.value[:STEM]
