"""Makes a list fit before it is sent, by tokens and by bytes: for requests that cannot be sent again, such as streamed
ones. Keeps no log; what leaves is gone from this request only."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cfpm.context.history import Group, Kind, Raw, read_history
from cfpm.context.tokens import total_tokens
from cfpm.context.trims.pairs import repair_pairs
from cfpm.context.trims.retry import smaller
from cfpm.context.trims.tools import Tools
from cfpm.context.trims.trim import Trim, characters, joined
from cfpm.errors import UsageError
from cfpm.recall.tokens import Count, estimated


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a request takes: tokens by an estimate or a tokenizer, bytes as JSON in UTF-8."""

    tokens: int
    bytes: int

    def within(self, max_tokens: int | None, max_bytes: int | None) -> bool:
        """Whether it is no more than what is allowed; None allows all."""
        return (max_tokens is None or self.tokens <= max_tokens) and (max_bytes is None or self.bytes <= max_bytes)


def weigh(messages: Sequence[Raw], *, tools: Sequence[object] = (), count: Count = estimated) -> Weight:
    """What these messages and the schemas of the tools take."""
    schemas = _json(list(tools)) if tools else ""
    return Weight(
        total_tokens(messages, count) + (count(schemas) if schemas else 0),
        len(_json(list(messages)).encode("utf-8", "surrogatepass")) + len(schemas.encode("utf-8", "surrogatepass")),
    )


def fit(
    messages: Sequence[Raw],
    max_tokens: int | None = None,
    max_bytes: int | None = None,
    *,
    tools: Sequence[object] = (),
    count: Count = estimated,
    known: Tools | None = None,
) -> Trim:
    """The messages within so many tokens and bytes, the schemas of the `tools` included.

    Calls and results that lost each other go out first. Then results are cut to 4,000 and 500 characters; then the
    oldest exchanges leave, from a user's message on, system messages and checkpoints not among them; then calls and
    results. What fits as it is comes back as the same list. `problem` says by how much it does not fit where nothing
    helps. Raises UsageError without a limit, and for one below 1.
    """
    for name, limit in (("max_tokens", max_tokens), ("max_bytes", max_bytes)):
        if limit is not None and limit < 1:
            raise UsageError(name, str(limit), "Pass what the model or the server takes")
    if max_tokens is None and max_bytes is None:
        raise UsageError("fit", "no limit", "Pass max_tokens, max_bytes or both")

    def fits(tried: Sequence[Raw]) -> bool:
        return weigh(tried, tools=tools, count=count).within(max_tokens, max_bytes)

    whole = repair_pairs(messages)
    least = whole
    for trim in _tried(whole, fits, known):
        if fits(trim.messages):
            return trim
        least = trim
    weight = weigh(least.messages, tools=tools, count=count)
    return replace(least, problem=f"{weight.tokens:,} tokens and {weight.bytes:,} bytes at least")


def _tried(whole: Trim, fits: Callable[[Sequence[Raw]], bool], known: Tools | None) -> Iterator[Trim]:
    """Ever smaller lists: first all of it, then the newest of it with shorter results, last without calls."""
    yield whole
    *capped, texts = [joined(whole, trim) for _, trim in smaller(whole.messages, tools=known)] or [whole]
    yield from capped
    shortest = capped[-1] if capped else whole
    yield _newest(shortest, fits)
    yield texts
    yield _newest(texts, fits)


def _newest(trim: Trim, fits: Callable[[Sequence[Raw]], bool]) -> Trim:
    """The longest end that fits, behind the system messages and checkpoints; the shortest where none does."""
    groups = read_history(trim.messages, len).groups
    pinned = [group for group in groups if group.kind in (Kind.SYSTEM, Kind.NOTE)]
    spoken = [group for group in groups if group.kind not in (Kind.SYSTEM, Kind.NOTE, Kind.BROKEN)]

    def view(start: int) -> list[Raw]:
        # A slice in the midst of a turn has the message before it that opens the turn.
        opening = next((one for one in reversed(spoken[: start + 1]) if one.opens), None)
        begin = [opening] if opening is not None and not spoken[start].opens else []
        return _raws([*pinned, *begin, *spoken[start:]])

    if not spoken:
        return trim
    last = len(spoken) - 1
    start = bisect_left(range(last), True, key=lambda tried: fits(view(tried)))
    kept = view(start)
    gone = characters(trim.messages) - characters(kept)
    return joined(trim, Trim(kept, removed=len(trim.messages) - len(kept), saved=gone))


def _raws(groups: Sequence[Group]) -> list[Raw]:
    return [entry.raw for group in groups for entry in group.entries]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))
