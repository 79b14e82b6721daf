"""What an agent did, told in a line for a recalled call or result: the command or path, its end, what worked instead.

Of what a tool printed only the line that says how it ended is shown, as data. Ranks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm.extractor.calls import Verb, beginning, deeds_of, in_one_line, purposes, root_of
from cfpm.extractor.evidence import Evidence, ended_well
from cfpm.extractor.outcomes import failures
from cfpm.extractor.tool_output import gives_orders
from cfpm.extractor.tools import LOOKS, Work, of_this_machine, only_looks
from cfpm.model import Role
from cfpm.model.patterns import lazy_pattern
from cfpm.model.trust import Trust
from cfpm.store.search import content_words
from cfpm.text.foreign import orders_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from cfpm.extractor.calls import Deed
    from cfpm.extractor.evidence import Outcome
    from cfpm.model import LoggedMessage, ToolCall
    from cfpm.recall.quarantine import Quarantine
    from cfpm.store.store import Store

MAX_WHAT = 160
"""Characters of a command or path that a line shows; one in ten commands of real sessions is longer."""

MAX_SAID = 140
"""Characters of the line that says how it ended."""

CALLS_OF_ONE = 2
"""Calls of one message that are told, those that share most words with the question."""

_MOST_CALLS = 12
"""Calls of one message that are looked at; hosts start up to about ten at once."""

_BETWEEN = 4
"""Messages that may stand between calls and their results beside the results."""

_LATER = 24
"""Calls and results behind a failure among which that what worked instead is looked for: a dozen tries."""

_STEPS_NAMED = 2
"""Deeds that are named between a failure and the same command's success."""

_TELLING = 3
"""Words with letters of a line that says more than that something failed."""

_WORD = lazy_pattern(r"[^\W\d_]{2,}")

