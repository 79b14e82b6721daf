"""The word lists of `updates.toml`, and what a word is worth for telling what a value belongs to. No judgement."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table
from cfpm.text.grammar.lexicon import CONTENT_CLASSES, classify, lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable

TIME = ":time"
"""End of the stem of a noun such as "load time"; the sign stands in no word."""


@cache
def lists() -> dict[str, frozenset[str]]:
    """The word lists of the data file, by name."""
    loaded = toml_table("cfpm.text.quantities", "updates")
    found = {name: frozenset(entry.split()) for name, entry in loaded.items() if name != "doing"}
    stems = {name: frozenset(classify(word).value for word in found[name]) for name in ("light", "labels", "of_any")}
    single = toml_table("cfpm.text.quantities", "slots")["single"]
    slots = frozenset(classify(word).value for word in (*found["slots"], *single.split()))
    stems["counting"] = frozenset(classify(word).value for word in found["counting"])
    stems["calendar"] = frozenset(classify(word).value for word in found["calendar"])
    return {
        **found,
        **stems,
        "slots": slots
        - {classify(word).value for word in ("number", "order", "level", "position", *found["unmeasured"])},
    }


@cache
def doing_lines() -> tuple[str, ...]:
    """Groups of verbs, a line each."""
    loaded = toml_table("cfpm.text.quantities", "updates")
    return tuple(loaded["doing"].strip().splitlines())


@cache
def periods() -> dict[str, str]:
    """Words that name a period, each with its period."""
    return dict(entry.split("=") for entry in sorted(lists()["periods"]))


@cache
def _alike() -> dict[str, str]:
    pairs = (entry.split("=") for entry in sorted(lists()["alike"]))
    return {classify(word).value: classify(same).value for word, same in pairs}


def alike(slots: frozenset[str]) -> frozenset[str]:
    """The nouns, of those that mean the same the one that stands for them: a quota is a limit."""
    return frozenset(_alike().get(word, word) for word in slots)


def stem_of(text: str) -> str:
    """The stem of a content word; empty for a small word or one that says nothing of a value's owner."""
    lower = text.lower().replace("’", "'")
    if lower.endswith("'s"):
        lower = lower[:-2]
    known = lists()
    if (
        is_calendar(lower)
        or lower in known["unreal"]
        or lower in known["changed"]
        or lower in known["adjective"]
        or lower in periods()
    ):
        return ""
    word = classify(lower)
    if word.kind not in CONTENT_CLASSES or "'" in lower or word.value in known["light"] or len(lower) < 2:
        return ""
    return word.value


def stems_of(items: Iterable[tuple[str, str, object]]) -> list[str]:
    """The stems of the words of a clause; empty for values and small words. A "load time" is a noun of its own, with
    `TIME` behind the stem of what takes it; a "response time" is a latency."""
    found: list[str] = []
    before = ""
    for kind, text, _ in items:
        lower = text.lower()
        timed = lower == "time" and before in lists()["timed"]
        found.append(_time_of(before) if timed else stem_of(text) if kind == "word" else "")
        before = lower
    return found


@cache
def _time_of(word: str) -> str:
    return classify("latency").value if word == "response" else classify(word).value + TIME


def is_calendar(text: str) -> bool:
    return text.lower() in lexicon().month or text.lower().rstrip("s") in lists()["days"]
