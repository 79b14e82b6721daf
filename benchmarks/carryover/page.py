"""An HTML page that shows for one session what it was told and what it then used. One file, nothing loaded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from benchmarks.carryover.runs import SHOWN_AT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.carryover.runs import Found, Shown
    from benchmarks.carryover.sessions import Session
    from benchmarks.compaction.names import Name

LONGEST = 600
"""Characters of a prompt that are shown."""

_STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
pre { background: #f5f5f2; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
blockquote { border-left: 3px solid #999; margin-left: 0; padding-left: .8rem; white-space: pre-wrap; }
code { padding: 0 .3rem; border-radius: .2rem; }
.strict { background: #cdebc9; } .plain { background: #f6e8b1; } .missed { background: #f3cfcb; }
"""


def page(found: Found, session: Session) -> str:
    """The page of the session that was watched."""
    return "\n".join(_page(found, session))


def _page(found: Found, session: Session) -> Iterator[str]:
    title = escape(f"Carried over into {session.name}")
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>"
    begins = f", begun {session.begins:%Y-%m-%d %H:%M}" if session.begins else ""
    yield f"<p>{escape(session.file)}{begins}; {SHOWN_AT:,} tokens a prompt. Names that the agent then used and that"
    yield 'earlier sessions had used: <code class="strict">in a line that says something of it</code>'
    yield '<code class="plain">only named</code> <code class="missed">missed</code></p>'
    wanted = sum(len(turn.wanted) for turn in found.shown)
    strict, plain = (sum(len(getattr(turn.held, how)) for turn in found.shown) for how in ("strict", "plain"))
    yield f"<p><b>{wanted}</b> such names: {strict} strictly, {plain} plainly, {wanted - plain} missed.</p>"
    yield "<h2>The brief</h2>"
    yield f"<pre>{escape(found.shown_brief)}</pre>" if found.shown_brief else "<p>This memory makes none.</p>"
    for number, turn in enumerate(found.shown, 1):
        yield from _turn(number, turn, found.shown_brief)
    yield "</body></html>\n"


def _turn(number: int, turn: Shown, brief: str) -> Iterator[str]:
    query = turn.query if len(turn.query) <= LONGEST else f"{turn.query[:LONGEST]} …"
    recalled = turn.text.removeprefix(brief).strip() if brief else turn.text
    yield f"<h2>Turn {number}</h2>\n<blockquote>{escape(query)}</blockquote>"
    yield f"<details><summary>Recalled for it</summary><pre>{escape(recalled)}</pre></details>"
    marked = " ".join(f'<code class="{_how(name, turn)}">{escape(name.text)}</code>' for name in sorted(turn.wanted))
    yield f"<p>{marked or 'Nothing of earlier sessions was used anew.'}</p>"


def _how(name: Name, turn: Shown) -> str:
    if name in turn.held.strict:
        return "strict"
    return "plain" if name in turn.held.plain else "missed"
