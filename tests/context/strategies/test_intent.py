"""The strategy `intent`: the calls of the middle, one line each, continued from note to note."""

from __future__ import annotations

from cfpm.context.strategies import intent
from cfpm.context.strategies.notes import checkpoint
from cfpm.context.strategies.types import Limits, Outcome
from tests.context.strategies.histories import (
    Agent,
    Call,
    Event,
    User,
    anthropic,
    compacted,
    edited,
    notes,
    openai,
    ran,
)

_WORK: list[Event] = [
    User("Fix the cart total."),
    Agent("I look at it."),
    *(edited(f"src/part{n}.py") for n in range(6)),
    ran("pytest -q", "Exit code 1\nFAILED tests/test_cart.py::test_total"),
    *(ran("pytest -q", "12 passed in 0.3s " + "." * 200) for _ in range(4)),
    Agent("All tests pass."),
]


def _limits(max_tokens: int = 2_000, keep_last: int = 2) -> Limits:
    return Limits(max_tokens, keep_last=keep_last, manual=True)


def test_each_call_of_the_middle_has_a_line_in_order_with_counts_and_advice() -> None:
    (note,) = notes(compacted(intent.compact, openai(_WORK), _limits()))

    lines = note.split("\n")
    assert lines[1] == "Tool calls, oldest first: 10 applied, 1 failed, 0 pending."
    assert lines[2:8] == [f"- applied: edit src/part{n}.py (turn 1)" for n in range(6)]
    assert lines[8] == "- failed: bash pytest -q (exit 1: FAILED tests/test_cart.py::test_total) (turn 1)"
    assert lines[-2] == intent.ADVICE


def test_both_forms_give_the_same_note() -> None:
    of_openai, of_anthropic = (compacted(intent.compact, form(_WORK), _limits()) for form in (openai, anthropic))
    assert notes(of_openai)[0].split("\n")[1:] == notes(of_anthropic)[0].split("\n")[1:]


def test_a_pending_call_is_warned_of() -> None:
    events: list[Event] = [_WORK[0], _WORK[1], ran("deploy staging", None), User("Go on."), *_WORK[2:]]
    (note,) = notes(compacted(intent.compact, openai(events), _limits()))

    assert "- pending: bash deploy staging" in note
    assert "Warning: 1 of them had no result." in note


def test_a_call_that_waits_at_the_end_stays_for_its_result() -> None:
    events: list[Event] = [*_WORK, ran("deploy staging " + "now " * 200, None)]
    result = compacted(intent.compact, openai(events), _limits(500, keep_last=1))

    assert "deploy staging" in str(result.messages[-1])
    assert "deploy" not in result.checkpoint


def test_a_prior_list_goes_on_and_is_not_nested() -> None:
    first = compacted(intent.compact, openai(_WORK), _limits())
    more: list[Event] = [
        User("Now the tax."),
        ran("pytest tests/test_tax.py", "4 passed in 0.2s " + "." * 200),
        ran("git commit -m tax"),
        Agent("Done."),
        User("Thanks."),
    ]
    messages = openai([*[User("")] * 50, *more])[50:]
    second = compacted(intent.compact, [*first.messages, *messages], _limits(keep_last=1))

    (note,) = [note for note in notes(second) if note.startswith("<<<")]
    assert note.count("<<<CFPM_CHECKPOINT_V1") == 1
    assert "stands for 29 earlier messages" in note
    assert "12 applied, 1 failed" in note
    assert note.index("src/part0.py") < note.index("git commit")


def test_when_there_are_too_many_repeats_become_one_line_and_then_the_oldest_leave() -> None:
    events: list[Event] = [User("Go."), Agent("Yes."), *(ran(f"make part{n // 2}") for n in range(80)), Agent("Done.")]
    result = compacted(intent.compact, openai(events), _limits(400))

    (note,) = notes(result)
    assert "- applied x2: bash make part39" in note
    assert "part0\n" not in note
    shown = sum(2 for line in note.split("\n") if line.startswith("- applied x2"))
    assert f"({80 - shown} older calls are not shown)" in note
    assert "80 applied" in note
    assert result.after_tokens <= 400


def test_the_count_of_calls_that_are_not_shown_goes_on() -> None:
    events: list[Event] = [User("Go."), Agent("Yes."), *(ran(f"make part{n}") for n in range(80)), Agent("Done.")]
    first = compacted(intent.compact, openai(events), _limits(400))
    more = openai([*[User("")] * 90, *(ran(f"make test{n}") for n in range(40)), Agent("Done.")])[90:]
    second = compacted(intent.compact, [*first.messages, *more], _limits(400))

    shown = second.checkpoint.count("- applied")
    assert f"({120 - shown} older calls are not shown)" in second.checkpoint
    assert "120 applied" in second.checkpoint


def test_the_request_that_is_being_worked_on_is_quoted_when_it_leaves() -> None:
    events: list[Event] = [User("Hello."), Agent("Yes?"), User("Fix the cart total."), *_WORK[2:]]
    assert "Asked last: Fix the cart total." in notes(compacted(intent.compact, openai(events), _limits()))[0]


def test_what_the_user_said_beside_a_result_is_heard() -> None:
    aside = Agent("", (Call("bash", {"command": "ls"}),), aside="Leave the tax alone.")
    events: list[Event] = [User("Hello."), Agent("Yes?"), aside, *_WORK[2:]]
    assert "Asked last: Leave the tax alone." in notes(compacted(intent.compact, anthropic(events), _limits()))[0]


def test_a_checkpoint_of_another_form_is_taken_over() -> None:
    other = checkpoint("summary", 30, ["The port is 8080.", "  - never 80"])
    messages = openai(_WORK)
    (note,) = notes(compacted(intent.compact, [*messages[:2], other, *messages[2:]], _limits()))

    assert "Noted earlier: The port is 8080." in note
    assert "Noted earlier: - never 80" in note
    assert note.count("<<<CFPM_CHECKPOINT_V1") == 1


def test_without_calls_it_says_so() -> None:
    events: list[Event] = [
        event for n in range(8) for event in (User(f"question {n} " + "x " * 50), Agent(f"answer {n} " * 20))
    ]
    (note, _) = notes(compacted(intent.compact, openai(events), _limits(keep_last=4)))
    assert "Tool calls, oldest first: 0 applied, 0 failed, 0 pending." in note


def test_thinking_and_its_signature_stay_whole_or_leave() -> None:
    events: list[Event] = [
        _WORK[0],
        *(Agent("", (Call("bash", {"command": f"make {n}"}, "x " * 40),), thinking="hm " * 5) for n in range(9)),
    ]
    messages = anthropic(events)
    result = compacted(intent.compact, messages, _limits(600, keep_last=4))

    assert result.outcome is Outcome.COMPACTED
    assert "hm hm" not in result.checkpoint
    assert all(message in messages for message in result.messages if not str(message["content"]).startswith("<<<"))


def test_a_history_within_the_budget_is_left_alone_unless_somebody_asks() -> None:
    messages = openai(_WORK)
    assert compacted(intent.compact, messages, Limits(2_000, minimum=0)).outcome is Outcome.NOTHING
    assert compacted(intent.compact, messages, Limits(2_000, minimum=0, manual=True)).outcome is Outcome.COMPACTED
