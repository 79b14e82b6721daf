"""All numbers that decide something, in one object, each with its reason. Environment `CFPM_*` wins over
`cfpm.toml`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from cfpm.errors import UsageError
from cfpm.model import Category
from cfpm.model.markers import is_off

DAY = 86_400.0
"""Seconds."""


def _half_lives() -> dict[Category, float]:
    """A fact of confidence 0.7 goes stale after 1.2 half-lives. What a user said of themselves stays so until they say
    otherwise, so a note lives as long as a decision; a goal is reached or dropped within half a year, mostly without a
    word. What a tool reported ages with the code; a broken path is often repaired, an open item done, unsaid."""
    return {
        Category.GOAL: 180,
        Category.DECISION: 365,
        Category.EVENT: 730,
        Category.VERIFIED_ACTION: 180,
        Category.ARTIFACT: 365,
        Category.INVALID_PATH: 30,
        Category.OPEN_ITEM: 60,
        Category.NOTE: 365,
    }


class Settings(BaseModel):
    """One settings object for the whole memory. Immutable; unknown names are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    log_cap: int = Field(default=16_000, ge=1_000)
    """Characters of a tool result that the verbatim log keeps, head and tail; longer ones carry a note of what was
    cut."""

    log_mode: Literal["capped", "full"] = "capped"
    """`full` keeps every tool result whole."""

    durability: Literal["full", "normal"] = "full"
    """SQLite `synchronous`: `full` survives a power cut, `normal` only a killed process."""

    busy_timeout: float = Field(default=30.0, gt=0)
    """Seconds to wait for another writer before giving up."""

    visibility: Literal["off", "brief", "debug"] = "brief"
    """How much the runtime message after a turn shows."""

    max_draft_chars: int = 600
    """A fact is a sentence or two; longer drafts are refused as too_long (the longest gold sentence read was 412)."""

    max_drafts_per_turn: int = 2_000
    """Drafts above this are refused as over_capacity: a flood in one turn is a dump, not a conversation."""

    capacity: int = 20_000
    """Active learnt facts per category and namespace; the least useful go stale above it."""

    rejected_kept: int = 200_000
    """Rejected candidates kept per namespace; older ones are removed by `purge`, never by observing."""

    fuzzy_threshold: float = Field(default=90.0, ge=50, le=100)
    """rapidfuzz token_sort_ratio from which two facts of one category may be the same, if all guards agree."""

    reinforcement: float = Field(default=0.3, gt=0, lt=1)
    """Share of the distance to 1 that a further, independent observation adds to the confidence."""

    stale_below: float = Field(default=0.3, gt=0, lt=1)
    """A decayed confidence under this makes a fact stale."""

    half_life_days: dict[Category, float] = Field(default_factory=_half_lives)
    """Days in which an unconfirmed fact loses half its confidence; categories that are not named do not decay."""

    tokenizer: Literal["estimate", "o200k_base", "cl100k_base"] = "estimate"
    """How the tokens of a block are counted: an estimate that errs upwards, or exactly (extra `tokens`)."""

    pre_tool_gate: Annotated[bool, BeforeValidator(lambda value: not is_off(value))] = True
    """Whether the gate may change commands: `CFPM_PRE_TOOL_GATE=off` switches it off."""

    tool_gate_visibility: Literal["off", "brief", "debug"] | None = None
    """How much the gate shows of its decisions; as `visibility` unless set."""

    embedder: Literal["static", "onnx", "none"] = "static"
    """What makes vectors of messages and facts: the table that ships with the package, the sentence transformer of the
    extra `embeddings` (milliseconds a text), or nothing (words alone)."""

    compaction_strategy: str = "cfpm"
    """How a long history is made short: cfpm, segmented, intent, window, hybrid, or one of their other names. `cfpm`
    needs no model, and keeps what binds the agent."""

    summary_deadline: float = Field(default=120.0, gt=0)
    """Seconds to wait for the host's summariser at each call: models answer such a prompt within one minute."""

    check_filesystem: bool = False
    """Ask this machine whether known folders exist. Off by default: transcripts come from elsewhere, and exports must
    agree."""

    auto_compact_threshold: float = Field(default=0.8, allow_inf_nan=False)
    """Share of the model's window above which a history is compacted before a reply (reference, section 5.1); switched
    off at 0 and below, and at 1 and above."""

    context_limit: int = Field(default=128_000, ge=1_000)
    """Tokens of the model's window where the host does not say: a common size, and less than most newer models have, so
    that a guess compacts early instead of never."""

    compaction_target: float = Field(default=0.5, gt=0, lt=1)
    """Share of the tokens between the host's prompt and the threshold that a compacted view may fill: as much again can
    be said before the next compaction, each of which costs a prompt cache."""

    compact_after_turns: int = Field(default=50, ge=0)
    """Turns after which a history is compacted, however short they are (reference, section 3.7 of context); 0 is
    never."""

    budget_warn_at: int = Field(default=0, ge=0)
    """Input tokens of one agent since the last compaction from which the host is warned, once; 0 is never. Off by
    default: what a token costs is not known here."""

    budget_cut_over_at: int = Field(default=0, ge=0)
    """Input tokens of one agent since the last compaction from which the history is compacted; 0 is never."""

    max_turn_tokens: int = Field(default=0, ge=0)
    """Input tokens of a single turn above which the history is compacted at once, also in the turn after a compaction;
    0 is never."""

    thrash_window: int = Field(default=3, ge=0)
    """Compactions in a row that must have saved too little before automatic ones are held back; 0 is never. One may be
    bad luck and two a long turn; each costs a prompt cache."""

    thrash_min_saving: float = Field(default=0.10, ge=0, lt=1)
    """Share of the view's tokens that a compaction must save to count as useful (reference: 10 %)."""

    recovery_attempts: int = Field(default=6, ge=0)
    """Compactions without a model that one reply may take after context-length errors (reference, section 5.1)."""

    recovery_attempts_summary: int = Field(default=3, ge=0)
    """The same where each asks a model for a summary (reference, section 5.1)."""

    recovery_shrink: float = Field(default=0.6, gt=0, lt=1)
    """Each attempt's budget as a share of the last one's: the first leaves more than half of the view, three come down
    to a fifth, six to a twentieth."""

    @field_validator("budget_cut_over_at")
    @classmethod
    def _warned_before(cls, value: int, info: ValidationInfo) -> int:
        warn_at = info.data.get("budget_warn_at", 0)
        if value and warn_at >= value:
            raise ValueError(
                f"budget_warn_at ({warn_at}) must be below budget_cut_over_at, or nobody is warned in time"
            )
        return value

    @classmethod
    def load(cls, env: Mapping[str, str] | None = None, directory: Path | None = None) -> Settings:
        """Reads `cfpm.toml` in `directory` (default: the working directory), then `CFPM_<NAME>` variables.

        Raises UsageError naming the file or variable, the value and what is allowed.
        """
        env = os.environ if env is None else env
        path = (directory or Path.cwd()) / "cfpm.toml"
        values: dict[str, object] = {}
        if path.is_file():
            try:
                values.update(tomllib.loads(path.read_text(encoding="utf-8")))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise UsageError(str(path), f"not valid TOML ({error})", "Correct the file or remove it") from error
        for name in cls.model_fields:
            if (raw := env.get(f"CFPM_{name.upper()}")) is not None:
                values[name] = raw
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise UsageError(
                f"setting {name}", f"{first['msg']} (got {first.get('input')!r})", "See docs/architecture.md, Settings"
            ) from error
