"""When a history is compacted, as a state machine that a host drives: one pure function from state to state. Touches no
message, and knows no time; `cfpm.context.driver` runs the compactions that it asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cfpm.context.rules import Rules, Size
from cfpm.context.states import (
    Asked,
    BeforeReply,
    Compact,
    Compacted,
    Compacting,
    Ended,
    EndTurn,
    Event,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    Record,
    State,
    Step,
    Stop,
    TurnEnded,
    Usage,
)
from cfpm.context.strategies.types import Compaction, Outcome
from cfpm.errors import UsageError

_PHRASES = frozenset({"Please compact this conversation", "/compact", "/summarize"})
"""The reference's phrases, section 5.1."""
_WITH_FOCUS = "/compact"


@dataclass(frozen=True, slots=True)
class CompactCommand:
    """A user asked for a compaction; `focus` is what it should keep in view, or empty."""

    focus: str = ""


def compact_command(text: str) -> CompactCommand | None:
    """What a user's message asks for: one of three phrases, or `/compact` with a focus behind it, and nothing else."""
    said = text.strip()
    if said in _PHRASES:
        return CompactCommand()
    command, *behind = said.split(maxsplit=1) or [""]
    return CompactCommand(behind[0]) if command == _WITH_FOCUS and behind else None


def prelude(limit: int, attempt: int, attempts: int) -> tuple[str, str]:
    """What a user sees before an attempt after a context-length error: what happened, and what is done about it."""
    return (
        f"The conversation no longer fits into the model's window of {limit:,} tokens.",
        f"Compacting it, attempt {attempt} of {attempts} ...",
    )


def final_message(limit: int, tried: int, attempts: int, problem: str) -> str:
    """The last message of a reply that no compaction could save, in English and Chinese. `tried` are the compactions
    that made it smaller."""
    because = f" ({problem})" if problem else ""
    if not tried:
        return (
            f"The conversation does not fit into the model's window of {limit:,} tokens, and no compaction makes it "
            f"smaller{because}. Please start a new session.\n"
            f"对话超出了模型 {limit:,} 个 token 的上下文上限，且无法再压缩。请开启新会话。"
        )
    return (
        f"The conversation does not fit into the model's window of {limit:,} tokens, and after {tried} of at most "
        f"{attempts} compactions it still does not{because}. Please start a new session.\n"
        f"对话超出了模型 {limit:,} 个 token 的上下文上限，压缩 {tried} 次（最多 {attempts} 次）后仍然超出。"
        "请开启新会话。"
    )


def spent_message(total: int, most: int) -> str:
    """The last message of a session that has used up its tokens, in English and Chinese."""
    return (
        f"This session has used {total:,} tokens, and may use {most:,} (setting max_total_tokens).\n"
        f"本会话已使用 {total:,} 个 token，上限为 {most:,}。"
    )


def step(rules: Rules, state: State, event: Event) -> Step:
    """The next state and what the host has to do.

    Raises UsageError for an event that cannot be in this state: a result nobody asked for, or anything else while a
    compaction is under way.
    """
    match event:
        case Compacted(compaction):
            if not isinstance(state, Compacting):
                raise _misplaced(state, event)
            return _compacted(rules, state, compaction)
        case _ if isinstance(state, Compacting):
            raise _misplaced(state, event)
        case BeforeReply():
            return _before_reply(rules, _fresh(state), event)
        case Overflowed(size):
            return Step(state, Stop(state.message)) if isinstance(state, Ended) else _recover(rules, state.record, size)
        case TurnEnded():
            return _turn_ended(rules, state.record, event)
        case Asked(reason, size, name, focus):
            return _unless_held_back(rules, state.record, reason, size, name, focus)


def _misplaced(state: State, event: Event) -> UsageError:
    problem = f"{type(event).__name__} while {type(state).__name__}"
    return UsageError("driving", problem, "Send Compacted after each Compact, and only then")


def _fresh(state: State) -> Record:
    """A message after an end begins a new reply. Else the attempts stand: they belong to a reply, and only an answer
    ends it."""
    return _answered(state.record) if isinstance(state, Ended) else state.record


def _answered(record: Record) -> Record:
    return replace(record, attempts=0, budget=None, shrunk=0)


def _before_reply(rules: Rules, record: Record, event: BeforeReply) -> Step:
    settings, size = rules.settings, event.size
    record = replace(record, turns=max(record.turns, event.turns))
    if command := compact_command(event.text):
        return _compact(rules, record, Reason.MANUAL, size, command.focus)
    if 0 < settings.max_total_tokens <= record.total:
        message = spent_message(record.total, settings.max_total_tokens)
        return Step(Ended(record, message), Stop(message, spent=True))
    if rules.is_over(size) and not record.savings.hold_back(size.view, settings):
        return _compact(rules, record, Reason.THRESHOLD, size)
    if 0 < settings.compact_after_turns <= event.turns:
        return _unless_held_back(rules, record, Reason.RESUME, size)
    return Step(Ready(record), Proceed())


