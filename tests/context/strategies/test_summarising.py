"""A summariser that fails, hangs, answers with nothing or with too much: the session goes on, nothing is lost."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from benchmarks.compaction.provider_rules import refused
from cfpm.context.strategies import segmented
from cfpm.context.strategies.summariser import Unanswered, ask
from cfpm.context.strategies.types import Compaction, ContextTooLong, Limits, Outcome, Spend, Summary
from cfpm.model import Origin
from cfpm.transcript.messages import parse_messages
from tests.context.strategies.histories import Agent, Event, User, compacted, openai, ran
from tests.processes import HUNG

_SESSION: list[Event] = [
    User("Fix the cart total."),
    Agent("I look at it."),
    User("You must keep the port at 8080."),
    *(ran(f"pytest tests/test_{n}.py", f"{n + 1} passed in 0.1s " + "." * 150) for n in range(8)),
    Agent("It is done."),
    User("Now the tax."),
    Agent("I begin with the tax."),
]

_LIMITS = Limits(2_000, keep_first=2, keep_last=2, manual=True)


def _raises(error: BaseException) -> Callable[[str], str]:
    def summarise(prompt: str) -> str:
        raise error

    return summarise


_RELEASED = threading.Event()


@pytest.fixture(autouse=True)
def _no_thread_is_left_behind() -> Iterator[None]:
    yield
    _RELEASED.set()
    for thread in threading.enumerate():
        if thread.name == "cfpm-summariser":
            thread.join()
    _RELEASED.clear()


def _never(prompt: str) -> str:
    _RELEASED.wait()
    return ""


def _compacted(summarise: Callable[[str], str]) -> Compaction:
    deadline = 0.05 if summarise is _never else HUNG
    return compacted(partial(segmented.compact, deadline=deadline), openai(_SESSION), _LIMITS, summarise)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("summarise", "reason"),
    [
        (_raises(RuntimeError("the model is away")), "RuntimeError: the model is away"),
        (_raises(TimeoutError("read timed out")), "TimeoutError: read timed out"),
        (_never, "no answer within 0.05 seconds"),
        (lambda prompt: "", "the answer was empty"),
        (lambda prompt: "  \n\t", "the answer was empty"),
        (lambda prompt: None, "of type NoneType"),
        (lambda prompt: {"summary": "done"}, "of type dict"),
        (lambda prompt: prompt * 3, "tokens, what it stands for"),
    ],
    ids=["raises", "times out", "hangs", "empty", "blank", "none", "no text", "more than it was given"],
)
def test_a_fault_leaves_a_marker_and_what_could_be_extracted(summarise: Callable[[str], str], reason: str) -> None:
    messages = openai(_SESSION)
    result = _compacted(summarise)

    assert result.outcome is Outcome.FAILED
    assert result.changed
    assert reason in result.problem
    marker, extract = result.messages[2], result.messages[3]
    assert marker["role"] == "user"
    assert str(marker["content"]).startswith(
        "[CFPM_COMPACTION_FAILED_V1] The summary of messages 3 to 20 could not be made"
    )
    assert reason in str(marker["content"])
    assert "Trust the files" in str(marker["content"])
    assert "You must keep the port at 8080." in str(extract["content"])
    assert not refused(result.messages)
    assert [m["content"] for m in result.log if m["user_visible"]] == [m["content"] for m in messages]


def test_a_summary_longer_than_its_room_is_refused() -> None:
    limits = Limits(300, keep_first=2, keep_last=2, manual=True)
    result = compacted(segmented.compact, openai(_SESSION), limits, lambda prompt: "word " * 300)

    assert result.outcome is Outcome.FAILED
    assert "were left for it" in result.problem
    assert result.after_tokens <= 300


def test_the_words_of_an_error_are_short_and_without_secrets() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    result = _compacted(_raises(ValueError(f"bad key {secret}\n" + "x" * 5_000)))

    assert "bad key [redacted:" in result.checkpoint
    assert result.problem in result.checkpoint
    assert "x" * 300 not in result.checkpoint
    assert "a1B2" not in result.checkpoint


def test_a_marker_is_nobodys_words() -> None:
    marker = _compacted(_raises(RuntimeError("you must never stop"))).messages[2]
    assert [part.origin for part in parse_messages([marker])] == [Origin.HOST_NOTICE]


def test_after_a_fault_a_compaction_changes_nothing_until_something_is_new() -> None:
    result = _compacted(_raises(RuntimeError("away")))
    assert (
        compacted(segmented.compact, result.messages, _LIMITS, lambda prompt: "All is well.").outcome is Outcome.NOTHING
    )


def test_the_next_compaction_replaces_marker_and_extract_by_a_summary() -> None:
    result = _compacted(_raises(RuntimeError("away")))
    later = openai([*[User("")] * 40, *_SESSION])[40:]
    prompts: list[str] = []

    def summarise(prompt: str) -> str:
        prompts.append(prompt)
        return "The port must stay 8080."

    second = compacted(segmented.compact, [*result.messages, *later], _LIMITS, summarise)

    assert second.outcome is Outcome.COMPACTED
    assert "You must keep the port at 8080." in prompts[0].split("</summary-so-far>")[0]
    assert "CFPM_COMPACTION_FAILED" not in str(second.messages)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
def test_what_ends_the_program_or_cancels_the_task_goes_on_up(error: BaseException) -> None:
    with pytest.raises(type(error)):
        _compacted(_raises(error))


def test_a_prompt_that_is_too_long_is_told_to_the_caller() -> None:
    with pytest.raises(ContextTooLong):
        ask(_raises(ContextTooLong()), "prompt", 5)


def test_a_summariser_sees_the_context_of_its_caller() -> None:
    request = contextvars.ContextVar("request", default="none")
    request.set("r-7")
    assert ask(lambda prompt: request.get(), "prompt", 5) == Summary("r-7", Spend())


def test_a_coroutine_is_no_summary() -> None:
    async def summarise(prompt: str) -> str:
        return "done"

    made = summarise("prompt")
    answer = ask(lambda prompt: made, "prompt", 5)  # type: ignore[arg-type, return-value]
    made.close()
    assert answer == Unanswered("the answer was of type coroutine, not a text")
