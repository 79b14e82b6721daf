"""A budget of tokens for tool results: the oldest are evicted first, and only as many as needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cfpm.context.history import Raw
from cfpm.context.tokens import PER_MEDIUM
from cfpm.context.trimming.notes import is_note, note, sized
from cfpm.context.trimming.reading import Log, Result, read_log
from cfpm.context.trimming.rewriting import Trim, rewrite_result, rewritten
from cfpm.context.trimming.tools import Tools, known_tools
from cfpm.errors import UsageError
from cfpm.model.markers import TRIMMED_OPEN
from cfpm.recall.tokens import Count, estimated

PREVIEW = 160
"""Characters of an evicted result that its note shows; the figure of the reference."""

MANIFEST_LABELS = 5
"""Evicted calls that a manifest names, the newest."""

KEEP_GROUPS = 1
"""Groups that are never evicted: the model has not seen the last one yet. The reference keeps 20 results."""

_EVICTED = f"{TRIMMED_OPEN}evicted: "


def evict_results(
    messages: Sequence[Raw],
    max_tokens: int,
    *,
    keep_groups: int = KEEP_GROUPS,
    count: Count = estimated,
    tools: Tools | None = None,
) -> Trim:
    """Evicts results from the oldest on until all results together take at most `max_tokens`, never those of the last
    `keep_groups` groups. A note says which call it was and how its result began; media stay, and count.

    `manifest` names what was evicted, now or before, for the host to show to the model. `problem` says when the budget
    is out of reach. Raises UsageError for a negative number.
    """
    if max_tokens < 0 or keep_groups < 0:
        raise UsageError("budget", f"{max_tokens} tokens, {keep_groups} groups", "Pass numbers of 0 or more")
    tools = tools or known_tools()
    log = read_log(messages)
    notes = {result.place: text for result in log.results if (text := _evicted(result, log, keep_groups, tools))}
    total = sum(PER_MEDIUM * r.media + count(notes.get(r.place, r.text)) for r in log.results)
    rewrites = {
        result.place: rewrite_result(result, notes[result.place]) for result in log.results if result.place in notes
    }
    # From the newest on, what fits is kept: so only texts that stay are counted, which is what takes time.
    for result in reversed(log.results):
        if result.place not in notes:
            continue
        more = count(result.text) - count(notes[result.place])
        if total + more > max_tokens:
            break
        total += more
        del rewrites[result.place]
    trim = rewritten(messages, rewrites.values())
    problem = f"results take {total} tokens, the budget is {max_tokens}" if total > max_tokens else ""
    manifest = _manifest([r for r in log.results if r.place in rewrites or r.text.startswith(_EVICTED)], log, tools)
    return replace(trim, manifest=manifest, problem=problem)


def _evicted(result: Result, log: Log, keep_groups: int, tools: Tools) -> str | None:
    """The note for a result that may be evicted and takes less room then."""
    if result.call is None or result.call.group > log.last_group - keep_groups or is_note(result.text):
        return None
    text = _note(result, tools)
    return text if len(text) < len(result.text) else None


def _note(result: Result, tools: Tools) -> str:
    label = tools.label_of(result.call.tool) if result.call else ""
    begun = " ".join(result.text[: 4 * PREVIEW].split())[:PREVIEW]
    said = f"evicted: {label}, {sized(len(result.text))}, begins: {begun} … Call it again if it is needed"
    return note(said, exit_code=result.exit_code)


def _manifest(evicted: Sequence[Result], log: Log, tools: Tools) -> str:
    if not evicted:
        return ""
    labels = [tools.label_of(result.call.tool) for result in evicted if result.call][-MANIFEST_LABELS:]
    more = len(evicted) - len(labels)
    named = ", ".join(reversed(labels)) + (f" and {more} more" if more > 0 else "")
    return f"Tool results in view: {len(log.results) - len(evicted)}; evicted: {len(evicted)} ({named})."