_DO = {
    Verb.RAN: "run",
    Verb.EDITED: "edit",
    Verb.WROTE: "write",
    Verb.REMOVED: "remove",
    Verb.MOVED: "move",
    Verb.READ: "read",
    Verb.CALLED: "call",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A deed as it is shown. `same` is equal for the same deed with the same kind of end, done at another time; `looks`
    is true when what came back is content, which says more than that it was looked at."""

    text: str
    at: datetime | None
    message_id: str
    same: tuple[str, bool]
    order: tuple[str, int, int]
    looks: bool


@dataclass(slots=True)
class Deeds:
    """Tells the deeds of one recall."""

    store: Store
    quarantine: Quarantine
    query: str
    _newest: dict[tuple[str, str, tuple[str, bool]], Told] = field(default_factory=dict)
    _by_result: dict[tuple[str, str, str], Told | None] = field(default_factory=dict)

    def of(self, turn: LoggedMessage) -> list[Told]:
        """The calls of a message, or the call that it answers, the best first; none for what is only said.

        Cheapest when asked for the messages that make calls before those that answer them.
        """
        if turn.message.role is Role.TOOL:
            return self._of_result(turn)
        calls = turn.message.tool_calls[:_MOST_CALLS]
        if not calls:
            return []
        results = self._results_of(turn)
        found = [told for call in calls if (told := self._told(turn, call, results.get(call.id)))]
        if len(found) > CALLS_OF_ONE:
            found.sort(key=lambda one: -self._shared(one.text))
        return found[:CALLS_OF_ONE]

    def newest(self, turn: LoggedMessage, told: Told) -> Told:
        """The last time that the same was done with the same kind of end, among all that `of` was asked for."""
        return self._newest.get((turn.namespace, turn.agent, told.same), told)

    def _of_result(self, turn: LoggedMessage) -> list[Told]:
        place = _place(turn)
        if place not in self._by_result:
            asked = self._call_of(turn)
            self._by_result[place] = self._told(*asked, turn) if asked else None
        told = self._by_result[place]
        return [told] if told else []

    def _call_of(self, turn: LoggedMessage) -> tuple[LoggedMessage, ToolCall] | None:
        wanted = turn.message.tool_result
        # Nearly every result follows its call at once.
        for many in (_BETWEEN, 2 * _MOST_CALLS):
            for before in self.store.log.actions(turn, many, backwards=True) if wanted else ():
                for call in before.message.tool_calls:
                    if wanted and call.id == wanted.call_id:
                        return before, call
        return None

    def _results_of(self, turn: LoggedMessage) -> dict[str, LoggedMessage]:
        """The results of the calls of a message by their ids, as far as they follow it."""
        calls = {call.id for call in turn.message.tool_calls}
        found: dict[str, LoggedMessage] = {}
        for many in (len(calls), 2 * len(calls) + _BETWEEN):
            for after in self.store.log.actions(turn, many):
                if (result := after.message.tool_result) is not None and result.call_id in calls:
                    found.setdefault(result.call_id, after)
            if len(found) == len(calls):
                break
        return found

    def _shared(self, text: str) -> int:
        words = set(content_words(text))
        return sum(word in words for word in content_words(self.query))

    def _told(self, caller: LoggedMessage, call: ToolCall, result: LoggedMessage | None) -> Told | None:
        """The line for a call and its result, which is kept for who asks for the result."""
        told = self._written(caller, call, result)
        if result is not None:
            self._by_result[_place(result)] = told
        if told is not None:
            kind = caller.namespace, caller.agent, told.same
            known = self._newest.get(kind)
            if known is None or _later(told, known):
                self._newest[kind] = told
        return told

    def _written(self, caller: LoggedMessage, call: ToolCall, result: LoggedMessage | None) -> Told | None:
        deeds = deeds_of(call)
        if deeds[0].verb is Verb.CALLED and not _told_argument(call):
            return None
        outcome = Evidence({call.id: call}).answered(result.message) if result is not None else None
        failed = outcome is not None and outcome.ok is False
        what = _what(deeds, call, failed=failed)
        text = f"{what}{self._ending(deeds, outcome, result)}"
        if failed and result is not None and call.command is not None:
            text += self._instead(call, result)
        if gives_orders(text) or self.store.tombstones.hides(caller.namespace, text, caller.message.name):
            return None
        last = result or caller
        return Told(
            text=text,
            at=last.message.created_at or caller.message.created_at,
            message_id=caller.message.id,
            same=(what, failed),
            order=(caller.session, caller.turn, caller.position),
            looks=outcome is not None and only_looks(call, outcome.work),
        )

    def _ending(self, deeds: Sequence[Deed], outcome: Outcome | None, result: LoggedMessage | None) -> str:
        """How it ended, as far as that is known."""
        if outcome is None or result is None:
            return ""
        said = self._said(outcome, result)
        if outcome.ok is False:
            code = outcome.message.tool_result.exit_code if outcome.message.tool_result else None
            return f": {said}" if said else f" (exit {code})" if code else ""
        parts = []
        if deeds[0].verb is Verb.RAN and ended_well(outcome):
            # What is gone says that it went well.
            parts = [_listed(deeds[1:])] if len(deeds) > 1 else []
        if not parts and deeds[0].verb in (Verb.RAN, Verb.CALLED):
            parts += [said] if said else ["ok"] if outcome.ok else []
        return f": {', '.join(parts)}" if parts else ""

    def _said(self, outcome: Outcome, result: LoggedMessage) -> str:
        """The line by which the tool said how it ended; nothing of what is content, nor of what orders its reader."""
        call, text = outcome.call, outcome.message.text
        name = call.name if call is not None and call.name else result.message.name
        if self.quarantine.trust.of_tool(name) is Trust.UNTRUSTED:
            return ""
        if outcome.ok is False:
            said = _failing_line(text) if of_this_machine(call) else ""
            return _quoted(said) if said and not _commands(said) else ""
        if outcome.work in LOOKS or outcome.work is Work.EDIT or only_looks(call, outcome.work):
            return ""
        if outcome.success is not None:
            kept = text[outcome.success.start : outcome.success.end]
            return "" if _commands(kept) else _short(kept, MAX_SAID)
        # No program's known words, so only what the quarantine leaves.
        last = _last_line(text)
        return _quoted(last) if last and last in self.quarantine.outside(result) else ""

    def _instead(self, call: ToolCall, result: LoggedMessage) -> str:
        """What worked in the place of a command that failed, or what was done before it worked."""
        done: list[str] = []
        calls: dict[str, ToolCall] = {}
        seen = 0
        for many in (_LATER // 4, _LATER):
            following = self.store.log.actions(result, many)
            for after in following[seen:]:
                calls |= {other.id: other for other in after.message.tool_calls}
                other = calls.get(after.message.tool_result.call_id) if after.message.tool_result else None
                if other is None or (outcome := Evidence({other.id: other}).answered(after.message)).ok is False:
                    continue
                if other.command == call.command:
                    return f"; worked after: {', '.join(done[-_STEPS_NAMED:])}" if done else "; worked later"
                if outcome.work in LOOKS:
                    continue
                what = _what(deeds_of(other), other, failed=False)
                if other.command is not None and _alike(call, other):
                    return f"; worked instead: {what.removeprefix('ran ')}"
                done.append(what)
            seen = len(following)
        return ""


def _place(turn: LoggedMessage) -> tuple[str, str, str]:
    return turn.namespace, turn.session, turn.message.id


def _commands(line: str) -> bool:
    return gives_orders(line) or next(orders_in(line, thorough=False), None) is not None


def _failing_line(text: str) -> str:
    """The line that says what went wrong: the first that a program opens with such words, else the last."""
    found = failures(text)
    # `Traceback (most recent call last):` only announces it, and `Exit code 1` says nothing of it.
    telling = (line for line in found if not line.endswith(":") and len(_WORD.findall(line)) >= _TELLING)
    return next(telling, "") or _last_line(text) or next(iter(found), "")


def _quoted(line: str) -> str:
    """What a tool said in words of its own, as a quotation."""
    return f'"{_short(line, MAX_SAID)}"'


def _later(one: Told, other: Told) -> bool:
    if one.at is not None and other.at is not None and one.at != other.at:
        return one.at > other.at
    return one.order > other.order


def _what(deeds: Sequence[Deed], call: ToolCall, *, failed: bool) -> str:
    """What was done, or tried."""
    first = deeds[0]
    if first.verb is Verb.CALLED:
        shown = f"{first.what}({_short(_told_argument(call), MAX_WHAT // 2)})"
    elif first.verb is Verb.RAN:
        shown = f"`{_short(in_one_line(first.what), MAX_WHAT)}`"
        if (root := root_of(call)) and root not in shown:
            shown += f" in {_short(root, MAX_WHAT // 2)}"
        return f"{shown} failed" if failed else f"ran {shown}"
    else:
        return f"failed to {_DO[first.verb]} {_listed(deeds).partition(' ')[2]}" if failed else _listed(deeds)
    return f"failed to {_DO[first.verb]} {shown}" if failed else f"{first.verb} {shown}"


def _told_argument(call: ToolCall) -> str:
    return next((value for value in call.arguments.values() if isinstance(value, str) and value.strip()), "")


def _listed(deeds: Sequence[Deed]) -> str:
    """ "edited a, b, removed c": a verb once for all that follow."""
    parts: list[str] = []
    verb = None
    for deed in deeds:
        named = (
            f"{_short(deed.what, MAX_WHAT)} to {_short(deed.to, MAX_WHAT)}" if deed.to else _short(deed.what, MAX_WHAT)
        )
        parts.append(named if deed.verb is verb else f"{deed.verb} {named}")
        verb = deed.verb
    return ", ".join(parts)


def _alike(one: ToolCall, other: ToolCall) -> bool:
    """Whether two commands are for the same: by what their steps are for, else by their first two words."""
    return not set(purposes(one)).isdisjoint(purposes(other)) or beginning(one) == beginning(other) != ()


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    return lines[-1] if lines else ""


def _short(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
