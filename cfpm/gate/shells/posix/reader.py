"""Reads commands of POSIX shells (bash, sh, dash, zsh) for the gate: which known folders they ask for, and where.

A look-alike becomes a probe only where the grammar confirms a place that is known to be right. Replaces nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, Effect, How, Probe, Reading, Seen
from cfpm.gate.shells.posix.detection import Spot, spots

if TYPE_CHECKING:
    from cfpm.gate.shells.posix.effects import Effects
    from cfpm.gate.shells.posix.places import Place


def read(command: str, dialect: Dialect) -> Reading:
    """The probes and look-alikes of a command. Never raises, whatever the text."""
    looks = spots(command)
    if not looks:
        return Reading()
    from cfpm.gate.shells.posix.effects import effects_of
    from cfpm.gate.shells.posix.grammar import parsed
    from cfpm.gate.shells.posix.places import places
    from cfpm.gate.shells.posix.reads import effect_of

    root = parsed(command, dialect)
    if isinstance(root, Reason):
        return Reading.of(Seen(spot.start, spot.end, root) for spot in looks)
    effects = effects_of(root, command)
    found = [_judged(spot, place, effects, dialect) for spot, place in places(root, command, looks)]
    probing = any(isinstance(one, Probe) for one in found)
    return Reading.of(found, effect_of(root, command) if probing else Effect.ACTS)


def _judged(spot: Spot, place: Place | Reason, effects: Effects, dialect: Dialect) -> Probe | Seen:
    found = place if isinstance(place, Reason) else _probe(spot, place, effects, dialect)
    return Seen(spot.start, spot.end, found) if isinstance(found, Reason) else found


def _probe(spot: Spot, place: Place, effects: Effects, dialect: Dialect) -> Probe | Reason:
    from cfpm.gate.shells.posix.commands import is_pattern_option
    from cfpm.gate.shells.posix.words import match_probe

    # dash and sh take `export X=~/y` for an argument, in which no tilde is expanded.
    tilde = not (place.declared and dialect in (Dialect.SH, Dialect.DASH))
    match = match_probe(place.word, spot, assignment=place.assignment, tilde=tilde)
    if isinstance(match, Reason):
        return match
    if place.declared and "{" in place.word.command[match.end : place.word.end]:
        return Reason.UNSUPPORTED_PLACE  # bash makes several words of it, and then expands no tilde in them
    if is_pattern_option(match.assigned_to):
        return Reason.PATTERN
    if dialect is Dialect.ZSH and spot.how is not How.HOME and place.word.command.startswith(":", match.end):
        return Reason.UNSUPPORTED_PLACE  # `$name:h` is a modifier there
    if spot.how is How.SYSTEM and effects.asks_status:
        return Reason.UNSUPPORTED_PLACE  # `$?` would be that of another command
    if effects.touch(spot):
        return Reason.HOME_CHANGED
    command = place.command
    if command is not None and effects.redefine(command):
        return Reason.UNSUPPORTED_PLACE
    return Probe(
        folder=spot.folder,
        name=spot.name,
        how=spot.how,
        start=match.start,
        end=match.end,
        variables=spot.variables,
        write=partial(
            match.write, history=place.history, splits=not place.assignment or (place.declared and not tilde)
        ),
    )