def _turn_ended(rules: Rules, record: Record, event: TurnEnded) -> Step:
    settings = rules.settings
    usage, warning = record.usage.after(event.agent, event.input_tokens, settings)
    grace = record.grace
    total = record.total + max(0, event.input_tokens or 0) + max(0, event.output_tokens or 0)
    record = replace(_answered(record), turns=record.turns + 1, usage=usage, grace=False, total=total)
    if 0 < settings.max_turn_tokens < (event.input_tokens or 0):
        return replace(_compact(rules, record, Reason.TURN_TOO_LARGE, event.size), warning=warning)
    reason = _trigger(rules, record, event)
    if grace or reason is None:
        return Step(Ready(record), Proceed(), warning)
    return replace(_unless_held_back(rules, record, reason, event.size, event.milestone), warning=warning)


def _trigger(rules: Rules, record: Record, event: TurnEnded) -> Reason | None:
    """The first that applies, in the order of the reference (section 3.7 of context)."""
    if 0 < rules.settings.compact_after_turns <= record.turns:
        return Reason.TURNS
    if event.milestone:
        return Reason.MILESTONE
    return Reason.CUT_OVER if record.usage.over(event.agent, rules.settings) else None


def _unless_held_back(
    rules: Rules, record: Record, reason: Reason, size: Size, name: str = "", focus: str = ""
) -> Step:
    if record.grace or record.savings.hold_back(size.view, rules.settings):
        return Step(Ready(record), Proceed())
    return _compact(rules, record, reason, size, focus, name)


def _compact(rules: Rules, record: Record, reason: Reason, size: Size, focus: str = "", name: str = "") -> Step:
    budget = rules.budget(size)
    if reason is Reason.TURN_TOO_LARGE:
        budget = min(budget, rules.settings.max_turn_tokens)
    kept = rules.kept
    turns = kept.keep_turns or (rules.settings.compact_keep_turns if reason.forced else 0)
    limits = replace(
        kept,
        max_tokens=budget,
        manual=reason is Reason.MANUAL,
        forced=reason.forced,
        focus=focus,
        keep_turns=turns,
        reason=reason.value,
    )
    return Step(Compacting(record, reason, limits, size), Compact(reason, limits, name=name))


def _recover(rules: Rules, record: Record, size: Size, problem: str = "") -> Step:
    if record.attempts >= rules.attempts:
        return _end(rules, record, size, problem)
    budget = rules.recovery_budget(size, record.budget)
    record = replace(record, attempts=record.attempts + 1, budget=budget)
    # A request that was refused is too long, however few its messages are.
    limits = replace(rules.kept, max_tokens=budget, minimum=0, reason=Reason.RECOVERY.value)
    # Those that change nothing are not told, and have no number.
    notices = prelude(rules.limit(size), record.shrunk + 1, rules.attempts)
    return Step(Compacting(record, Reason.RECOVERY, limits, size), Compact(Reason.RECOVERY, limits, notices))


def _end(rules: Rules, record: Record, size: Size, problem: str) -> Step:
    message = final_message(rules.limit(size), record.shrunk, rules.attempts, problem)
    return Step(Ended(record, message), Stop(message))


def _compacted(rules: Rules, state: Compacting, compaction: Compaction) -> Step:
    before, after = compaction.before_tokens, compaction.after_tokens
    record = replace(state.record, grace=True, spent=state.record.spent + compaction.spent)
    if compaction.outcome is not Outcome.NOTHING:
        # One that had nothing to do is none: it says nothing of what the next will save, and ends no cycle.
        record = replace(record, turns=0, usage=Usage(), savings=record.savings.after(before, after, rules.settings))
    if state.reason is Reason.RECOVERY and compaction.changed:
        record = replace(record, shrunk=record.shrunk + 1)
    match state.reason, compaction.outcome:
        case Reason.MANUAL, _:
            return Step(Ready(record), EndTurn())
        case Reason.RECOVERY, Outcome.CANNOT_FIT:
            # What does not fit this budget does not fit a smaller one either.
            return _end(rules, record, replace(state.size, view=after), compaction.problem)
        case Reason.RECOVERY, (Outcome.NOTHING | Outcome.NOT_SMALLER):
            return _recover(rules, record, replace(state.size, view=after), compaction.problem)
        case _:
            return Step(Ready(record), Proceed())
