"""What a log tells of a compaction."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from cfpm.context.boundaries import boundary
from cfpm.context.compaction.types import Limits
from cfpm.context.states import Reason
from cfpm.model.ids import digest
from tests.context.hosts import Compactions, said

LIMITS = Limits(4_000)


def dated(log: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**raw, "created_at": f"2026-03-01T10:{n:02}:00Z"} for n, raw in enumerate(log)]


def test_it_names_the_first_and_the_last_message_that_left() -> None:
    log = said(600)
    compaction = Compactions()(log, LIMITS)
    told = boundary(log, compaction, Reason.THRESHOLD)
    gone = [n for n, raw in enumerate(log) if raw not in compaction.messages]
    assert (told.first, told.last, told.compacted) == (gone[0], gone[-1], len(gone))
    assert told.compacted == compaction.compacted


def test_positions_are_those_of_the_whole_log_when_it_is_compacted_again() -> None:
    compactions = Compactions()
    log = [*compactions(said(600), LIMITS).log, *said(600)]
    compaction = compactions(log, LIMITS)
    told = boundary(log, compaction, Reason.TURNS)
    gone = [
        n
        for n, raw in enumerate(log)
        if raw.get("agent_visible") is not False and raw["content"] not in [m["content"] for m in compaction.messages]
    ]
    assert told.first is not None
    assert log[told.first].get("agent_visible") is not False
    assert told.last == gone[-1]


def test_it_is_json_with_the_digest_of_the_checkpoint() -> None:
    log = said(600)
    compaction = Compactions()(log, LIMITS)
    told = json.loads(json.dumps(boundary(log, compaction, Reason.MANUAL).to_json()))
    assert told["event"] == "compaction"
    assert (told["reason"], told["strategy"], told["outcome"]) == ("manual", "window", "compacted")
    assert (told["before_tokens"], told["after_tokens"]) == (compaction.before_tokens, compaction.after_tokens)
    assert told["digest"] == digest(compaction.checkpoint)


def test_its_time_comes_from_the_turns() -> None:
    log = dated(said(600))
    told = boundary(log, Compactions()(log, LIMITS), Reason.MANUAL)
    assert told.to_json()["at"] == "2026-03-01T10:19:00.000000Z"


def test_or_from_a_clock() -> None:
    moment = datetime(2026, 4, 1, tzinfo=UTC)
    log = dated(said(600))
    assert boundary(log, Compactions()(log, LIMITS), Reason.MANUAL, lambda: moment).at == moment


def test_without_either_it_has_none() -> None:
    log = said(600)
    assert boundary(log, Compactions()(log, LIMITS), Reason.MANUAL).to_json()["at"] is None


def test_one_that_changed_nothing_says_why() -> None:
    log = said(10, turns=2)
    told = boundary(log, Compactions()(log, LIMITS), Reason.TURNS)
    assert (told.compacted, told.first, told.last, told.digest) == (0, None, None, "")
    assert told.outcome == "nothing_to_compact"
    assert "fewer than 12" in told.problem
