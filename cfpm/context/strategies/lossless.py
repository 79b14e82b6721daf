"""The strategy `lossless`: in place of the middle, what the store knows of the session, each line with its evidence.

Invariants:
- deterministic, no model; nothing is told that the store does not hold;
- answers of the user, unfinished steps and the user's rules come first and are never left out: where they cannot fit,
  nothing is changed;
- of the rest the newest stays, and how many lines are missing is told;
- an earlier list is written anew, not nested; without a store it is the list of calls (`intent`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfpm.context.strategies import intent
from cfpm.context.strategies.division import divide
from cfpm.context.strategies.notes import checkpoint, continuation, notes_in, stands_for, taken_over, within
from cfpm.context.strategies.types import Known, ProposedView, Request
from cfpm.context.tokens import total_tokens

KIND = "lossless"

EARLIER_SHARE = 0.25
"""Share of the room for what an earlier checkpoint of another form said."""

ADVICE = (
    "This is what the memory holds as of now. What is done stands; "
    "look at files and run checks before you rely on them."
)


def compact(request: Request) -> ProposedView | None:
    """What is known in place of the middle; None when nothing is worth compacting."""
    if not request.known:
        return intent.compact(request)
    parts = divide(request)
    if parts is None:
        return None
    count = request.history.count
    notes = [note for note in notes_in(parts.middle) if note.kind != KIND]
    earlier = within([line for note in notes for line in taken_over(note)], int(parts.room * EARLIER_SHARE), count)
    messages = stands_for(parts.middle, notes_in(parts.middle))
    go_on = continuation(parts.last)

    def size(known: Sequence[Known]) -> int:
        note = checkpoint(KIND, messages, _lines(known, len(request.known) - len(known), earlier))
        return total_tokens((note, *go_on), count)

    chosen = [line for line in request.known if line.must]
    room = parts.room - size(chosen)
    for line in _newest([line for line in request.known if not line.must]):
        cost = count(f"- {line.text}\n") + 2
        if cost <= room:
            room -= cost
            chosen.append(line)
    stays = set(map(id, chosen))
    kept = [line for line in request.known if id(line) in stays]
    # A count need not be the sum of its parts.
    while size(kept) > parts.room and not all(line.must for line in kept):
        kept.remove(next(line for line in kept if not line.must))
    note = checkpoint(KIND, messages, _lines(kept, len(request.known) - len(kept), earlier))
    return ProposedView(parts.first, (note, *go_on), parts.last, str(note["content"]))


def _newest(known: Sequence[Known]) -> Iterator[Known]:
    """One line of each section in turn, the newest first."""
    sections = [
        [line for line in known if line.section == name] for name in dict.fromkeys(one.section for one in known)
    ]
    for back in range(1, max(map(len, sections), default=0) + 1):
        yield from (lines[-back] for lines in sections if back <= len(lines))


def _lines(known: Sequence[Known], left_out: int, earlier: Sequence[str]) -> Iterator[str]:
    for section in dict.fromkeys(line.section for line in known):
        yield f"{section}:"
        yield from (f"- {line.text}" for line in known if line.section == section)
    if earlier:
        yield "Noted earlier:"
        yield from (f"- {line}" for line in earlier)
    if left_out:
        yield f"({left_out} older lines are not shown; they can be recalled)"
    yield ADVICE
