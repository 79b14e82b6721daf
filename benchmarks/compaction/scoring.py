"""How much of the gold a view holds: plainly, and strictly, where a name must stand in a line that says something."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.compaction.names import Name, names, texts, without_names, word_list
from benchmarks.compaction.requests import FEWEST_WORDS, content_words, holds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.compaction.gold import Gold
    from benchmarks.compaction.requests import Sentence
    from cfpm.context.history import Entry

MOST_NAMES = 6
"""Names of which a written line, or lines that say the same, may tell something. Of the lines with names that agents
wrote themselves in the SpecStory sessions, 95 of 100 hold at most 3 and 997 of 1,000 at most 6: more is a list."""

_BULLETS = "-*•> "
_OPENING = re.compile(r"`?([^\s,`]+?)`?:?\s+\(?[a-z]+\b(?!_)")

KINDS = ("path", "identifier", "command", "decision")


@dataclass(frozen=True, slots=True)
class Original:
    """What a written message is held against: the messages that were there, and the lines of their texts
    that have at least three content words."""

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
            for part in entry.parts:
                if part.tool_result is None:
                    said.update(line for line in _lines(part.text) if len(content_words(line)) >= FEWEST_WORDS)
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
    """Which names a view holds at all, which in a line with a word, which in one that counts; and which sentences."""

    plain: set[Name] = field(default_factory=set)
    lined: set[Name] = field(default_factory=set)
    strict: set[Name] = field(default_factory=set)
    sentences: set[Sentence] = field(default_factory=set)


def kept(view: Sequence[Entry], gold: Gold, original: Original) -> Kept:
    """Reads a view, without its system messages."""
    out = Kept()
    commands = _commands(gold.known_commands)
    sentences = (*gold.decisions, *gold.asked)
    written: list[Written] = []
    for entry in view:
        verbatim = fingerprint(entry.raw) in original.messages
        for part in entry.parts:
            unchanged = frozenset[str]().union(*(original.by_call.get(key, ()) for key in _call_ids(part)))
            for line in (line for text in texts(part) for line in _lines(text)):
                found = names(line)
                if commands:
                    found |= {Name("command", match) for match in commands.findall(line)}
                out.plain |= found
                if verbatim or line in unchanged or line in original.said or line.lstrip(_BULLETS) in original.said:
                    out.strict |= found
                elif found:
                    written.append(Written.of(line, found))
                words = content_words(line)
                out.sentences.update(s for s in sentences if s not in out.sentences and holds(line, words, s))
    out.lined |= out.strict | {name for line in written if line.has_word for name in line.names}
    out.strict |= told(written)
    return out


@dataclass(frozen=True, slots=True)
class Written:
    """A line that a compaction wrote: its names, the one that it begins with and tells of, its other words."""

    names: frozenset[Name]
    subject: Name | None
    words: frozenset[str]

    @property
    def has_word(self) -> bool:
        """Whether the line by itself is no list: few names, and a word on them, were it only that they occur."""
        return len(self.names) <= MOST_NAMES and not (_saying() | _occurred()).isdisjoint(self.words)

    @classmethod
    def of(cls, line: str, found: Iterable[Name]) -> Written:
        """The parts of a line."""
        of_line = frozenset(found)
        rest = line
        for name in of_line:
            if name.kind == "command":
                rest = rest.replace(name.text, " ")
        words = frozenset(re.findall(r"[a-z]+", without_names(rest).lower()))
        return cls(of_line, _subject(line.lstrip(_BULLETS), of_line), words)


def told(lines: Iterable[Written]) -> set[Name]:
    """The names in lines that say what they are or what happened to them.

    Such a line has, besides its names, a word of `words.toml` for what happened, how it stands or what it is. Lines
    with the same other words and the same subject are one list, however it is broken; one of more than `MOST_NAMES`
    names besides the subject counts only where a line of it has a single one.
    """
    lists: dict[tuple[frozenset[str], Name | None], list[Written]] = {}
    for line in lines:
        if not _saying().isdisjoint(line.words):
            lists.setdefault((line.words, line.subject), []).append(line)
    out: set[Name] = set()
    for (_, subject), members in lists.items():
        every = {name for line in members for name in line.names if name != subject}
        for line in members:
            if len(every) <= MOST_NAMES or len(line.names - {subject}) <= 1:
                out |= line.names
    return out


def _subject(line: str, found: Iterable[Name]) -> Name | None:
    """The name at the beginning of a line, where a word follows it and no other name or comma."""
    if not (opening := _OPENING.match(line)):
        return next((name for name in found if name.kind == "command" and line.startswith(name.text)), None)
    first = names(opening[1])
    return next(iter(first)) if len(first) == 1 else None


@cache
def _saying() -> frozenset[str]:
    return frozenset((*word_list("happened"), *word_list("kinds")))


@cache
def _occurred() -> frozenset[str]:
    return frozenset(word_list("occurred"))


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
    """What one view holds of its gold. Counts by kind: how many there are, plainly there, in a line with a word, and
    strictly."""

    there: dict[str, int]
    plain: dict[str, int]
    lined: dict[str, int]
    strict: dict[str, int]
    asked: dict[str, int]
    asked_kept: dict[str, int]
    lost: tuple[str, ...] = ()
    """What the user asked for and the view lacks."""

    def share(self, how: str = "strict") -> float:
        """Of all that the rest uses again; `how` is `strict`, `lined` or `plain`."""
        got: dict[str, int] = getattr(self, how)
        return sum(got.values()) / sum(self.there.values())


def score(view: Sequence[Entry] | None, gold: Gold, original: Original) -> Score:
    """The score of a view; one that there is not, or that broke its budget, holds nothing."""
    found = kept(view, gold, original) if view is not None else Kept()
    decisions = sum(s in found.sentences for s in gold.decisions)
    return Score(
        _by_kind(gold.names, len(gold.decisions)),
        _by_kind(gold.names & found.plain, decisions),
        _by_kind(gold.names & found.lined, decisions),
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
