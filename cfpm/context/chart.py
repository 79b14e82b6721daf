"""The tokens of each turn and agent: kept as lines of JSON, and drawn as one HTML page without script or address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from html import escape
from importlib.resources import files

from cfpm.errors import InputError


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one agent's view took in one turn, in tokens, and what it wrote. `compacted` says that a compaction stood
    before it.

    Raises InputError for a turn or tokens below 0.
    """

    turn: int
    agent: str
    tokens: int
    compacted: bool = False
    output_tokens: int = 0

    def __post_init__(self) -> None:
        for name, value in (("turn", self.turn), ("tokens", self.tokens), ("output_tokens", self.output_tokens)):
            if value < 0:
                raise InputError(f"snapshot, {name}", f"{value}, which is below 0", "Count from 0")


def to_jsonl(snapshots: Iterable[Snapshot]) -> str:
    """One line for each; the same snapshots give the same bytes in UTF-8."""
    return "".join(json.dumps(asdict(snapshot)) + "\n" for snapshot in snapshots)


def from_jsonl(text: str, source: str = "snapshots") -> list[Snapshot]:
    """The reverse; blank lines are skipped, fields that are not known are ignored, `compacted` and `output_tokens` may
    be missing.

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
            written = rest.get("output_tokens")
            written = written if isinstance(written, int) and written > 0 else 0
            return Snapshot(turn, agent, tokens, rest.get("compacted") is True, written)
        case _:
            raise InputError(source, "no snapshot with turn, agent and tokens from 0 on", remedy, place=place)


_WIDTH, _HEIGHT = 960, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 20, 34, 48
_COLOURS, _DASHES = 8, 4
"""Colours and dash patterns of chart.css: with more agents than both tell apart, the names on the points must do."""
_TICKS = 6
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A browser fetches nothing and runs nothing, whatever stands in the page."""


@dataclass(frozen=True, slots=True)
class _Series:
    """The points of one agent in the order of their turns; `look` are the classes of its line."""

    agent: str
    look: str
    points: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where turns and tokens lie on the drawing."""

    first: int
    last: int
    top: int

    def x(self, turn: int) -> str:
        share = (turn - self.first) / (self.last - self.first) if self.last > self.first else 0.5
        return f"{_LEFT + share * (_WIDTH - _LEFT - _RIGHT):.1f}"

    def y(self, tokens: int) -> str:
        return f"{_HEIGHT - _BOTTOM - tokens / self.top * (_HEIGHT - _TOP - _BOTTOM):.1f}"


def chart(
    snapshots: Iterable[Snapshot], *, warn_at: int = 0, cut_over_at: int = 0, title: str = "Tokens per turn"
) -> str:
    """The page as text. The same snapshots give the same text, and the order of equal turns is that of the list.

    `warn_at` and `cut_over_at` are in tokens; 0 draws no line. Agents are the same whatever the case of their names.
    """
    rows = sorted(snapshots, key=lambda snapshot: snapshot.turn)
    series = _series(rows)
    body = _drawing(rows, series, warn_at, cut_over_at) if rows else "<p>No turns yet.</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(title)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        f"<h1>{_safe(title)}</h1>\n<p>{_told(rows, series)}</p>\n{body}\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return files("cfpm.context").joinpath("chart.css").read_text(encoding="utf-8")


def _safe(text: str) -> str:
    """Escaped, and without what is no sign: controls, lone surrogates, marks that turn the direction of writing."""
    shown = "".join(sign if sign.isprintable() or sign == "\u200d" else "\ufffd" for sign in text)
    return escape(shown, quote=True)


def _series(rows: Sequence[Snapshot]) -> list[_Series]:
    points: dict[str, list[Snapshot]] = {}
    for row in rows:
        points.setdefault(row.agent.casefold(), []).append(row)
    return [
        _Series(of[0].agent or "agent", f"s{n % _COLOURS} d{n // _COLOURS % _DASHES}", tuple(of))
        for n, of in enumerate(points.values())
    ]


def _told(rows: Sequence[Snapshot], series: Sequence[_Series]) -> str:
    figures = {
        "Turns": len({row.turn for row in rows}),
        "Agents": len(series),
        "Most tokens": max((row.tokens for row in rows), default=0),
        "Compactions": len({row.turn for row in rows if row.compacted}),
    }
    return " · ".join(f"{name}: {figure:,}" for name, figure in figures.items())


def _drawing(rows: Sequence[Snapshot], series: Sequence[_Series], warn_at: int, cut_over_at: int) -> str:
    highest = max(1, warn_at, cut_over_at, *(row.tokens for row in rows))
    step = _step(highest)
    plane = _Plane(rows[0].turn, rows[-1].turn, -(-highest // step) * step)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Tokens by turn, a line for each agent">',
        *_grid(plane, step),
        *_compactions(plane, rows),
        *_rule(plane, "warn", "Warn", warn_at),
        *_rule(plane, "cut", "Cut over", cut_over_at),
        *(line for one in series for line in _line(plane, one)),
        "</svg>",
        *_legend(series, rows, warn_at, cut_over_at),
        *_table(rows),
    ]
    return "\n".join(parts)


def _step(highest: int) -> int:
    """The distance of the lines of the grid: 1, 2 or 5 times a power of ten."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if step * _TICKS >= highest:
                return step
        power *= 10


