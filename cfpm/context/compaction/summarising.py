"""Asks the host's summariser, which may be a model that fails, hangs, or answers with nothing. Writes no prompt."""

from __future__ import annotations

import concurrent.futures
import contextvars
import threading
from dataclasses import dataclass

from cfpm.context.compaction.types import ContextTooLong, Summariser
from cfpm.recall.block import safe
from cfpm.secrets import redact

DEADLINE = 120.0
"""Seconds to wait for a summary; as the setting `summary_deadline`."""

MAX_REASON = 200
"""Characters of an error's words: enough for what went wrong, too few for what was sent."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no summary, in words for the marker."""

    reason: str


def ask(summarise: Summariser, prompt: str, deadline: float) -> str | Unanswered:
    """The summary, or why there is none; waits `deadline` seconds at most.

    Raises ContextTooLong when the prompt does not fit, and what ends the program or cancels the task. A call that hangs
    is left behind in its thread, which does not keep the program alive.
    """
    answer: concurrent.futures.Future[object] = concurrent.futures.Future()
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=_run, args=(context, summarise, prompt, answer), name="cfpm-summariser", daemon=True
    )
    thread.start()
    try:
        error = answer.exception(deadline)
    except TimeoutError:
        return Unanswered(f"no answer within {deadline:g} seconds")
    match error:
        case None:
            return _text(answer.result())
        case ContextTooLong() | concurrent.futures.CancelledError():
            raise error
        case Exception():
            return Unanswered(_worded(error))
        case _:
            raise error


def _worded(error: Exception) -> str:
    """An error's words on one line, short, without secrets: they go into the view and into the log."""
    return safe(redact(f"{type(error).__name__}: {error}").text, MAX_REASON)


def refused(size: int, room: int, given: int) -> Unanswered | None:
    """Why a summary of this size is not used: it is no shorter than what it stands for, or longer than its room. All
    in tokens."""
    if size >= given:
        return Unanswered(f"the summary has {size} tokens, what it stands for {given}")
    if size > room:
        return Unanswered(f"the summary has {size} tokens, and {room} were left for it")
    return None


def _run(
    context: contextvars.Context, summarise: Summariser, prompt: str, answer: concurrent.futures.Future[object]
) -> None:
    try:
        answer.set_result(context.run(summarise, prompt))
    except BaseException as error:  # noqa: BLE001 (the end of a thread: told to whoever waits)
        answer.set_exception(error)


def _text(answer: object) -> str | Unanswered:
    if not isinstance(answer, str):
        return Unanswered(f"the answer was of type {type(answer).__name__}, not a text")
    return answer.strip() or Unanswered("the answer was empty")
