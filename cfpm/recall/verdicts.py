"""What memory thinks of the words of a message that it recalls: believed, refused, or outdated. Ranks nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model import Role, Status
from cfpm.model.patterns import lazy_pattern
from cfpm.store.search import content_words
from cfpm.text.parts import parts
from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cfpm.model import Fact, LoggedMessage
    from cfpm.recall.items import RecallItem
    from cfpm.store.store import Store

UNPROVED = "claimed, not proved"
JEST = "said in jest"
SUPPOSED = "hypothetical"
HEARSAY = "hearsay"
OUTDATED = "outdated"

_WORDS = {"verified_action_unconfirmed": UNPROVED, "contradicted": "contradicted", "hypothetical": SUPPOSED}
"""For the reason codes under which words were refused because they are not so. Other refusals say only that the words
are not worth keeping."""

_OF_RULES = {"in_jest": JEST, "hearsay": HEARSAY}
"""For the rules that find jokes (under `hypothetical`), and other people's word (under `quoted`, like quotations)."""

_MAX_CHAIN = 16
"""Replacements that are followed from an old value to the one that is believed."""

_LEAST = 2
"""Words that say something which must be left of a message to be shown without the rest."""

_CLEARLY = 0.25
"""How much more of the query a doubted message must hold than all else to be shown, with its mark, as the only answer:
a quarter of a question is a word or two of it."""

_ECHO = 0.5
"""Share of the content words of an agent's sentence that an outdated fact of the turn holds, from which the sentence
only says it again."""

_COMMA = lazy_pattern(r"[,;]\s+|[，；、]")

_MAX_NEWER = 120
"""Characters of the newer value that stand in a mark."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A stretch of a message, as offsets, and what is to be said of it.

    `newer` is the fact that took its place, None when nothing is believed in its place.
    """

    start: int
    end: int
    word: str
    newer: Fact | None = None

    @property
    def misleads(self) -> bool:
        """True for what was refused or is outdated; a supposition says itself that it is one."""
        return self.word != SUPPOSED

    def says_more(self, text: str, believed: Iterable[Fact]) -> bool:
        """True for what is outdated and says several things, of which the newer value may replace one, unless one of
        the facts learnt from the text says the rest."""
        if self.word != OUTDATED or self.newer is None:
            return False
        said = text[self.start : self.end]
        return len(parts(said)) > 1 and not any(fact.content in said for fact in believed)

    def mark(self) -> str:
        """As it stands before the words: what is cut at the end of a line cuts no mark off."""
        if self.newer is None:
            return f"[{self.word}]"
        said = self.newer.content
        return f"[{self.word}, now: {said if len(said) <= _MAX_NEWER else f'{said[: _MAX_NEWER - 1]}…'}]"


def judged(store: Store, turns: Sequence[LoggedMessage]) -> Mapping[int, tuple[Judged, ...]]:
    """For the places in `turns` of messages of which something is not believed: which stretches, in order, apart."""
    found: dict[int, list[Judged]] = {}
    for doubt in store.candidates.doubted(turns, (*_WORDS, "quoted")):
        turn = turns[doubt.place]
        if not 0 <= doubt.start < doubt.end <= len(turn.message.text):
            continue
        if doubt.superseded is not None:
            one = Judged(doubt.start, doubt.end, OUTDATED, _believed_instead(store, turn.namespace, doubt.superseded))
        elif word := _OF_RULES.get(doubt.rule) or _WORDS.get(doubt.reason):
            one = Judged(doubt.start, doubt.end, word)
        else:
            continue
        found.setdefault(doubt.place, []).append(one)
    for place, one in _echoed(store, turns):
        found.setdefault(place, []).append(one)
    return {place: _apart(stretches) for place, stretches in found.items()}


def _echoed(store: Store, turns: Sequence[LoggedMessage]) -> Iterator[tuple[int, Judged]]:
    """Sentences in which an agent said again what it had just been told, and which is outdated: "Noted: the 7:32"."""
    places = [place for place, turn in enumerate(turns) if turn.message.role is Role.ASSISTANT]
    for at, name, said in store.candidates.superseded_beside([turns[place] for place in places]):
        place = places[at]
        turn = turns[place]
        newer = _believed_instead(store, turn.namespace, name)
        old = set(content_words(said))
        gone = old.difference(content_words(newer.content) if newer else ())
        text = turn.message.text
        for one in sentences(text):
            for start, end in ((one.start, one.end), *_clauses(text, one.start, one.end)):
                words = content_words(text[start:end])
                known = sum(word in old for word in words)
                if known >= _LEAST and known >= _ECHO * len(words) and not gone.isdisjoint(words):
                    yield place, Judged(start, end, OUTDATED, newer)
                    if (start, end) == (one.start, one.end):
                        break


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a sentence between commas, as agents sum up what they were told: "the red door, quay 9, at noon"."""
    cuts = [start, *(found.end() for found in _COMMA.finditer(text, start, end)), end]
    if len(cuts) > 2:
        yield from ((begin, stop) for begin, stop in pairwise(cuts) if text[begin:stop].strip())


def _believed_instead(store: Store, namespace: str, name: str) -> Fact | None:
    """What is believed where this fact was; None when that was superseded by nothing, or forgotten."""
    for _ in range(_MAX_CHAIN):
        fact = store.facts.get(namespace, name) if name else None
        if fact is None or fact.status is not Status.SUPERSEDED:
            return None if fact is None or fact.status is Status.FORGOTTEN else fact
        name = fact.superseded_by
    return None


def _apart(found: Sequence[Judged]) -> tuple[Judged, ...]:
    """In order, without what lies in another one."""
    kept: list[Judged] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end, one.word)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def moved(stretches: Sequence[Judged], whole: str, shown: str) -> Sequence[Judged]:
    """The stretches as they lie in what is shown of the whole text; those that are not shown are left out."""
    if shown == whole:
        return stretches
    found, at = [], 0
    for one in stretches:
        words = whole[one.start : one.end]
        if (start := shown.find(words, at)) >= 0:
            at = start + len(words)
            found.append(replace(one, start=start, end=at))
    return found


def within(stretches: Sequence[Judged], text: str, part: str) -> list[Judged]:
    """The stretches, or what is left of them, as they lie in a part of the text."""
    begins = text.find(part)
    cut = (replace(one, start=max(one.start - begins, 0), end=min(one.end - begins, len(part))) for one in stretches)
    return [one for one in cut if one.start < one.end]


def without(text: str, stretches: Sequence[Judged]) -> str:
    """The text without the stretches that mislead, suppositions marked; empty when next to nothing is left."""
    if not stretches:
        return text
    if not any(one.misleads for one in stretches):
        return marked(text, stretches)
    kept, at = [], 0
    for one in stretches:
        kept.append(text[at : one.start])
        if not one.misleads:
            kept.append(f"{one.mark()} {text[one.start : one.end]}")
        at = one.end
    left = "".join([*kept, text[at:]])
    return left if len(content_words(left)) >= _LEAST else ""


def marked(text: str, stretches: Sequence[Judged]) -> str:
    """The text with a mark before each stretch."""
    shown, at = [], 0
    for one in stretches:
        shown.append(f"{text[at : one.start]}{one.mark()} {text[one.start : one.end]}")
        at = one.end
    return "".join([*shown, text[at:]])


def worth_showing(items: Sequence[RecallItem]) -> list[RecallItem]:
    """Without messages of which nothing is believed, unless they hold clearly more of the query than all others."""
    best = max((item.fit for item in items if not item.doubt), default=0.0)
    return [item for item in items if not item.doubt or item.fit >= best + _CLEARLY]
