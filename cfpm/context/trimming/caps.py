"""Tool results of at most so many characters, head and tail kept, with other caps for single tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import cut
from cfpm.context.trimming.reading import Log, read_log
from cfpm.context.trimming.rewriting import Rewrite, Trim, rewrite_result, rewritten
from cfpm.context.trimming.tools import plain_name
from cfpm.errors import UsageError

RESULT_CAP = 16_000
"""Characters of a result that stay, about 4,000 tokens. A choice: nine in ten results of coding agents are shorter."""


def cap_results(
    messages: Sequence[Raw], cap: int = RESULT_CAP, *, overrides: Mapping[str, int | None] | None = None
) -> Trim:
    """Cuts results to `cap` characters of their own, the note on top; `overrides` are caps by the name of the tool, in
    any spelling. 0 and None mean that nothing is cut.

    What a cap leaves depends on the result alone, so that results may be capped as they come and stay in the prompt
    cache. Raises UsageError for a negative cap.
    """
    caps = {plain_name(name): _checked(value) for name, value in (overrides or {}).items()}
    return rewritten(messages, _capped(read_log(messages), _checked(cap), caps))


def _capped(log: Log, cap: int, caps: Mapping[str, int]) -> Iterator[Rewrite]:
    for result in log.results:
        own = caps.get(plain_name(result.call.tool.name), cap) if result.call else cap
        if own and len(result.text) > own:
            yield rewrite_result(result, cut(result.text, own))


def _checked(cap: int | None) -> int:
    if cap is not None and cap < 0:
        raise UsageError("cap", f"{cap} characters", "Pass a number above 0, or 0 for no cap")
    return cap or 0
