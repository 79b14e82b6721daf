"""The rules for artifacts and invalid paths: is it a path, a clean one, one that means something elsewhere?"""

from __future__ import annotations

from cfpm.auditor.context import AuditContext
from cfpm.model import PATH_CATEGORIES, Category, Draft, Mark, Role
from cfpm.model.known_folders import TOPIC
from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import canonical, is_absolute, is_date, is_symbolic
from cfpm.paths.predicates import (
    is_clean_path_line,
    is_generated,
    is_known_folder,
    is_path_like,
    is_project_relative,
    is_temporary,
)

_TEMPORARY_ROOTS = frozenset({"/tmp", "/var/tmp"})
"""The folders themselves last; what is in them does not."""
_MAX_BYTES = 320
"""From the original: no path of a real session came near it."""

PROVEN = frozenset(
    f"artifact.{how}" for how in ("edited", "answer", "folder_answer", "folder_listed", "folder_written")
)
"""Rules of the extractor by which a tool wrote to a path or found it: that outweighs a report that it was missing."""


def unhelpful(draft: Draft, _: AuditContext) -> str | None:
    """A date, a temporary file, an overlong or broken text; of artifacts also what a tool can make again.

    Where a known folder is helps wherever it lies: that it is there now is asked before it is used.
    """
    content = draft.content
    if draft.category is Category.ARTIFACT:
        if draft.topic.startswith(TOPIC):
            return None
        if draft.rule != "artifact.edited" and is_generated(content):
            return "it lies where tools put what can be made or fetched again"
    return _unhelpful(content)


def stored_problem(category: Category, content: str, role: Role, topic: str = "") -> str | None:
    """Why a fact that is stored as a path is none that helps, by the rules that need no evidence; None for any other.

    What these rules let in today they find nothing in. Of what a user wrote only dates and broken texts are named: in
    their own words it may be a place of another kind.
    """
    if category not in PATH_CATEGORIES or topic.startswith(TOPIC):
        return None
    if role is Role.USER:
        return "a date" if is_date(content) else None
    like = is_path_like(content, named=role is Role.TOOL) or is_symbolic(content)
    return _unhelpful(content) or (None if like or find_paths(content) else "not a path")


def _unhelpful(content: str) -> str | None:
    if is_date(content):
        return "a date"
    if len(content.encode("utf-8", "replace")) > _MAX_BYTES:
        return f"longer than {_MAX_BYTES} bytes"
    if any(sign in content for sign in "\n\r\x1b\ufffd"):
        return "broken text"
    return "a temporary file" if is_temporary(content) and canonical(content) not in _TEMPORARY_ROOTS else None


def not_path_like(draft: Draft, _: AuditContext) -> str | None:
    """Not a path at all."""
    # A variable, or a path with words around it, gets the code that says so.
    content = draft.content
    like = is_path_like(content, named=draft.role is Role.TOOL)
    return None if like or is_symbolic(content) or find_paths(content) else "not a path"


def not_clean_path(draft: Draft, _: AuditContext) -> str | None:
    """A path with other words around it."""
    content = draft.content
    if is_clean_path_line(content) or is_symbolic(content):
        return None
    quoted = any(f"{quote}{content}{quote}" in draft.line for quote in "`'\"")
    named = draft.role is Role.TOOL and is_path_like(content, named=True)
    return None if named or (quoted and is_path_like(content)) else "more than a path"


def not_concrete_absolute(draft: Draft, _: AuditContext) -> str | None:
    """Relative, or with variables: somewhere else it may well exist."""
    if is_symbolic(draft.content):
        return "it holds a variable"
    return None if is_absolute(draft.content) else "it is relative"


def not_absolute_or_project_relative(draft: Draft, _: AuditContext) -> str | None:
    """A path that starts nowhere in particular; a tool that just wrote to it vouches for a relative one."""
    if is_symbolic(draft.content):
        return "it holds a variable"
    known = is_absolute(draft.content) or is_project_relative(draft.content) or draft.rule == "artifact.edited"
    return None if known else "neither absolute nor relative to a project"


def known_folder_missing(draft: Draft, view: AuditContext) -> str | None:
    """Desktop, Documents or Downloads, without anything that shows it is there."""
    if not is_absolute(draft.content) or not is_known_folder(draft.content):
        return None
    if view.folder_exists is not None:
        return None if view.folder_exists(draft.content) else "no such folder on this machine"
    if draft.role is Role.USER and draft.topic.startswith(TOPIC):
        return None
    return None if canonical(draft.content) in view.proven_folders else "no tool result of this turn shows it"


def artifact_unproven(draft: Draft, _: AuditContext) -> str | None:
    """An edit whose end is unknown proves no file."""
    return "nothing says that the edit succeeded" if Mark.UNCONFIRMED in draft.marks else None