def _grid(plane: _Plane, step: int) -> list[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts: list[str] = []
    for tokens in range(0, plane.top + 1, step):
        y = plane.y(tokens)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{right}" y2="{y}"/>')
        parts.append(f'<text class="end" x="{_LEFT - 8}" y="{y}" dy="4">{tokens:,}</text>')
    every = _step(plane.last - plane.first)
    turns = range(-(-plane.first // every) * every, plane.last + 1, every)
    return [
        *parts,
        *(f'<text class="middle" x="{plane.x(turn)}" y="{bottom + 18}">{turn:,}</text>' for turn in turns),
        f'<text class="middle" x="{(_LEFT + right) // 2}" y="{_HEIGHT - 8}">Turn</text>',
        f'<text class="end" x="{_LEFT - 8}" y="14">Tokens</text>',
    ]


def _compactions(plane: _Plane, rows: Sequence[Snapshot]) -> list[str]:
    return [
        f'<line class="rule compacted" x1="{plane.x(turn)}" y1="{_TOP}" x2="{plane.x(turn)}" y2="{_HEIGHT - _BOTTOM}">'
        f"<title>Compaction at turn {turn:,}</title></line>"
        for turn in sorted({row.turn for row in rows if row.compacted})
    ]


def _rule(plane: _Plane, look: str, name: str, tokens: int) -> list[str]:
    if tokens <= 0:
        return []
    y = plane.y(tokens)
    return [
        f'<line class="rule {look}" x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}"/>',
        f'<text class="{look} end" x="{_WIDTH - _RIGHT}" y="{y}" dy="-5">{name}: {tokens:,}</text>',
    ]


def _line(plane: _Plane, series: _Series) -> list[str]:
    places = [(plane.x(point.turn), plane.y(point.tokens)) for point in series.points]
    name = _safe(series.agent)
    joined = " ".join(f"{x},{y}" for x, y in places)
    dots = [
        f'<circle class="{series.look}" cx="{x}" cy="{y}" r="3"><title>{name}, turn {point.turn:,}: '
        f"{_took(point)}</title></circle>"
        for (x, y), point in zip(places, series.points, strict=True)
    ]
    return [f'<polyline class="line {series.look}" points="{joined}"/>', *dots]


def _took(point: Snapshot) -> str:
    written = f", {point.output_tokens:,} written" if point.output_tokens else ""
    return f"{point.tokens:,} tokens{written}"


def _legend(series: Sequence[_Series], rows: Sequence[Snapshot], warn_at: int, cut_over_at: int) -> list[str]:
    entries = [(f"line {one.look}", _safe(one.agent)) for one in series]
    if any(row.compacted for row in rows):
        entries.append(("rule compacted", "Compaction"))
    rules = (("warn", "Warn", warn_at), ("cut", "Cut over", cut_over_at))
    entries += [(f"rule {look}", name) for look, name, tokens in rules if tokens > 0]
    return ["<ul>", *(f"<li>{_key(look)}{name}</li>" for look, name in entries), "</ul>"]


def _key(look: str) -> str:
    line = f'<line class="{look}" x1="0" y1="5" x2="28" y2="5"/>'
    return f'<svg viewBox="0 0 28 10" aria-hidden="true">{line}</svg>'


def _table(rows: Sequence[Snapshot]) -> list[str]:
    cells = (
        (
            f"{row.turn:,}",
            _safe(row.agent),
            f"{row.tokens:,}",
            f"{row.output_tokens:,}" if row.output_tokens else "",
            "yes" if row.compacted else "",
        )
        for row in rows
    )
    return [
        "<details><summary>All values</summary>\n<table>",
        "<tr><th>Turn</th><th>Agent</th><th>Tokens</th><th>Written</th><th>Compacted</th></tr>",
        *("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells),
        "</table>\n</details>",
    ]
