"""What one measure answers: rows of figures with their goals, and the texts behind the worst of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `of` is the number of cases that it is a share of; `goal` is None where none was set."""

    set: str
    measure: str
    value: float | None
    of: int
    goal: float | None = None
    at_least: bool = True
    """False for what should be small, such as junk accepted."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal or a value."""
        if self.goal is None or self.value is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


@dataclass(frozen=True, slots=True)
class Example:
    """A case that went wrong: `kind` is miss or junk, `text` what was said or stored, `why` what decided it."""

    set: str
    kind: str
    text: str
    why: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """All that one measure found; examples are sorted, worst first."""

    rows: tuple[Row, ...]
    examples: tuple[Example, ...] = ()
