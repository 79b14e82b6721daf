"""Sending again after a context-length error, with less each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from cfpm.context.history import Raw
from cfpm.context.trims.calls import read_log
from cfpm.context.trims.context_errors import is_context_error
from cfpm.context.trims.files import cap_consumed_reads
from cfpm.context.trims.pairs import keep_text
from cfpm.context.trims.placeholders import note
from cfpm.context.trims.results import cap_results
from cfpm.context.trims.tools import Tools
from cfpm.context.trims.trim import Trim, characters, together
from cfpm.errors import UsageError

Answer = TypeVar("Answer")

RESULT_CAPS = (4_000, 500)
"""Characters of a result in the first and the second stage, the figures of the reference. The third has no results."""

STAGES = len(RESULT_CAPS) + 1

_LEFT_OUT = note("the results of the last tool calls were left out to fit the model's window, go on without them")


@dataclass(frozen=True, slots=True)
class Sent(Generic[Answer]):
    """What a host's model answered, and what it was asked in the end: `stage` is 0 when the whole list fitted."""

    answer: Answer
    stage: int
    trim: Trim


def trim_stage(messages: Sequence[Raw], stage: int, *, tools: Tools | None = None) -> Trim:
    """The list with results cut to 4,000 characters (stage 1) or 500 (2), or as texts alone (3).

    Always give it the whole list: stages do not build on each other. Where the list ended with results, the third puts
    a user's message in their place, since most providers refuse a list that ends with an assistant. Raises UsageError
    for another stage.
    """
    if not 1 <= stage <= STAGES:
        raise UsageError("stage", str(stage), f"Pass 1 to {STAGES}")
    if stage == STAGES:
        return _texts(messages)

    def consumed(given: Sequence[Raw]) -> Trim:
        return cap_consumed_reads(given, min_saving=0, tools=tools)

    def capped(given: Sequence[Raw]) -> Trim:
        return cap_results(given, RESULT_CAPS[stage - 1])

    return together(messages, (consumed, capped), min_saving=0)


def smaller(messages: Sequence[Raw], *, tools: Tools | None = None) -> Iterator[tuple[int, Trim]]:
    """The stages that make a list smaller than the stage before did, with their numbers: for hosts that send by
    themselves, for example asynchronously."""
    saved = 0
    for stage in range(1, STAGES + 1):
        trim = trim_stage(messages, stage, tools=tools)
        if trim.saved > saved:
            saved = trim.saved
            yield stage, trim


def send_with_retries(
    send: Callable[[Sequence[Raw]], Answer],
    messages: Sequence[Raw],
    is_context_error: Callable[[Exception], bool] = is_context_error,
    *,
    tools: Tools | None = None,
) -> Sent[Answer]:
    """Calls `send` with the list and, while it raises what `is_context_error` takes for a context-length error (by
    default by the words of the known providers), again with less: at most three times more.

    Any other error is passed on at once, and so is the last one when nothing smaller is left to send.
    """
    left = smaller(messages, tools=tools)
    stage, trim = 0, Trim(messages)
    while True:
        try:
            return Sent(send(trim.messages), stage, trim)
        except Exception as error:
            following = next(left, None) if is_context_error(error) else None
            if following is None:
                raise
            stage, trim = following


def _texts(messages: Sequence[Raw]) -> Trim:
    left = keep_text(messages)
    results = read_log(messages).results
    ended = bool(results) and results[-1].place.message == len(messages) - 1
    if not (ended and left.messages and left.messages[-1].get("role") == "assistant"):
        return left
    closing: Raw = {"role": "user", "content": _LEFT_OUT}
    saved = left.saved - characters([closing])
    if saved <= 0:
        return Trim(messages)
    return replace(left, messages=[*left.messages, closing], saved=saved)
