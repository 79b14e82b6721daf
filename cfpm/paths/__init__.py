"""One path grammar for all rooms: paths found in text, judged and compared by flavour. Never asks a file system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

if TYPE_CHECKING:
    from cfpm.paths.comparison import canonical, contains
    from cfpm.paths.failures import failing_lines, failing_path, may_have_failure
    from cfpm.paths.finder import FoundPath, find_paths
    from cfpm.paths.grammar import Flavour, flavour_of, is_absolute, is_date, is_symbolic, name
    from cfpm.paths.phrases import FailureKind
    from cfpm.paths.predicates import (
        is_clean_path_line,
        is_generated,
        is_known_folder,
        is_path_like,
        is_project_relative,
        is_temporary,
    )

__all__ = [
    "FailureKind",
    "Flavour",
    "FoundPath",
    "canonical",
    "contains",
    "failing_lines",
    "failing_path",
    "find_paths",
    "flavour_of",
    "is_absolute",
    "is_clean_path_line",
    "is_date",
    "is_generated",
    "is_known_folder",
    "is_path_like",
    "is_project_relative",
    "is_symbolic",
    "is_temporary",
    "may_have_failure",
    "name",
]

__getattr__ = resolver(
    __name__,
    {
        "FailureKind": "phrases",
        "Flavour": "grammar",
        "FoundPath": "finder",
        "canonical": "comparison",
        "contains": "comparison",
        "failing_lines": "failures",
        "failing_path": "failures",
        "find_paths": "finder",
        "flavour_of": "grammar",
        "is_absolute": "grammar",
        "is_clean_path_line": "predicates",
        "is_date": "grammar",
        "is_generated": "predicates",
        "is_known_folder": "predicates",
        "is_path_like": "predicates",
        "is_project_relative": "predicates",
        "is_symbolic": "grammar",
        "is_temporary": "predicates",
        "may_have_failure": "failures",
        "name": "grammar",
    },
)
