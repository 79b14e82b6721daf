"""The errors a user can meet. Each says what was wrong, where, and what to do."""

from __future__ import annotations


class CFPMError(Exception):
    """Base of all errors of this package. The command line prints it and exits with 1."""


class InputError(CFPMError):
    """An input cannot be used: names the input, the place in it and the remedy."""

    def __init__(self, source: str, problem: str, remedy: str, *, place: str = "") -> None:
        where = f"{source}, {place}" if place else source
        super().__init__(f"{where}: {problem}. {remedy}")
        self.source = source
        self.place = place
        self.problem = problem
        self.remedy = remedy


class UsageError(InputError):
    """The caller asked for something that does not exist or makes no sense. The command line exits with 2."""


class StoreError(CFPMError):
    """The database cannot be opened, read or written: names the database and the remedy."""

    def __init__(self, url: str, problem: str, remedy: str) -> None:
        super().__init__(f"{url}: {problem}. {remedy}")
        self.url = url
        self.problem = problem
        self.remedy = remedy


class NotFoundError(CFPMError):
    """No such fact, candidate or event in this namespace."""


class MissingExtraError(CFPMError):
    """An optional part is not installed: names the extra."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional part. Install it with: pip install 'cfpm[{extra}]'")
        self.extra = extra
