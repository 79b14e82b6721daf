"""Streams records into sessions and turns, hands each turn to its observer, and adds up what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from cfpm.model import Decision, Message
from cfpm.model.ids import Identifier
from cfpm.pipeline.redaction import Redactor, session_without_secrets
from cfpm.pipeline.report import Report
from cfpm.pipeline.turn import TurnCounts, TurnPipeline
from cfpm.secrets import redact
from cfpm.transcript.records import Problem, Record
from cfpm.transcript.sessions import begins_turn


def take_in(
    records: Iterable[Record | Problem], pipeline: Callable[[str], TurnPipeline], facts: Callable[[], int]
) -> Report:
    """Observes all records; sessions may be mixed. `pipeline` makes the one of a session, `facts` counts at the end."""
    sessions: dict[str, _Session] = {}
    problems: list[Problem] = []
    total = _Total()
    for record in records:
        if isinstance(record, Problem):
            problems.append(_told(record))
            continue
        name = session_without_secrets(record.session)
        session = sessions.get(name)
        if session is None:
            session = sessions[name] = _Session(pipeline(name), Identifier(name))
        for counts in session.take(record.message):
            total.add(counts)
    for session in sessions.values():
        for counts in session.finish():
            total.add(counts)
    return total.report(len(sessions), facts(), tuple(problems))


def _told(problem: Problem) -> Problem:
    source, place, text = (redact(part).text for part in (problem.source, problem.place, problem.problem))
    return replace(problem, source=source, place=place, problem=text)


@dataclass(slots=True)
class _Total:
    numbers: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, counts: TurnCounts) -> None:
        self.numbers["turns"] += counts.new_turn
        self.numbers["messages"] += counts.messages
        self.numbers["pruned"] += counts.pruned
        self.numbers["forgotten"] += counts.forgotten
        self.numbers["unrecorded"] += counts.unrecorded
        self.numbers.update({decision.value: count for decision, count in counts.decisions.items()})
        self.reasons.update(counts.reasons)

    def report(self, sessions: int, facts: int, problems: tuple[Problem, ...]) -> Report:
        numbers = self.numbers
        return Report(
            sessions=sessions,
            turns=numbers["turns"],
            messages=numbers["messages"],
            accepted=numbers[Decision.ACCEPTED],
            merged=numbers[Decision.MERGED],
            superseded=numbers[Decision.SUPERSEDED],
            rejected=numbers[Decision.REJECTED],
            pruned=numbers["pruned"],
            facts=facts,
            rejected_by_reason=dict(sorted(self.reasons.items())),
            problems=problems,
            forgotten=numbers["forgotten"],
            unrecorded=numbers["unrecorded"],
        )


@dataclass(slots=True)
class _Session:
    """One session while its messages stream in: collects a turn, then hands it over."""

    pipeline: TurnPipeline
    identifier: Identifier
    turn: list[Message] = field(default_factory=list)
    redactor: Redactor = field(init=False)

    def __post_init__(self) -> None:
        self.redactor = Redactor(self.pipeline.settings.personal_numbers, self.pipeline.said_last)

    def take(self, message: Message) -> Iterator[TurnCounts]:
        message = self.identifier.named(self.redactor.redacted(message))
        if self.turn and begins_turn(message):
            yield from self.finish()
        self.turn.append(message)

    def finish(self) -> Iterator[TurnCounts]:
        if self.turn:
            turn, self.turn = self.turn, []
            yield self.pipeline.observe(turn)
