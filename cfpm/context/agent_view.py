"""What one agent is shown of a history that it shares with others: filters in a fixed order, declared once a name.

Changes no message; what is written instead of an old history is the business of `cfpm.context.strategies`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial

from cfpm.context.history import Raw
from cfpm.context.trims.files import cap_consumed_reads, drop_superseded_reads
from cfpm.context.trims.pairs import repair_pairs
from cfpm.context.trims.results import KEEP_GROUPS, RESULT_CAP, cap_results, keep_last_results
from cfpm.context.trims.trim import Trim, joined
from cfpm.context.trims.window import REPLY_CAP, Choice, Counted, cap_replies, filter_window, keep_last_messages
from cfpm.errors import UsageError

_REMEDY = "See docs/assembly.md, Agent views"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """What an agent sees. 0 switches a number off. Raises UsageError naming the field that cannot be.

    `text_only` leaves out calls and results; `exclude` are names of agents whose messages are left out, in any case;
    `max_turns` and `max_messages` are how many of the last ones stay, a `turn` being all that follows what a user says
    or all that one agent does until its reply; `warn_at` is the share of `max_messages` beyond which the trim carries a
    warning. `result_cap` are characters of a result, `overrides` the same by the name of a tool, `reply_cap` characters
    of an old reply. `pairs` are the last calls that keep their results.
    """

    text_only: bool = False
    exclude: Collection[str] = ()
    max_turns: int = 0
    turn: Counted = "agent"
    max_messages: int = 0
    warn_at: float = 0.8
    result_cap: int = RESULT_CAP
    overrides: Mapping[str, int] = field(default_factory=dict)
    reply_cap: int = REPLY_CAP
    pairs: int = KEEP_GROUPS

    def __post_init__(self) -> None:
        for name in ("max_turns", "max_messages", "result_cap", "reply_cap", "pairs"):
            _check(name, getattr(self, name), "a whole number, 0 for off", _is_count)
        _check("warn_at", self.warn_at, "a share from 0 to 1", _is_share)
        _check("turn", self.turn, "agent or user", lambda value: value in ("agent", "user"))
        _check("text_only", self.text_only, "true or false", lambda value: isinstance(value, bool))
        _check("exclude", self.exclude, "a list of names", _are_names)
        _check("overrides", self.overrides, "caps by the names of tools", _are_caps)

    @classmethod
    def of(cls, table: Mapping[str, object]) -> AgentView:
        """That of a table of a settings file. Raises UsageError for a name that there is not."""
        known = {one.name for one in fields(cls)}
        if unknown := sorted(table.keys() - known):
            raise UsageError(f"agent view {unknown[0]}", "there is no such field", f"Known are {', '.join(known)}")
        return cls(**table)  # type: ignore[arg-type]


def view(messages: Sequence[Raw], of: AgentView | None = None, *, pinned: Choice | None = None) -> Trim:
    """The messages as an agent sees them, always in this order: text only and excluded agents, turn age, tail cap,
    caps of results, reads of files that changed since, what was read again, old replies, the window of pairs; then
    whole pairs.

    What `pinned` says yes to is never left out by age or number. The very list comes back where nothing changed.
    """
    of = of or AgentView()
    whole = partial(
        filter_window,
        text_only=of.text_only,
        exclude=of.exclude,
        max_turns=of.max_turns or None,
        turn=of.turn,
        pinned=pinned,
    )
    steps: list[Callable[[Sequence[Raw]], Trim]] = [
        whole,
        partial(keep_last_messages, most=of.max_messages, warn_at=of.warn_at, pinned=pinned),
    ]
    if of.result_cap:
        steps += [partial(cap_results, cap=of.result_cap, overrides=of.overrides)]
        steps += [partial(cap_consumed_reads, min_saving=0), drop_superseded_reads]
    elif of.overrides:
        steps += [partial(cap_results, cap=0, overrides=of.overrides)]
    steps += [partial(cap_replies, keep=of.reply_cap)]
    if of.pairs:
        steps += [partial(keep_last_results, groups=of.pairs, trigger=0, pairs=True)]
    result = Trim(messages)
    for step in (*steps, repair_pairs):
        result = joined(result, step(result.messages))
    return result


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_names(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


def _are_caps(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) and _is_count(cap) for key, cap in value.items())


def _check(name: str, value: object, wanted: str, fits: Callable[[object], bool]) -> None:
    if not fits(value):
        raise UsageError(f"agent view {name}", f"not {wanted} (got {value!r})", _REMEDY)
