"""Rows of candidates and of events, in the order of their columns, from values of `cfpm.model` and back. Those of
messages and facts are in `rows`. Talks to no database."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.model import Action, Candidate, Decision, Event, Span
from cfpm.store.values import CATEGORY_NAMED, ROLE_NAMED, encode_json, moment, moment_text, rounded

if TYPE_CHECKING:
    from cfpm.store.statements import Row

_DECISIONS = {member.value: member for member in Decision}
_ACTIONS = {member.value: member for member in Action}


@lru_cache(maxsize=512)
def _marks_text(marks: tuple[str, ...]) -> str:
    return encode_json(marks)


@lru_cache(maxsize=4_096)
def _share_text(name: str, share: float) -> str:
    # The shares of features that are there or not are the same in most drafts.
    return encode_json((name, rounded(share)))


def _shares_text(shares: tuple[tuple[str, float], ...]) -> str:
    return f"[{','.join([_share_text(name, share) for name, share in shares])}]"


def candidate_row(candidate: Candidate) -> tuple[object, ...]:
    """In the order of CANDIDATE_COLUMNS."""
    return (
        candidate.id,
        candidate.namespace,
        candidate.session,
        candidate.turn,
        candidate.decision.value,
        candidate.reason,
        candidate.rule,
        candidate.detail,
        candidate.category.value,
        candidate.content,
        candidate.role.value,
        candidate.span.message_id,
        candidate.span.start,
        candidate.span.end,
        candidate.fact_id,
        float(candidate.confidence),
        candidate.extractor,
        _marks_text(candidate.marks) if candidate.marks else "",
        candidate.line,
        moment_text(candidate.event_time),
        candidate.validation_command,
        moment_text(candidate.created_at),
        candidate.reviewed,
        candidate.speaker,
        rounded(candidate.salience),
        _shares_text(candidate.shares) if candidate.shares else "",
    )


def candidate_from(row: Row) -> Candidate:
    """The reverse of `candidate_row`."""
    ident, namespace, session, turn, decision, reason, rule, detail, category, content, role = row[:11]
    message_id, start, end, fact_id, confidence, extractor, marks, line = row[11:19]
    event_time, command, created_at, reviewed, speaker, salience, shares = row[19:]
    return Candidate(
        ident,
        namespace,
        session,
        turn,
        _DECISIONS[decision],
        reason,
        rule,
        detail,
        CATEGORY_NAMED[category],
        content,
        ROLE_NAMED[role],
        Span(message_id, start, end),
        fact_id,
        confidence,
        extractor,
        tuple(json.loads(marks)) if marks else (),
        line,
        moment(event_time),
        command,
        moment(created_at),
        bool(reviewed),
        speaker,
        salience,
        tuple((name, share) for name, share in json.loads(shares)) if shares else (),
    )


def event_from(row: Row) -> Event:
    """From a row in the order of EVENT_COLUMNS."""
    namespace, number, fact_id, action, cause, at, before, after = row
    return Event(
        number,
        namespace,
        fact_id,
        _ACTIONS[action],
        cause,
        json.loads(before),
        json.loads(after),
        moment(at),
    )
