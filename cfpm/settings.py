"""All numbers that decide something, in one object, each with its reason. Environment `CFPM_*` wins over
`cfpm.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, get_args, get_origin, get_type_hints

from cfpm.errors import UsageError
from cfpm.model import Category
from cfpm.model.markers import is_off, switched

if TYPE_CHECKING:
    from dataclasses import Field as DataclassField

    from pydantic import BeforeValidator, Field

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


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One settings object for the whole memory. Immutable; unknown names are an error.

    Raises UsageError naming the setting, its value and what is allowed. Values that differ from the defaults are
    checked by pydantic, which is imported only then: it costs a fifth of a second.
    """

    namespace: str = "default"
    """Whose memory the command line and the hook mean where none is named: a name such as `project:shop`, or `auto`,
    which follows from the folder: that of the repository around it, by its remote, else by its path. One namespace for
    all is the default, so that a database that is there already is read as before."""

    log_cap: Annotated[int, Field(ge=1_000)] = 16_000
    """Characters of a tool result that the verbatim log keeps, head and tail; longer ones carry a note of what was
    cut."""

    log_mode: Literal["capped", "full"] = "capped"
    """`full` keeps every tool result whole."""

    personal_numbers: Literal["named", "all", "off"] = "named"
    """Which numbers of people are taken out of messages: `named` are payment cards, IBAN and national numbers that are
    called so, `all` also whatever has the check digits of a national number, `off` none."""

    durability: Literal["full", "normal"] = "full"
    """SQLite `synchronous`: `full` survives a power cut, `normal` only a killed process."""

    busy_timeout: Annotated[float, Field(gt=0)] = 30.0
    """Seconds to wait for another writer before giving up."""

    visibility: Literal["off", "brief", "debug"] = "brief"
    """How much the runtime message after a turn shows."""

    max_draft_chars: int = 600
    """A fact is a sentence or two; longer drafts are refused as too_long (the longest gold sentence read was 412)."""

    max_drafts_per_turn: int = 2_000
    """Drafts above this are refused as over_capacity: a flood in one turn is a dump, not a conversation."""

    max_comparisons_per_turn: Annotated[int, Field(ge=1)] = 200_000
    """Facts that the drafts of one turn are compared with, all together; drafts after that are refused as
    over_capacity, so that no turn keeps other writers waiting for long. Counted, not timed: every machine stores the
    same. 2,000 drafts that share words with all others take about 65,000."""

    max_pairs_per_turn: Annotated[int, Field(ge=0)] = 4
    """Pairs of near statements of a turn whose relation the encoder reads, some 25 ms each: of what a user says in a
    turn, one or two statements touch an older one. With 2, of 300 blocks two or three more hold an old value. Where
    standing rules are near, six times as many are read with these. 0 leaves it to the rules, and to 15 ms a turn."""

    capacity: int = 20_000
    """Active learnt facts per category and namespace; the least useful go stale above it."""

    rejected_kept: int = 200_000
    """Rejected candidates kept per namespace; older ones are removed by `purge`, never by observing."""

    fuzzy_threshold: Annotated[float, Field(ge=50, le=100)] = 90.0
    """rapidfuzz token_sort_ratio from which two facts of one category may be the same, if all guards agree."""

    reinforcement: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """Share of the distance to 1 that a further, independent observation adds to the confidence."""

    stale_below: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """A decayed confidence under this makes a fact stale."""

    half_life_days: dict[Category, float] = field(default_factory=_half_lives)
    """Days in which an unconfirmed fact loses half its confidence; categories that are not named do not decay."""

    keep_days: dict[Category, Annotated[float, Field(gt=0)]] = field(default_factory=dict)
    """Time to live of facts by category, in days since they were last said: they go stale when observing, and `purge`
    erases them with the messages that told them. Pinned facts stay. None by default: what is worth keeping for how
    long is the user's to say."""

    keep_days_by_namespace: dict[str, Annotated[float, Field(gt=0)]] = field(default_factory=dict)
    """The same for all of a namespace, messages, recalls and commands too."""

    tokenizer: Literal["estimate", "o200k_base", "cl100k_base"] = "estimate"
    """How the tokens of a block are counted: an estimate that errs upwards, or exactly (extra `tokens`)."""

    pre_tool_gate: Annotated[bool, BeforeValidator(lambda value: not is_off(value))] = True
    """Whether the gate may change commands: `CFPM_PRE_TOOL_GATE=off` switches it off."""

    tool_gate_visibility: Literal["off", "brief", "debug"] | None = None
    """How much the gate shows of its decisions; as `visibility` unless set."""

    shell_tools: Annotated[tuple[str, ...] | None, BeforeValidator(_names)] = None
    """Exact names of the tools that are this host's own shell: only they can say where a known folder is. Unless set,
    those of the known hosts (`extractor/host_tools.toml`); `CFPM_SHELL_TOOLS=run,sh` names them, empty means none."""

    embedder: Literal["static", "onnx", "none"] = "static"
    """What makes vectors of messages and facts: the table that ships with the package, the sentence transformer of the
    extra `embeddings` (milliseconds a text), or nothing (words alone)."""

    compaction_strategy: str = "cfpm"
    """How a long history is made short: cfpm, lossless, segmented, intent, window, hybrid, or an alias of these. `cfpm`
    needs no model, and keeps what binds the agent."""

    summary_deadline: Annotated[float, Field(gt=0)] = 120.0
    """Seconds to wait for the host's summariser at each call: models answer such a prompt within one minute."""

    trust: dict[str, Literal["own", "data", "untrusted"]] = field(default_factory=dict)
    """How far a tool's text or a person's word is trusted, by patterns of names: `{"mcp__mail__*": "untrusted",
    "speaker:Ann": "own"}`. The first that fits decides. Else tools are data, and so is every participant of a session
    with an agent but the first."""

    agents: dict[str, dict[str, object]] = field(default_factory=dict)
    """Of agents that share a history, by name, what each sees: the fields of `AgentView`, `context` with its sources,
    and `own_memory` where it recalls only what it learnt itself. `[agents.Tester]` in `cfpm.toml`."""

    check_filesystem: bool = False
    """Ask this machine whether known folders exist. Off by default: transcripts come from elsewhere, and exports must
    agree."""

    auto_compact_threshold: Annotated[float, Field(allow_inf_nan=False)] = 0.8
    """Share of the model's window above which a history is compacted before a reply (reference, section 5.1); switched
    off at 0 and below, and at 1 and above."""

    context_limit: Annotated[int, Field(ge=1_000)] = 128_000
    """Tokens of the model's window where the host does not say: a common size, and less than most newer models have, so
    that a guess compacts early instead of never."""

    compaction_target: Annotated[float, Field(gt=0, lt=1)] = 0.5
    """Share of the tokens between the host's prompt and the threshold that a compacted view may fill: as much again can
    be said before the next compaction, each of which costs a prompt cache."""

    compact_after_turns: Annotated[int, Field(ge=0)] = 50
    """Turns after which a history is compacted, however short they are (reference, section 3.7 of context); 0 is
    never."""

    compact_keep_turns: Annotated[int, Field(ge=0)] = 10
    """Turns that stay as they are when a history is compacted though it is not long, after so many turns or at a
    milestone (reference, section 3.7 of context); 0 leaves the strategy's messages. Fewer stay in a small window."""

    compact_reasoning: Annotated[int, Field(ge=0)] = 0
    """Characters of each piece of the agent's thinking that go into a summary or a list of calls; 0 for none, 2,000 is
    the reference's figure. Off by default: what was thought and dropped is told as if it held."""

    artifacts_folder: str = ""
    """The folder of results that are too long for a history, and of conversations that can be taken up again. Empty is
    beside the database: `memory.db.artifacts`."""

    max_total_tokens: Annotated[int, Field(ge=0)] = 0
    """Tokens, in and out, of all turns of a session, after which no reply is asked for; 0 is never. Off by default:
    what a token costs is not known here."""

    budget_warn_at: Annotated[int, Field(ge=0)] = 0
    """Input tokens of one agent since the last compaction from which the host is warned, once; 0 is never. Off by
    default: what a token costs is not known here."""

    budget_cut_over_at: Annotated[int, Field(ge=0)] = 0
    """Input tokens of one agent since the last compaction from which the history is compacted; 0 is never."""

    max_turn_tokens: Annotated[int, Field(ge=0)] = 0
    """Input tokens of a single turn above which the history is compacted at once, also in the turn after a compaction;
    0 is never."""

    thrash_window: Annotated[int, Field(ge=0)] = 3
    """Compactions in a row that must have saved too little before automatic ones are held back; 0 is never. One may be
    bad luck and two a long turn; each costs a prompt cache."""

    thrash_min_saving: Annotated[float, Field(ge=0, lt=1)] = 0.10
    """Share of the view's tokens that a compaction must save to count as useful (reference: 10 %)."""

    recovery_attempts: Annotated[int, Field(ge=0)] = 6
    """Compactions without a model that one reply may take after context-length errors (reference, section 5.1)."""

    recovery_attempts_summary: Annotated[int, Field(ge=0)] = 3
    """The same where each asks a model for a summary (reference, section 5.1)."""

    recovery_shrink: Annotated[float, Field(gt=0, lt=1)] = 0.6
    """Each attempt's budget as a share of the last one's: the first leaves more than half of the view, three come down
    to a fifth, six to a twentieth."""

    hook_brief_tokens: Annotated[int, Field(ge=0)] = 1_200
    """Tokens of the brief that an agent host is told at the start of a session, as for `brief`; 0 is none."""

    hook_recall_tokens: Annotated[int, Field(ge=0)] = 600
    """Tokens of what an agent host is told with a prompt; 0 is none. Half of a brief: it comes with every prompt and
    stays in the history."""

    hook_state_tokens: Annotated[int, Field(ge=0)] = 1_500
    """Tokens of what is put before the model again after the host compacted the session, besides the brief; 0 is
    none. Of a session's own log nine tenths of what is used again fit 8,000; the host's summary holds most of it."""

    hook_deadline: Annotated[float, Field(gt=0)] = 5.0
    """Seconds after which a host goes on without what it would be told at the start or with a prompt: hosts give a hook
    at least 10."""

    gate_deadline: Annotated[float, Field(gt=0)] = 0.24
    """Seconds after which a host's call goes on as it is: the user waits for each of them."""

    def __post_init__(self) -> None:
        changed = {one.name: getattr(self, one.name) for one in fields(self) if not _is_sound(self, one)}
        for name, value in _validated(changed):
            object.__setattr__(self, name, value)
        if 0 < self.budget_cut_over_at <= self.budget_warn_at:
            raise UsageError(
                "setting budget_cut_over_at",
                f"budget_warn_at ({self.budget_warn_at}) must be below budget_cut_over_at, or nobody is warned in time "
                f"(got {self.budget_cut_over_at})",
                _REMEDY,
            )

    @classmethod
    def load(cls, env: Mapping[str, str] | None = None, directory: Path | None = None) -> Self:
        """Reads `cfpm.toml` in `directory` (default: the working directory), then `CFPM_<NAME>` variables.

        Raises UsageError naming the file or variable, the value and what is allowed.
        """
        env = os.environ if env is None else env
        path = (directory or Path.cwd()) / "cfpm.toml"
        values = _file_values(path) if path.is_file() else {}
        names = {one.name for one in fields(cls)}
        for unknown in values.keys() - names:
            raise UsageError(f"setting {unknown}", f"Extra inputs are not permitted (got {values[unknown]!r})", _REMEDY)
        values |= {name: env[f"CFPM_{name.upper()}"] for name in names if f"CFPM_{name.upper()}" in env}
        return cls(**values)  # type: ignore[arg-type]


