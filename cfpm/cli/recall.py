"""`recall`: what the memory would put into the prompt for a query, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import Common
from cfpm.cli.output import show, show_json, show_table
from cfpm.cli.parser import Argument, Option

if TYPE_CHECKING:
    from cfpm.recall import Recall, RecallItem


def recall(
    query: Annotated[str, Argument(metavar="QUERY", help="A question or some words.")],
    *,
    k: Annotated[
        int | None, Option("-k", min=1, metavar="N", help="At most this many items; else the budget decides.")
    ] = None,
    max_tokens: Annotated[int, Option("--max-tokens", min=1, metavar="N", help="Budget of the block.")] = 1200,
    max_chars: Annotated[
        int | None, Option("--max-chars", min=1, metavar="N", help="A budget in characters instead.")
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Say why each item was chosen.")] = False,
    include_quarantined: Annotated[
        bool, Option("--include-quarantined", help="Show what tools, pastes and others said to the agent, too.")
    ] = False,
    common: Common,
) -> None:
    """Find facts and turns for a query.

    Prints them, and the block that a prompt would get within the budget of tokens.
    """
    with common.to_change() as memory:
        found = memory.recall(
            query,
            k=k,
            max_tokens=max_tokens,
            max_chars=max_chars,
            namespaces=common.with_rules_of_user(),
            include_quarantined=include_quarantined,
        )
    if common.as_json:
        show_json(documents.recall(found))
    else:
        show_recall(found, explain=explain)


def show_recall(found: Recall, *, explain: bool) -> None:
    """The items as a table, then the block as the agent would get it."""
    columns = ("kind", "score", "id", "why", "text") if explain else ("kind", "score", "text")
    rows = [
        (item.kind, f"{item.score:.2f}", *((item.id, _shares(item)) if explain else ()), item.text)
        for item in found.items
    ]
    show_table(columns, rows, wide="text", empty="nothing found")
    if found.items and found.abstain:
        show(f"\nNothing here fits well ({found.fit:.0%} of the query at most): the memory may not know.")
    if found.block:
        show(f"\nThe block for the prompt, about {found.tokens} tokens:\n")
        show(found.block)


def _shares(item: RecallItem) -> str:
    """`words 0.61, recent 0.08`: the largest share of the score first."""
    shares = sorted(item.why.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{signal} {share:.2f}" for signal, share in shares)
