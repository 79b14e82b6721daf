"""`audit`: every candidate with its verdict, the counts, the reason codes, and a user's reversal of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import SHOWN, Common, Limit
from cfpm.cli.output import one_line, show, show_counts, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.cli.story import tell
from cfpm.errors import NotFoundError, UsageError
from cfpm.model import Decision
from cfpm.model.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfpm.admin.report import Stats
    from cfpm.model import Candidate

CandidateId = Annotated[
    str, Argument(metavar="ID", help="The id of a candidate; `explain` takes that of a fact or message too.")
]


def audit(
    *,
    decision: Annotated[Decision | None, Option("--decision", help="Only this outcome.")] = None,
    reason: Annotated[str | None, Option("--reason", metavar="CODE", help="Only this reason code.")] = None,
    session: Annotated[str | None, Option("--session", metavar="S", help="Only this session.")] = None,
    limit: Limit = None,
    common: Common,
) -> None:
    """See every verdict and its reason, newest first."""
    _check_reason(reason)
    with common.to_read() as memory:
        found = memory.candidates(
            decision=decision, reason=reason, session=session, limit=limit or (None if common.as_json else SHOWN + 1)
        )
    if common.as_json:
        show_json([documents.candidate(candidate) for candidate in found])
        return
    show_candidates(found[: limit or SHOWN])
    if limit is None and len(found) > SHOWN:
        show(f"... only the newest {SHOWN}; --limit N shows N, --json all")


def _check_reason(reason: str | None) -> None:
    from cfpm.auditor.reasons import REASONS

    if reason is not None and reason not in REASONS:
        raise UsageError(f"--reason {reason}", "no such reason code", "`cfpm audit reasons` lists them")


def show_candidates(found: list[Candidate]) -> None:
    """Candidates as a table."""
    rows = [(c.id, c.decision.value, c.reason, c.category.value, c.role.value, c.content) for c in found]
    columns = ("id", "decision", "reason", "category", "role", "content")
    show_table(columns, rows, wide="content", lead="decision", empty="no candidates")


def stats(common: Common) -> None:
    """Count verdicts by reason code and category."""
    with common.to_read() as memory:
        counts = memory.stats()
    if common.as_json:
        show_json(documents.stats(counts))
    else:
        show_stats(counts)


def show_stats(counts: Stats) -> None:
    """The counts as tables."""
    by_category = {**counts.by_category, "all": {key.value: count for key, count in counts.by_decision.items()}}
    decisions = [decision.value for decision in Decision]
    rows = [
        (category, *(str(row.get(name, 0)) for name in decisions), str(sum(row.values())))
        for category, row in by_category.items()
    ]
    show_counts(("category", *decisions, "candidates"), rows)
    _show_counts("reason", counts.by_reason)
    _show_counts("facts", counts.facts_by_status)


def _show_counts(title: str, counts: Mapping[str, int]) -> None:
    if counts:
        rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        show()
        show_counts((title, "count"), [(name, str(count)) for name, count in rows])


def explain(candidate_id: CandidateId, common: Common) -> None:
    """Tell the whole story of one candidate."""
    with common.to_read() as memory:
        try:
            explanation = memory.explain(candidate_id)
        except NotFoundError:
            # A message that nothing was drafted from, as a brief cites the record of a call: it is its own evidence.
            from cfpm.cli.show import opened

            common.answer(*opened(memory, candidate_id))
            return
    story = tell(explanation)
    common.answer(documents.explanation(explanation, story), "\n".join(story))


def reasons(common: Common) -> None:
    """List the reason codes with their meaning and examples. Needs no memory."""
    from cfpm.auditor.reasons import REASONS

    if common.as_json:
        show_json([documents.fields(one, "code sentence example counter_example") for one in REASONS.values()])
        return
    for one in REASONS.values():
        show(f"{one.code}: {one.sentence}")
        show(f"  for example: {one_line(one.example) or '(nothing)'}")
        show(f"  but not: {one_line(one.counter_example)}")


def accept(candidate_id: CandidateId, common: Common) -> None:
    """Reverse a rejection: the candidate becomes a fact, and stays one."""
    with common.to_change(clock=utc_now) as memory:
        fact = memory.accept(candidate_id)
    text = f"accepted as {fact.id} ({fact.category.value}): {one_line(fact.attributed)}"
    common.answer(documents.fact(fact), text)


def reject(candidate_id: CandidateId, common: Common) -> None:
    """Reverse an acceptance: the fact is forgotten, and not learnt again."""
    with common.to_change(clock=utc_now) as memory:
        candidate = memory.reject(candidate_id)
    text = f"rejected {candidate.id} ({candidate.category.value}): {one_line(candidate.content)}"
    common.answer(documents.candidate(candidate), text)


def verify(common: Common) -> None:
    """Find every row of the trail that was edited, removed, inserted, moved or cut off.

    Of the whole database. Exits with 1 when there is one.
    """
    with common.to_read() as memory:
        found = memory.verify()
    if common.as_json:
        show_json({"ok": not found, "findings": [documents.fields(one, "place problem") for one in found]})
    else:
        show_table(
            ("place", "problem"),
            [(one.place, one.problem) for one in found],
            wide="problem",
            empty="all is as it was sealed",
        )
    if found:
        raise SystemExit(1)


def reseal(common: Common) -> None:
    """Begin the chain of seals anew, after its key was lost.

    What was changed before cannot be found any more: verify first, if you can.
    """
    with common.to_change() as memory:
        rows = memory.reseal()
    common.answer({"resealed": rows}, f"{rows} rows sealed anew")
