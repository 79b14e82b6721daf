"""Facts in the formats of others: an OKF bundle, one MIF document, or one Markdown page. What was said is not in them,
only what is believed, with where it stands; `cfpm export` alone writes everything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from cfpm.errors import InputError, UsageError
from cfpm.model import Category, Fact, Role, Status
from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

OKF, MIF = "0.2", "2.0"
"""The versions that are written."""

_TITLE = 80
"""Characters of a title."""

_STATUS = {
    Status.ACTIVE: "stable",
    Status.STALE: "draft",
    Status.SUPERSEDED: "deprecated",
    Status.FORGOTTEN: "deprecated",
}
_MEMORY_TYPES = {Category.PREFERENCE: "preference", Category.DECISION: "decision", Category.EVENT: "event"}
_AUTHORS = {Role.USER: "human", Role.ASSISTANT: "agent", Role.TOOL: "tool", Role.SYSTEM: "system"}


def files_of(form: str, facts: Sequence[Fact]) -> dict[str, str]:
    """The files of an export, by their names, in order. Raises UsageError for an unknown format."""
    writer = FORMATS.get(form)
    if writer is None:
        raise UsageError(f"export {form}", "there is no such format", f"Use one of: {', '.join(FORMATS)}")
    told = [fact for fact in facts if fact.status is not Status.FORGOTTEN]
    return writer(sorted(told, key=lambda fact: (fact.category.value, to_text(fact.created_at) or "", fact.id)))


def write_files(files: Mapping[str, str], target: Path) -> None:
    """One file to `target`, several into the folder `target`, which must be new or empty, or hold an export before it.

    Raises InputError, before anything is written.
    """
    from cfpm.paths.private_files import make_folder, private_opener

    single = len(files) == 1 and not target.is_dir()
    if not single:
        if target.exists() and not target.is_dir():
            raise InputError(str(target), "is no folder", "Name a new folder")
        there = {one.name for one in target.iterdir()} if target.is_dir() else set()
        if there and "index.md" not in there:
            raise InputError(str(target), "holds other files", "Name a new or an empty folder")
        make_folder(target)
        for old in target.glob("fact_*.md"):
            old.unlink()
    for name, text in files.items():
        with open(
            target if single else target / name, "w", encoding="utf-8", newline="\n", opener=private_opener
        ) as out:
            out.write(text)


def _okf(facts: Sequence[Fact]) -> dict[str, str]:
    """A page for each fact with its sources, an index, and a log of when each was learnt."""
    rows = [f"* [{_escaped(fact.attributed)}]({fact.id}.md) - {fact.category.value}" for fact in facts]
    by_day: dict[str, list[str]] = {}
    for fact in facts:
        by_day.setdefault((to_text(fact.created_at) or "undated")[:10], []).append(
            f"* **{fact.status.value.title()}**: {_escaped(fact.attributed)}"
        )
    log = "".join(f"\n## {day}\n\n" + "\n".join(lines) + "\n" for day, lines in sorted(by_day.items(), reverse=True))
    head = _front({"okf_version": OKF})
    pages = {f"{fact.id}.md": _page(fact) for fact in facts}
    return {"index.md": f"{head}# Facts\n\n" + "\n".join(rows) + "\n", "log.md": f"# Log\n{log}", **pages}


def _page(fact: Fact) -> str:
    where = f"characters {fact.span_start} to {fact.span_end}" if fact.message_id else "told to the memory by hand"
    source: dict[str, object] = {"id": "said", "title": where, "author": _AUTHORS[fact.role]}
    if fact.message_id:
        source["resource"] = f"cfpm:message/{fact.session}/{fact.message_id}"
    own = {"id": fact.id, "status": fact.status.value, "confidence": fact.confidence, "pinned": fact.pinned}
    if fact.superseded_by:
        own["superseded_by"] = fact.superseded_by
    values: dict[str, object] = {
        "type": fact.category.value,
        "title": fact.attributed[:_TITLE],
        "generated": {"by": "cfpm", "at": to_text(fact.created_at)} if fact.created_at else {"by": "cfpm"},
        "status": _STATUS[fact.status],
        "sources": [source],
    }
    if fact.last_validated_at:
        values["verified"] = {"at": to_text(fact.last_validated_at)}
    if fact.stale_at:
        values["stale_after"] = (to_text(fact.stale_at) or "")[:10]
    return f"{_front({**values, 'cfpm': own})}{_escaped(fact.attributed)}[^said]\n\n[^said]: {where}\n"


def _mif(facts: Sequence[Fact]) -> dict[str, str]:
    memories = [
        {
            "id": str(uuid5(NAMESPACE_URL, fact.id)),
            "content": fact.attributed,
            "created_at": to_text(fact.created_at),
            "memory_type": _MEMORY_TYPES.get(fact.category, "observation"),
            "tags": [fact.category.value],
            "vendor_extensions": {
                "cfpm": {
                    "id": fact.id,
                    "status": fact.status.value,
                    "superseded_by": fact.superseded_by,
                    "message": fact.message_id,
                    "span": [fact.span_start, fact.span_end],
                }
            },
        }
        for fact in facts
    ]
    # The format has no memory without a time.
    dated = [{**one, "created_at": one["created_at"] or "1970-01-01T00:00:00.000000Z"} for one in memories]
    return {
        "memories.mif.json": json.dumps({"mif_version": MIF, "memories": dated}, ensure_ascii=False, indent=1) + "\n"
    }


def _markdown(facts: Sequence[Fact]) -> dict[str, str]:
    """What is believed, by kind; a line a fact with its id."""
    lines = ["# What is known"]
    kind = None
    for fact in facts:
        if fact.status is not Status.ACTIVE:
            continue
        if fact.category is not kind:
            kind = fact.category
            lines += ["", f"## {kind.value.replace('_', ' ').capitalize()}", ""]
        day = f", {to_text(fact.created_at)[:10]}" if fact.created_at else ""  # type: ignore[index]
        lines.append(f"- {_escaped(fact.attributed)} ({fact.id}{day})")
    return {"memory.md": "\n".join(lines) + "\n"}


FORMATS: dict[str, Callable[[Sequence[Fact]], dict[str, str]]] = {"okf": _okf, "mif": _mif, "markdown": _markdown}
"""By the names that a user gives."""


def _front(values: Mapping[str, object]) -> str:
    """A front matter: JSON values, which are YAML."""
    return (
        "---\n"
        + "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
        + "---\n\n"
    )


def _escaped(text: str) -> str:
    """On one line, and without what would begin a link, a heading, a mark-up or a front matter."""
    line = " ".join(text.split())
    for sign in "\\[]<>*_`":
        line = line.replace(sign, f"\\{sign}")
    return f"\\{line}" if line[:1] in "#-+>|" else line
