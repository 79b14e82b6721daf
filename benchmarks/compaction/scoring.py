"""How much of the gold a view holds: plainly, and strictly, where a name must stand in a line that says something."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.compaction.asked import FEWEST_WORDS, content_words, holds
from benchmarks.compaction.names import Name, names, texts, without_names, word_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.compaction.asked import Sentence
    from benchmarks.compaction.gold import Gold
    from cfpm.context.history import Entry

MOST_NAMES = 6
"""Names in a written line. Of the lines with names that the agents of the SpecStory sessions wrote themselves, 95 of
100 hold at most 3 and 997 of 1,000 at most 6: what holds more is a list."""

KINDS = ("path", "identifier", "command", "decision")


@dataclass(frozen=True, slots=True)
class Original:
    """What a written message is held against: the messages that were there, and the lines that somebody said."""

    messages: frozenset[str]
    said: frozenset[str]
    by_call: dict[str, frozenset[str]]
    """The lines of each call and its result, by the call's id."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Original:
        """From the history that is compacted."""
        messages: set[str] = set()
        said: set[str] = set()
        by_call: dict[str, set[str]] = {}
        for entry in entries:
            messages.add(fingerprint(entry.raw))
            said.update(line for line in _lines(entry.said) if len(content_words(line)) >= FEWEST_WORDS)
            for part in entry.parts:
                for call_id in _call_ids(part):
                    by_call.setdefault(call_id, set()).update(line for text in texts(part) for line in _lines(text))
        return cls(frozenset(messages), frozenset(said), {key: frozenset(lines) for key, lines in by_call.items()})


def fingerprint(raw: object) -> str:
    """Equal for equal dicts."""
    return json.dumps(raw, sort_keys=True, ensure_ascii=False, default=str)


def _call_ids(part: object) -> list[str]:
    calls = [call.id for call in getattr(part, "tool_calls", ())]
    result = getattr(part, "tool_result", None)
    return [*calls, result.call_id] if result else calls


def _lines(text: str) -> list[str]:
    return [line for raw in text.splitlines() if (line := " ".join(raw.split()))]


@dataclass(slots=True)
class Kept:
    """Which names a view holds at all, which in a line that counts, and which sentences."""

    plain: set[Name] = field(default_factory=set)
    strict: set[Name] = field(default_factory=set)
    sentences: set[Sentence] = field(default_factory=set)


def kept(view: Sequence[Entry], gold: Gold, original: Original) -> Kept:
    """Reads a view, without its system messages."""
    out = Kept()
    commands = _commands(gold.known_commands)
    sentences = (*gold.decisions, *gold.asked)
    for entry in view:
        verbatim = fingerprint(entry.raw) in original.messages
        for part in entry.parts:
            unchanged = frozenset[str]().union(*(original.by_call.get(key, ()) for key in _call_ids(part)))
            for line in (line for text in texts(part) for line in _lines(text)):
                found = (
                    names(line) | {Name("command", match) for match in commands.findall(line)}
                    if commands
                    else names(line)
                )
                out.plain |= found
                if found and (verbatim or line in unchanged or tells(line, found, original.said)):
                    out.strict |= found
                words = content_words(line)
                out.sentences.update(s for s in sentences if s not in out.sentences and holds(line, words, s))
    return out


def tells(line: str, found: Iterable[Name], said: frozenset[str]) -> bool:
    """Whether a written line says what its names are or what happened to them.

    It does when it is a line that somebody said; or when it holds at most `MOST_NAMES` names and, besides them, a word
    of `words.toml` for what happened, how it stands, or what it is.
    """
    if line.lstrip("-*•> ") in said or line in said:
        return True
    of_line = set(found)
    if len(of_line) > MOST_NAMES:
        return False
    rest = line
    for name in of_line:
        if name.kind == "command":
            rest = rest.replace(name.text, " ")
    return not _saying().isdisjoint(re.findall(r"[a-z]+", without_names(rest).lower()))


@cache
def _saying() -> frozenset[str]:
    return frozenset((*word_list("happened"), *word_list("kinds")))


@cache
def _commands(known: frozenset[str]) -> re.Pattern[str] | None:
    """Finds the commands of the session, the longest first."""
    if not known:
        return None
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(re.escape(text) for text in sorted(known, key=lambda t: (-len(t), t)))})(?!\w)"
    )


@dataclass(frozen=True, slots=True)
class Score:
    """What one view holds of its gold. Counts by kind: how many there are, plainly there, and strictly."""

    there: dict[str, int]
    plain: dict[str, int]
    strict: dict[str, int]
    asked: dict[str, int]
    asked_kept: dict[str, int]
    lost: tuple[str, ...] = ()
    """What the user asked for and the view lacks."""

    def share(self, *, strict: bool) -> float:
        """Of all that the rest uses again."""
        got = self.strict if strict else self.plain
        return sum(got.values()) / sum(self.there.values())


def score(view: Sequence[Entry] | None, gold: Gold, original: Original) -> Score:
    """The score of a view; one that there is not, or that broke its budget, holds nothing."""
    found = kept(view, gold, original) if view is not None else Kept()
    decisions = sum(s in found.sentences for s in gold.decisions)
    return Score(
        _by_kind(gold.names, len(gold.decisions)),
        _by_kind(gold.names & found.plain, decisions),
        _by_kind(gold.names & found.strict, decisions),
        _by_sort(gold.asked),
        _by_sort([s for s in gold.asked if s in found.sentences]),
        tuple(f"{s.kind}: {s.text}" for s in gold.asked if s not in found.sentences),
    )


def _by_kind(found: Iterable[Name], decisions: int) -> dict[str, int]:
    every = [name.kind for name in found]
    return {kind: decisions if kind == "decision" else every.count(kind) for kind in KINDS}


def _by_sort(found: Iterable[Sentence]) -> dict[str, int]:
    every = [sentence.kind for sentence in found]
    return {kind: every.count(kind) for kind in ("goal", "rule")}