def _names(value: object) -> object:
    """Names as a list, or between commas as an environment variable has them."""
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


_REMEDY = "See docs/architecture.md, Settings"


def _file_values(path: Path) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(str(path), f"not valid TOML ({error})", "Correct the file or remove it") from error


def _is_sound(settings: Settings, one: DataclassField[object]) -> bool:
    """Whether a value needs no check: the default, or any text where any may stand."""
    value = getattr(settings, one.name)
    if one.type == "str" and type(value) is str:
        return True
    default = one.default if one.default_factory is MISSING else one.default_factory()
    return type(value) is type(default) and value == default


def _meant(value: object, allowed: object, default: object) -> object:
    """The word of a switch that a user means, however it is written; any other value as it is."""
    words = [word for part in (allowed, *get_args(allowed)) if get_origin(part) is Literal for word in get_args(part)]
    if words:
        # A switch that follows another one is on as that one is by default.
        return switched(value, words, default if default is not None else "brief")
    return value if allowed is not bool else switched(value, (True, False), True)


def _validated(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    if not values:
        return
    from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

    allowed = get_type_hints(
        Settings, localns={"Field": Field, "BeforeValidator": BeforeValidator}, include_extras=True
    )
    defaults = {one.name: one.default for one in fields(Settings)}
    for name, value in values.items():
        try:
            yield name, TypeAdapter(allowed[name]).validate_python(_meant(value, allowed[name], defaults[name]))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in (name, *first["loc"]))
            raise UsageError(f"setting {place}", f"{first['msg']} (got {first.get('input')!r})", _REMEDY) from error
