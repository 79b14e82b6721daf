"""What can be wrong with an index of vectors. Nothing here is lost for good: all of it is rebuilt from SQLite."""

from __future__ import annotations

from cfpm.errors import CFPMError


class VectorError(CFPMError):
    """The index cannot be opened, read or written: names the folder or address, the problem and the remedy."""

    def __init__(self, where: str, problem: str, remedy: str) -> None:
        super().__init__(f"Chroma at {where}: {problem}. {remedy}")
        self.where = where
        self.problem = problem
        self.remedy = remedy


class OwnedError(VectorError):
    """Another process has the folder open; two at once lose vectors in silence."""


class BrokenError(VectorError):
    """The files of the folder cannot be used as they are."""


def rebuild_with(where: str) -> str:
    """The remedy for an index that is lost, stale or broken."""
    return f"Nothing is lost: SQLite has it all. Rebuild with: cfpm reindex --chroma {where}"
