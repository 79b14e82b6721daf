"""Whether the memory's own audit trail gives junk a reason that fits. Only `cfpm` has a trail; nothing is scored here.

Junk **agrees** when it was not accepted and either no candidate of the trail holds it, or one that does has a reason
that the case allows: it was refused with it, merged with it, or its fact was superseded where `corrected` is allowed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.junk.scoring import holds
from cfpm import Memory, Settings
from cfpm.model import Decision, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.junk.cases import Case, Expectation
    from benchmarks.junk.scoring import Outcome

Reason = tuple[str, str, str]
"""Content, message and reason of a candidate; `corrected` is the reason of one whose fact was superseded later."""


def reasons(case: Case) -> list[Reason]:
    """Every candidate that the memory drafted from the case."""
    conversation = case.conversation()
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-junk-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=Settings(durability="normal")) as memory,
    ):
        memory.observe(conversation.messages, session=conversation.session)
        replaced = {fact.id for fact in memory.facts(status=Status.SUPERSEDED)}
        return [
            (
                row.content,
                row.span.message_id,
                "corrected" if row.fact_id in replaced and row.decision is not Decision.REJECTED else row.reason,
            )
            for row in memory.candidates()
        ]


def agreement(outcomes: Sequence[Outcome], found: Sequence[Reason]) -> list[bool]:
    """For the junk of one case, in order, whether what the trail says of it fits."""
    return [_fits(item.case, item.expected, item.wrong, found) for item in outcomes if not item.expected.stored]


def _fits(case: Case, item: Expectation, accepted: bool, found: Sequence[Reason]) -> bool:
    if accepted:
        return False
    given = [reason for content, source, reason in found if holds(item, content, [source], case.good)]
    return not given or any(reason in item.reasons for reason in given)
