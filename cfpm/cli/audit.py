"""`audit`: every candidate with its verdict, the counts, the reason codes, and a user's reversal of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import DEFAULT_NAMESPACE, SHOWN, AsJson, Db, Limit, Namespace, open_to_change, open_to_read
from cfpm.cli.output import answer, one_line, show, show_counts, show_json, show_table
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
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """See every verdict and its reason, newest first."""
    _check_reason(reason)
    with open_to_read(db, namespace) as memory:
        found = memory.candidates(
            decision=decision, reason=reason, session=session, limit=limit or (None if as_json else SHOWN + 1)
        )
    if as_json:
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


def stats(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Count verdicts by reason code and category."""
    with open_to_read(db, namespace) as memory:
        counts = memory.stats()
    if as_json:
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


def explain(
    candidate_id: CandidateId, db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False
) -> None:
    """Tell the whole story of one candidate."""
    with open_to_read(db, namespace) as memory:
        try:
            explanation = memory.explain(candidate_id)
        except NotFoundError:
            # A message that nothing was drafted from, as a brief cites the record of a call: it is its own evidence.
            from cfpm.cli.show import opened

            answer(as_json, *opened(memory, candidate_id))
            return
    story = tell(explanation)
    answer(as_json, documents.explanation(explanation, story), "\n".join(story))


def reasons(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """List the reason codes with their meaning and examples. Needs no memory."""
    from cfpm.auditor.reasons import REASONS

    del db, namespace
    fields = ("code", "sentence", "example", "counter_example")
    rows = [{field: str(getattr(reason, field)) for field in fields} for reason in REASONS.values()]
    if as_json:
        show_json(rows)
        return
    for row in rows:
        show(f"{row['code']}: {row['sentence']}")
        show(f"  for example: {one_line(row['example']) or '(nothing)'}")
        show(f"  but not: {one_line(row['counter_example'])}")


def accept(
    candidate_id: CandidateId, db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False
) -> None:
    """Reverse a rejection: the candidate becomes a fact, and stays one."""
    with open_to_change(db, namespace, clock=utc_now) as memory:
        fact = memory.accept(candidate_id)
    text = f"accepted as {fact.id} ({fact.category.value}): {one_line(fact.attributed)}"
    answer(as_json, documents.fact(fact), text)


def reject(
    candidate_id: CandidateId, db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False
) -> None:
    """Reverse an acceptance: the fact is forgotten, and not learnt again."""
    with open_to_change(db, namespace, clock=utc_now) as memory:
        candidate = memory.reject(candidate_id)
    text = f"rejected {candidate.id} ({candidate.category.value}): {one_line(candidate.content)}"
    answer(as_json, documents.candidate(candidate), text)


def verify(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Find every row of the trail that was edited, removed, inserted, moved or cut off.

    Of the whole database. Exits with 1 when there is one.
    """
    with open_to_read(db, namespace) as memory:
        found = memory.verify()
    if as_json:
        show_json({"ok": not found, "findings": [{"place": one.place, "problem": one.problem} for one in found]})
    else:
        show_table(
            ("place", "problem"),
            [(one.place, one.problem) for one in found],
            wide="problem",
            empty="all is as it was sealed",
        )
    if found:
        raise SystemExit(1)


def reseal(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, as_json: AsJson = False) -> None:
    """Begin the chain of seals anew, after its key was lost.

    What was changed before cannot be found any more: verify first, if you can.
    """
    with open_to_change(db, namespace) as memory:
        rows = memory.reseal()
    answer(as_json, {"resealed": rows}, f"{rows} rows sealed anew")
