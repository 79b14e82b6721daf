"""The tokens of each turn, as they are kept for a chart: one JSON object a line. Draws nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from cfpm.errors import InputError


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one agent's view took in one turn. `compacted` says that a compaction stood before it.

    Raises InputError for a turn or tokens below 0.
    """

    turn: int
    agent: str
    tokens: int
    compacted: bool = False

    def __post_init__(self) -> None:
        for name, value in (("turn", self.turn), ("tokens", self.tokens)):
            if value < 0:
                raise InputError(f"snapshot, {name}", f"{value}, which is below 0", "Count from 0")


def to_jsonl(snapshots: Iterable[Snapshot]) -> str:
    """One line for each; the same snapshots give the same bytes in UTF-8."""
    rows = ({"turn": s.turn, "agent": s.agent, "tokens": s.tokens, "compacted": s.compacted} for s in snapshots)
    return "".join(json.dumps(row) + "\n" for row in rows)


def from_jsonl(text: str, source: str = "snapshots") -> list[Snapshot]:
    """The reverse; blank lines are skipped, fields that are not known are ignored, `compacted` may be missing.

    Raises InputError naming the line and what is wrong with it.
    """
    # Not splitlines: a name may hold one of the signs that it takes for the end of a line.
    lines = enumerate(text.split("\n"), start=1)
    return [_snapshot(line, source, f"line {number}") for number, line in lines if line.strip()]


def _snapshot(line: str, source: str, place: str) -> Snapshot:
    remedy = 'Write lines such as {"turn": 1, "agent": "main", "tokens": 1200, "compacted": false}'
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(source, "not JSON", remedy, place=place) from None
    match row:
        case {"turn": int(turn), "agent": str(agent), "tokens": int(tokens), **rest} if not (
            isinstance(turn, bool) or isinstance(tokens, bool) or turn < 0 or tokens < 0
        ):
            return Snapshot(turn, agent, tokens, rest.get("compacted") is True)
        case _:
            raise InputError(source, "no snapshot with turn, agent and tokens from 0 on", remedy, place=place)
