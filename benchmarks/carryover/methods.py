"""What fills the prompt: our brief and recall, recall alone, BM25 over earlier messages, a bare list of names."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from benchmarks.compaction.names import texts
from benchmarks.queries.methods import K1, B, terms
from cfpm.model import Origin
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.carryover.ledger import Ledger
    from benchmarks.carryover.sessions import Turn
    from benchmarks.compaction.names import Name
    from cfpm import Memory

BUDGETS = (600, 1_200, 2_400)
"""Tokens of what is put into the prompt, by the estimate that the memory counts with."""

BRIEF_SHARE = 2 / 3
"""Of a budget, what the brief may take; recall gets what it leaves."""

CUT = 400
"""Characters of a message that BM25 finds and shows."""

FADE = 0.98
"""What a use of a name is worth for each turn that came after it, as in the compaction benchmark."""

_LOOKED_AT = 200
"""Messages, best first, that BM25 tries to fit into the budget."""


class Line(Protocol):
    """A line of a brief."""

    @property
    def section(self) -> str:
        """The heading that it stands under."""

    @property
    def text(self) -> str:
        """The line itself."""

    @property
    def id(self) -> str:
        """What opens its evidence."""


class Brief(Protocol):
    """What memory says at the start of a session."""

    @property
    def text(self) -> str:
        """All of it, as it goes into the prompt."""

    @property
    def tokens(self) -> int:
        """The size of the text."""

    @property
    def lines(self) -> Sequence[Line]:
        """Its lines, without headings."""


def has_brief(memory: Memory) -> bool:
    """Whether this version of the memory makes briefs."""
    return hasattr(memory, "brief")


def brief_of(memory: Memory, query: str | None, max_tokens: int) -> Brief:
    """The brief for the start of a session."""
    return cast("Brief", getattr(memory, "brief")(query=query, max_tokens=max_tokens))  # noqa: B009 (may be missing)


class Method(Protocol):
    """A way to fill the prompt. Goes through the sessions in order."""

    def begin(self, query: str) -> None:
        """A session begins, with this prompt."""

    def prompt(self, turn: Turn, budget: int, ledger: Ledger) -> str:
        """The text before a turn, of at most `budget` tokens."""

    def learn(self, turn: Turn) -> None:
        """Takes in a turn. The memory itself is told by the run."""


@dataclass(slots=True)
class Recalled:
    """Recall alone."""

    memory: Memory

    def begin(self, query: str) -> None:
        """Nothing is kept for a session."""

    def prompt(self, turn: Turn, budget: int, ledger: Ledger) -> str:
        """The block for what the user said."""
        return self.memory.recall(turn.query, max_tokens=budget).block

    def learn(self, turn: Turn) -> None:
        """The run tells the memory."""


@dataclass(slots=True)
class BriefAndRecall:
    """The brief made at a session's first turn and kept, and recall at each turn, together within the budget."""

    memory: Memory
    briefs: dict[int, Brief] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """Of each brief that was made."""

    def begin(self, query: str) -> None:
        """Makes the session's briefs."""
        self.briefs = {budget: self.make(query, int(budget * BRIEF_SHARE)) for budget in BUDGETS}

    def make(self, query: str | None, max_tokens: int) -> Brief:
        """A brief, and notes how long it took."""
        started = time.perf_counter()
        made = brief_of(self.memory, query, max_tokens)
        self.seconds.append(time.perf_counter() - started)
        return made

    def prompt(self, turn: Turn, budget: int, ledger: Ledger) -> str:
        """The session's brief and, below it, the block."""
        brief = self.briefs[budget]
        room = budget - brief.tokens - estimated("\n")
        shown = tuple(line.id for line in brief.lines)
        block = self.memory.recall(turn.query, max_tokens=max(0, room), exclude=shown).block
        return "\n".join(part for part in (brief.text, block) if part)

    def learn(self, turn: Turn) -> None:
        """The run tells the memory."""


@dataclass(slots=True)
class Bm25:
    """Earlier messages, also those that make calls or answer them, each cut to its beginning, best first."""

    documents: list[str] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    _postings: defaultdict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def begin(self, query: str) -> None:
        """Nothing is kept for a session."""

    def learn(self, turn: Turn) -> None:
        """Indexes the messages of a turn, without thinking."""
        for message in turn.messages:
            if message.origin is Origin.THINKING:
                continue
            text = "\n".join(texts(message))[:CUT].strip()
            words = Counter(terms(text))
            if not words:
                continue
            for word, times in words.items():
                self._postings[word].append((len(self.documents), times))
            self.documents.append(text)
            self._lengths.append(words.total())

    def prompt(self, turn: Turn, budget: int, ledger: Ledger) -> str:
        """The best that fit, none twice."""
        scores = self._scores(dict.fromkeys(terms(turn.query)))
        best = sorted(scores, key=lambda place: (-scores[place], place))[:_LOOKED_AT]
        return packed(dict.fromkeys(self.documents[place] for place in best), budget)

    def _scores(self, words: Iterable[str]) -> dict[int, float]:
        scores: defaultdict[int, float] = defaultdict(float)
        mean = sum(self._lengths) / max(1, len(self._lengths))
        for word in words:
            holding = self._postings.get(word, ())
            weight = math.log(1 + (len(self.documents) - len(holding) + 0.5) / (len(holding) + 0.5))
            for place, times in holding:
                fade = K1 * (1 - B + B * self._lengths[place] / mean)
                scores[place] += weight * times * (K1 + 1) / (times + fade)
        return scores


@dataclass(slots=True)
class BareList:
    """The names that were used, by frequency and recency, without those that the session names anyway: says nothing."""

    _weights: dict[Name, tuple[float, int]] = field(default_factory=dict)
    """Of each name its weight when it was last used, and the turn of that."""
    _turns: int = 0

    def begin(self, query: str) -> None:
        """Nothing is kept for a session."""

    def learn(self, turn: Turn) -> None:
        """Each name that the turn uses counts once more."""
        self._turns += 1
        for name in turn.used:
            self._weights[name] = (self._weight(name) + 1, self._turns)

    def prompt(self, turn: Turn, budget: int, ledger: Ledger) -> str:
        """One name a line."""
        left = [name for name in self._weights if name not in ledger.so_far and name not in turn.prompted]
        left.sort(key=lambda name: (-self._weight(name), name))
        return packed((name.text for name in left), budget, first_only=True)

    def _weight(self, name: Name) -> float:
        weight, last = self._weights.get(name, (0.0, 0))
        return weight * FADE ** (self._turns - last)


def packed(found: Iterable[str], budget: int, *, first_only: bool = False) -> str:
    """The texts that fit, one below the other; with `first_only` up to the first that does not."""
    chosen: list[str] = []
    room = budget
    for text in found:
        cost = estimated(text) + estimated("\n")
        if cost <= room:
            chosen.append(text)
            room -= cost
        elif first_only:
            break
    return "\n".join(chosen)
