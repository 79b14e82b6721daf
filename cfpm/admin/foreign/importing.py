"""Another program's memory goes through the auditor: each statement gets a verdict, and what was accepted is believed
as an agent's word. Reads no file: see `formats`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cfpm.model import Category, Decision, Draft, Message, Origin, Role, Span
from cfpm.model.ids import digest
from cfpm.pipeline.redaction import redacted
from cfpm.pipeline.turn import TurnPipeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfpm.admin.foreign.formats import Statement
    from cfpm.model import Candidate, Scope, Turn
    from cfpm.model.clock import Clock
    from cfpm.settings import Settings
    from cfpm.store.store import Store

_CONFIDENCE = 0.5
"""Of what another program wrote down: nobody can say here who said it."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What came of an import: the statements read, how many of them were there before, and the verdicts of the others
    in the order of the file."""

    read: int
    known: int
    verdicts: tuple[Candidate, ...]

    def count(self, decision: Decision) -> int:
        """How many have this verdict."""
        return sum(one.decision is decision for one in self.verdicts)


def session_of(kind: str) -> str:
    """The session in which the statements of a kind of memory stand."""
    return f"import:{kind}"


def import_foreign(
    store: Store, scope: Scope, settings: Settings, clock: Clock | None, kind: str, statements: Iterable[Statement]
) -> Audited:
    """Hands each statement to the auditor by itself, in the log as what a host tells; a second time changes nothing."""
    where = replace(scope, session=session_of(kind))
    pipeline = TurnPipeline(store, where, settings, clock, imports=_drafts)
    read, known = 0, 0
    names: list[str] = []
    for statement in statements:
        read += 1
        message = _message(kind, statement, settings)
        counts = pipeline.observe([message])
        if counts.messages:
            names.append(message.id)
        else:
            known += 1
    found = {one.span.message_id: one for one in store.candidates.find(where.namespace, session=where.session)}
    return Audited(read, known, tuple(found[name] for name in names if name in found))


def _message(kind: str, statement: Statement, settings: Settings) -> Message:
    # Not searched and not shown: what was accepted is a fact, and what was not is on record only.
    name = f"import_{digest(kind, statement.id, statement.text)}"
    message = Message(Role.ASSISTANT, statement.text, name, statement.at, origin=Origin.HOST_NOTICE)
    return redacted(message, settings.personal_numbers)


def _drafts(turn: Turn) -> Iterator[Draft]:
    for message in turn.messages:
        yield Draft(
            Category.NOTE,
            message.text,
            Span(message.id, 0, len(message.text)),
            message.role,
            turn.session.replace(":", "."),
            _CONFIDENCE,
            message.text,
        )
