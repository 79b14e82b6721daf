"""Long and old tool results made short: caps, repeated commands, a window of the last groups of calls, a budget of
tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cfpm.context.history import Raw
from cfpm.context.tokens import PER_MEDIUM
from cfpm.context.trims.calls import Log, Result, read_log
from cfpm.context.trims.placeholders import cut, is_note, note, sized
from cfpm.context.trims.tools import Tools, Work, known_tools
from cfpm.context.trims.trim import MIN_SAVING, TRIGGER_PART, Rewrite, Trim, characters, rewrite_result, rewritten
from cfpm.errors import UsageError
from cfpm.extractor.tools import plain_name
from cfpm.model.markers import TRIMMED_OPEN
from cfpm.recall.tokens import Count, estimated

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


def shorten_repeated_commands(
    messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None
) -> Trim:
    """Puts `succeeded` or `failed with exit code n` in place of a result when the same command was run again later in
    the same folder. Calls stay; the last run keeps its result, whatever it was."""
    return rewritten(messages, _repeated(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _repeated(log: Log, tools: Tools) -> Iterator[Rewrite]:
    later: set[tuple[str, str]] = set()
    answers = log.answers
    for call in reversed(log.calls):
        result = answers.get(call.order)
        if result is None or tools.work_of(call.tool) is not Work.SHELL:
            continue
        command = tools.command_of(call.tool)
        if command in later and not is_note(result.text):
            yield rewrite_result(result, _repeat_note(result))
        if command is not None:
            later.add(command)


def _repeat_note(result: Result) -> str:
    code = result.exit_code
    ended = "succeeded" if not result.failed else "failed" if code is None else f"failed with exit code {code}"
    return note(
        f"{ended}, output of {sized(len(result.text))} left out, the command was run again later", exit_code=code
    )


KEEP_GROUPS = 12
"""Groups of calls that keep their results; the reference recommends 8 to 16."""

TRIGGER = 200_000
"""Characters of a history that is taken for full when the host names no budget; the figure of the reference."""


def keep_last_results(
    messages: Sequence[Raw], groups: int = KEEP_GROUPS, *, trigger: int = TRIGGER, pairs: bool = False
) -> Trim:
    """Puts a note in place of each result older than the last `groups` groups; the calls of one message are one group.
    With `pairs` each call with its result counts by itself, also those beside each other in one message.

    Nothing changes before the whole list has reached 90 % of `trigger` characters, since rewriting costs the cached
    prompt; 0 means always. Raises UsageError for a negative number of groups.
    """
    if groups < 0:
        raise UsageError("groups", f"{groups}", "Pass 0 or more")
    log = read_log(messages)
    tools = known_tools()
    answered = [result.call.order for result in log.results if result.call is not None]
    newest = set(sorted(answered)[-groups:] if groups else ())
    rewrites = [
        rewrite_result(result, note(_said(tools.label_of(result.call.tool), result.text), exit_code=result.exit_code))
        for result in log.results
        if result.call and not is_note(result.text)
        if (result.call.order not in newest if pairs else result.call.group <= log.last_group - groups)
    ]
    trim = rewritten(messages, rewrites)
    if trim.changed and characters(messages) < TRIGGER_PART * trigger:
        return Trim(messages, held_back=trim.saved)
    return trim


def _said(label: str, text: str) -> str:
    return f"result of {label}, {sized(len(text))}, left out of the window"


PREVIEW = 160
"""Characters of an evicted result that its note shows; the figure of the reference."""

MANIFEST_LABELS = 5
"""Evicted calls that a manifest names, the newest."""

NEVER_EVICTED = 1
"""Groups that are never evicted: the model has not seen the last one yet. The reference keeps 20 results."""

_EVICTED = f"{TRIMMED_OPEN}evicted: "


def evict_results(
    messages: Sequence[Raw],
    max_tokens: int,
    *,
    keep_groups: int = NEVER_EVICTED,
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
    text = _eviction_note(result, tools)
    return text if len(text) < len(result.text) else None


def _eviction_note(result: Result, tools: Tools) -> str:
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
