"""One pass through the sessions: what each method puts before each turn, what it held, and what it warned of."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.carryover.failures import Failures, Repeated, warned
from benchmarks.carryover.freshness import Gone, replaced_paths, with_replaced
from benchmarks.carryover.knowledge import Known, both, known
from benchmarks.carryover.ledger import Ledger
from benchmarks.carryover.methods import BUDGETS, BareList, Bm25, BriefAndRecall, Recalled, brief_of, has_brief
from benchmarks.carryover.scoring import Held, held
from cfpm import Memory, Settings, Status
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from benchmarks.carryover.knowledge import Statement
    from benchmarks.carryover.methods import Method
    from benchmarks.carryover.sessions import Session, Turn
    from benchmarks.compaction.names import Name

OURS, RECALL, BM25, NAMES = "ours", "recall", "bm25", "names"

METHODS = {
    OURS: "the brief made at the session's first turn (2/3 of the budget) and recall at each turn (what it leaves)",
    RECALL: "recall alone",
    BM25: "BM25 over earlier messages, each cut to 400 characters",
    NAMES: "reference only: a bare list of names by frequency and recency, which says nothing about them",
}
"""By name, with what each stands for."""

SHOWN_AT = 1_200
"""Tokens of what is looked at for warnings, for freshness and for the page."""

EVERYTHING = 100_000
"""Tokens of a brief in which all that it can say has room."""

PARTS = ("all", "last", "third")
"""The turns that are counted: of all sessions, of the last one, of the last third of them."""


@dataclass(frozen=True, slots=True)
class Case:
    """One turn that begins with a prompt. `new` is how many names the agent used for the first time in the session;
    `wanted` those of them that earlier sessions had used; `held` what each method held of these at each budget."""

    session: str
    turn: int
    new: int
    wanted: frozenset[Name]
    held: dict[tuple[str, int], Held]


@dataclass(frozen=True, slots=True)
class Shown:
    """For the page: what one turn was given and what the agent then used of earlier sessions."""

    query: str
    text: str
    wanted: frozenset[Name]
    held: Held


@dataclass(frozen=True, slots=True)
class Stale:
    """The lines of the brief at a session's start: how many, those that name a path that is gone and do not say so,
    those that name a path of which the newest fact was replaced."""

    lines: int
    gone: int
    replaced: int


@dataclass(slots=True)
class Found:
    """All that a pass counted."""

    sessions: int = 0
    counted: int = 0
    cases: list[Case] = field(default_factory=list)
    over_budget: Counter[str] = field(default_factory=Counter)
    """Texts that were longer than their budget, by method; they count as empty."""
    repeated: list[Repeated] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    all_known: Known | None = None
    brief_known: Known | None = None
    left: Known | None = None
    """Of the statements of each session those that a brief right after it says."""
    facts: int | None = None
    """Active facts at the end; None where no memory was asked."""
    has_brief: bool = False
    brief_seconds: list[float] = field(default_factory=list)
    observe_seconds: list[float] = field(default_factory=list)
    shown_brief: str = ""
    shown: list[Shown] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """The state of a pass. `writer` observes; `reader` answers, read-only, so that what is asked of it here does not
    change what is learnt: there is no recall in these transcripts."""

    found: Found
    methods: dict[str, Method]
    writer: Memory | None
    reader: Memory | None
    watched: str = ""
    ledger: Ledger = field(default_factory=Ledger)
    failures: Failures = field(default_factory=Failures)
    gone: Gone = field(default_factory=Gone)
    commands: set[str] = field(default_factory=set)

    def session(self, session: Session, counted: bool) -> None:
        """All turns of a session, measured before each is learnt."""
        self.ledger.begin()
        self.failures.begin()
        begun = False
        for turn in session.turns:
            if turn.query and counted:
                if not begun:
                    self._begin(turn.query, session.name == self.watched)
                    begun = True
                self._measure(turn)
            self._learn(turn)

    def _begin(self, query: str, watched: bool) -> None:
        for method in self.methods.values():
            method.begin(query)
        ours = self.methods.get(OURS)
        if isinstance(ours, BriefAndRecall) and self.writer is not None:
            brief = ours.make(query, SHOWN_AT)
            lines = [line.text for line in brief.lines]
            replaced = with_replaced(lines, replaced_paths(self.writer))
            self.found.stale.append(Stale(len(lines), len(self.gone.in_lines(lines)), len(replaced)))
            if watched:
                self.found.shown_brief = ours.briefs[SHOWN_AT].text

    def _measure(self, turn: Turn) -> None:
        wanted = self.ledger.wanted(turn)
        repeats = list(self.failures.repeated(turn))
        watched = turn.session == self.watched
        known_commands = self.commands | {name.text for name in wanted if name.kind == "command"}
        scores: dict[tuple[str, int], Held] = {}
        speaker = next(iter(self.methods))
        for name, method in self.methods.items():
            for budget in BUDGETS:
                at_hand = name == speaker and budget == SHOWN_AT
                if not (wanted or (at_hand and (repeats or watched))):
                    continue
                text = method.prompt(turn, budget, self.ledger)
                if estimated(text) > budget:
                    self.found.over_budget[name] += 1
                    text = ""
                scores[name, budget] = held(text, wanted, known_commands)
                if at_hand:
                    self.found.repeated += [warned(failure, text.splitlines()) for failure in repeats]
                    if watched:
                        self.found.shown.append(Shown(turn.query, text, wanted, scores[name, budget]))
        self.found.cases.append(Case(turn.session, turn.index, len(self.ledger.new(turn)), wanted, scores))

    def _learn(self, turn: Turn) -> None:
        if self.writer is not None:
            started = time.perf_counter()
            self.writer.observe(turn.messages, session=turn.session)
            self.found.observe_seconds.append(time.perf_counter() - started)
        for method in self.methods.values():
            method.learn(turn)
        self.ledger.learn(turn)
        self.failures.learn(turn)
        self.gone.learn(turn)
        self.commands |= {name.text for name in turn.used if name.kind == "command"}


def run(
    found: Sequence[Session],
    names: Collection[str],
    *,
    part: str = "all",
    watched: str = "",
    gold: Sequence[Statement] = (),
) -> Found:
    """The pass. `names` are of METHODS; `watched` is the session whose prompts are kept for the page; `gold` is looked
    for at the end. Without a method of the memory none is made."""
    first = first_counted(found, part)
    out = Found(sessions=len(found), counted=len(found) - first)
    with _memories(bool({OURS, RECALL} & set(names))) as (writer, reader):
        out.has_brief = reader is not None and has_brief(reader)
        state = Run(out, _methods(names, reader), writer, reader, watched)
        for place, session in enumerate(found):
            state.session(session, place >= first)
            own = [one for one in gold if one.session == session.file]
            if own and reader is not None and out.has_brief:
                lines = [line.text for line in brief_of(reader, None, SHOWN_AT).lines]
                out.left = both(out.left, known(own, lines))
        ours = state.methods.get(OURS)
        if isinstance(ours, BriefAndRecall):
            out.brief_seconds = ours.seconds
        if reader is not None:
            _finish(out, reader, gold)
    return out


def first_counted(found: Sequence[Session], part: str) -> int:
    """The place of the first session whose turns count; `part` is one of PARTS."""
    return {"all": 0, "last": len(found) - 1, "third": len(found) - max(1, len(found) // 3)}[part]


@contextmanager
def _memories(wanted: bool) -> Iterator[tuple[Memory | None, Memory | None]]:
    if not wanted:
        yield None, None
        return
    settings = Settings(durability="normal")
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
        url = f"sqlite:///{Path(folder) / 'memory.db'}"
        with (
            Memory.open(url, settings=settings) as writer,
            Memory.open(url, settings=settings, read_only=True) as reader,
        ):
            yield writer, reader


def _methods(names: Collection[str], reader: Memory | None) -> dict[str, Method]:
    made: dict[str, Method] = {}
    if reader is not None and OURS in names and has_brief(reader):
        made[OURS] = BriefAndRecall(reader)
    if reader is not None and RECALL in names:
        made[RECALL] = Recalled(reader)
    if BM25 in names:
        made[BM25] = Bm25()
    if NAMES in names:
        made[NAMES] = BareList()
    return made


def _finish(out: Found, reader: Memory, gold: Sequence[Statement]) -> None:
    """What the memory holds after all sessions."""
    facts = reader.facts(status=Status.ACTIVE)
    out.facts = len(facts)
    if not gold:
        return
    lines = [fact.content for fact in facts]
    if out.has_brief:
        lines += [line.text for line in brief_of(reader, None, EVERYTHING).lines]
        out.brief_known = known(gold, [line.text for line in brief_of(reader, None, SHOWN_AT).lines])
    out.all_known = known(gold, lines)
