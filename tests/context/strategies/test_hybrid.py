"""The strategy `hybrid`: the deterministic part first, a summary behind it where one can be had."""

from __future__ import annotations

from functools import partial

from cfpm.context.strategies import hybrid, intent
from cfpm.context.strategies.types import Limits, Outcome, ProposedView, Request
from tests.context.strategies.histories import Agent, Event, User, compacted, notes, openai, ran

_SESSION: list[Event] = [
    User("Fix the cart total."),
    Agent("I look at it."),
    User("You must keep the port at 8080."),
    *(ran(f"pytest tests/test_{n}.py", f"{n + 1} passed in 0.1s " + "." * 150) for n in range(8)),
    Agent("I decided to use SQLite for the cart."),
    User("Now the tax."),
    Agent("I begin with the tax."),
]

_LIMITS = Limits(2_000, keep_first=2, keep_last=2, manual=True)


def _summary(prompt: str) -> str:
    return "The port must stay 8080, and the cart uses SQLite."


def test_the_calls_stand_before_the_summary() -> None:
    result = compacted(hybrid.compact, openai(_SESSION), _LIMITS, _summary)

    calls, summary, _ = notes(result)
    assert "- applied: bash pytest tests/test_7.py" in calls
    assert "The port must stay 8080" in summary
    assert calls in result.checkpoint
    assert summary in result.checkpoint


def test_the_deterministic_part_does_not_depend_on_the_summariser() -> None:
    with_one, without = (compacted(hybrid.compact, openai(_SESSION), _LIMITS, s) for s in (_summary, None))
    assert notes(with_one)[0] == notes(without)[0]


def test_without_a_summariser_what_was_said_is_extracted_and_no_call_is_told_twice() -> None:
    (_, said, _) = notes(compacted(hybrid.compact, openai(_SESSION), _LIMITS))

    assert "- rule: You must keep the port at 8080." in said
    assert "pytest" not in said


def test_when_the_summary_fails_the_deterministic_part_stands_with_the_marker() -> None:
    def broken(prompt: str) -> str:
        raise RuntimeError("away")

    result = compacted(hybrid.compact, openai(_SESSION), _LIMITS, broken)

    assert result.outcome is Outcome.FAILED
    calls, marker, said, _ = notes(result)
    assert "- applied: bash pytest tests/test_7.py" in calls
    assert "RuntimeError: away" in marker
    assert "You must keep the port at 8080." in said


def test_each_part_goes_on_from_its_own_note() -> None:
    first = compacted(hybrid.compact, openai(_SESSION), _LIMITS, _summary)
    prompts: list[str] = []

    def second_summary(prompt: str) -> str:
        prompts.append(prompt)
        return "The tax is done."

    later = openai([*[User("")] * 40, *_SESSION])[40:]
    second = compacted(hybrid.compact, [*first.messages, *later], _LIMITS, second_summary)

    calls, summary, _ = [note for note in notes(second) if note not in notes(first) or "CONTINUATION" in note]
    assert "16 applied" in calls
    assert "The port must stay" not in calls
    assert "The tax is done." in summary
    assert "The port must stay 8080" in prompts[0].split("</summary-so-far>")[0]
    assert "Tool calls, oldest first" not in prompts[0]


def test_the_deterministic_strategy_is_a_parameter() -> None:
    asked: list[int] = []

    def other(request: Request) -> ProposedView | None:
        asked.append(request.limits.max_tokens)
        return intent.compact(request)

    result = compacted(partial(hybrid.compact, deterministic=other), openai(_SESSION), _LIMITS, _summary)

    assert asked == [1_300]
    assert result.outcome is Outcome.COMPACTED


def test_a_view_that_is_barely_too_long_loses_some_of_its_summary_and_none_of_its_calls() -> None:
    limits = Limits(760, keep_first=2, keep_last=8)
    session = [
        *_SESSION[:-2],
        *(Agent(f"The tax of country {n} is {n + 7} percent, as the table says.") for n in range(30)),
    ]
    first = compacted(hybrid.compact, openai([*session, *_SESSION[-2:]]), limits)
    grown = [*first.messages, {"role": "assistant", "content": "I have read the table of taxes. " * 8}]
    second = compacted(hybrid.compact, grown, limits)

    assert second.outcome is Outcome.COMPACTED
    assert second.after_tokens <= 760 < second.before_tokens
    calls = [next(note for note in notes(result) if " intent:" in note) for result in (first, second)]
    assert calls[0] == calls[1]
