"""The strategy `window`: a slice from a user's message to the end, notes pinned, nothing written."""

from __future__ import annotations

from cfpm.context.history import read_history
from cfpm.context.strategies import window
from cfpm.context.strategies.notes import checkpoint
from cfpm.context.strategies.types import Limits, Outcome, Request
from cfpm.recall.tokens import estimated
from tests.context.strategies.histories import Agent, Event, User, compacted, notes, openai, ran

_TALK: list[Event] = [event for n in range(10) for event in (User(f"question {n}"), Agent(f"answer {n} " + "x " * 30))]


def _limits(max_tokens: int) -> Limits:
    return Limits(max_tokens, minimum=0)


def test_the_oldest_exchanges_leave_until_the_budget_holds() -> None:
    result = compacted(window.compact, openai(_TALK), _limits(200))

    assert [message["content"] for message in result.messages if message["role"] == "user"] == [
        "question 6",
        "question 7",
        "question 8",
        "question 9",
    ]
    assert result.after_tokens <= 200


def test_nothing_is_written() -> None:
    assert not notes(compacted(window.compact, openai(_TALK), _limits(200)))


def test_a_history_within_the_budget_is_left_alone() -> None:
    assert compacted(window.compact, openai(_TALK), _limits(100_000)).outcome is Outcome.NOTHING


def test_the_request_of_a_long_turn_stays_before_its_last_calls() -> None:
    calls = [ran(f"make step{n}", "built " * 20) for n in range(20)]
    result = compacted(window.compact, openai([User("Build it all."), *calls]), _limits(250))

    assert result.messages[0]["content"] == "Build it all."
    assert "step19" in str(result.messages[-2])
    assert len(read_history(result.messages, estimated).groups) > 2


def test_notes_stay_wherever_they_stand() -> None:
    note = checkpoint("summary", 12, ["The port is 8080."])
    messages = openai(_TALK)
    result = compacted(window.compact, [*messages[:4], note, *messages[4:]], _limits(250))

    assert result.messages[0] == note
    assert result.messages[1]["role"] == "user"


def test_system_messages_stay_and_do_not_count() -> None:
    system = {"role": "system", "content": "rule " * 500}
    result = compacted(window.compact, [system, *openai(_TALK)], _limits(200))

    assert result.messages[0] == system
    assert result.after_tokens <= 200


def test_at_least_one_group_stays_even_when_it_does_not_fit() -> None:
    messages = openai([User("a question"), Agent("y " * 500)])
    draft = window.compact(Request(read_history(messages, estimated), _limits(100)))

    assert draft is not None
    assert draft.last
    result = compacted(window.compact, messages, _limits(100))
    assert result.outcome is Outcome.CANNOT_FIT
    assert "the budget is 100" in result.problem
