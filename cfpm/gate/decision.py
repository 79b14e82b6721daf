"""What the gate decides: a closed union of a rewrite and a pass, both with the command as it is to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cfpm.gate.reasons import Reason


@dataclass(frozen=True, slots=True)
class Change:
    """One replaced probe. `start` and `end` are characters of the original command; `text` is what stands there now."""

    target: str
    path: str
    start: int
    end: int
    before: str
    text: str
    fact_id: str


@dataclass(frozen=True, slots=True)
class Kept:
    """One place that looks like a probe and was left alone, and why. `fact_id` is the fact that decided it, if any."""

    start: int
    end: int
    reason: Reason
    fact_id: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The command is to run with `changes` made. `kept` are the places that stay as they are."""

    original: str
    command: str
    dialect: str
    changes: tuple[Change, ...]
    kept: tuple[Kept, ...] = ()
    advice: str = ""
    reason: Reason = Reason.KNOWN_FOLDER
    action: Literal["rewrite"] = "rewrite"


@dataclass(frozen=True, slots=True)
class Pass:
    """The command is to run as it is, byte for byte. `advice` is a sentence for the model, empty without one."""

    command: str
    dialect: str
    reason: Reason
    kept: tuple[Kept, ...] = ()
    advice: str = ""
    action: Literal["pass"] = "pass"

    @property
    def original(self) -> str:
        return self.command

    @property
    def changes(self) -> tuple[Change, ...]:
        return ()


Decision = Rewrite | Pass
