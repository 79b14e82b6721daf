"""What the gate decides, and why: a closed union of a rewrite and a pass, both with the command as it is to run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self


class Reason(StrEnum):
    """Why a command passes or is changed. Codes are stable, since scripts and stored events depend on them; `sentence`
    says the same to a user."""

    sentence: str

    def __new__(cls, code: str, sentence: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    KNOWN_FOLDER = "known_folder", "The probe was replaced by the path that memory has validated."
    NO_PROBE = "no_probe", "The command asks for no known folder."
    SWITCHED_OFF = "switched_off", "The gate is switched off by CFPM_PRE_TOOL_GATE."
    REVERIFICATION_ASKED = "reverification_asked", "The user asked to verify anew, so nothing known is used."
    UNKNOWN_DIALECT = "unknown_dialect", "The gate does not know this shell."
    CANNOT_PARSE = "cannot_parse", "The shell's grammar does not understand the command."
    TOO_LONG = "too_long", "The command is longer than the gate reads."
    REMOTE_HOST = "remote_host", "The path is one of another machine or container."
    STRING_LITERAL = "string_literal", "The shell does not expand this text, so it is no probe."
    COMMENT = "comment", "It stands in a comment."
    HERE_DOCUMENT = "here_document", "It stands in a here-document or here-string."
    PATTERN = "pattern", "It is part of a pattern, where a path would mean something else."
    NESTED_LANGUAGE = "nested_language", "It stands in the code of another language or another shell."
    LONGER_NAME = "longer_name", "The name goes on, so it is another folder."
    HOME_CHANGED = "home_changed", "The command changes the variables that the probe hangs on."
    VARIABLE_NOT_SET = "variable_not_set", "The variable is not set here, so what the probe means is not known."
    UNQUOTABLE = "unquotable", "The path cannot be written safely in this place."
    UNSUPPORTED_PLACE = "unsupported_place", "The probe stands where the gate does not change anything."
    NOT_READ_ONLY = "not_read_only", "The command may do more than read, so no path in it is changed."
    OUTLASTS_COMMAND = (
        "outlasts_command",
        "The command leaves the folder behind for later ones, and the known folder lies elsewhere.",
    )
    FOREIGN_FLAVOUR = "foreign_flavour", "The known path is one of another kind of system."
    NOT_TRUSTED = "not_trusted", "What is known of the folder comes from no evidence that may steer a command."
    MARKED_INVALID = "marked_invalid", "The known path has been reported as broken."
    FOLDER_MISSING = "folder_missing", "The known folder is not there now."
    OUTSIDE_HOME = "outside_home", "The known folder lies neither in this home nor where the system says that it is."
    AMBIGUOUS = "ambiguous", "Several folders may be meant."
    NOTHING_KNOWN = "nothing_known", "Memory knows no path for this folder."
    INVALID_PATH_NAMED = (
        "invalid_path_named",
        "The command names a path that memory knows to be broken; the advice names the right.",
    )
    STORE_UNAVAILABLE = "store_unavailable", "The memory could not be read."


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

    def summary(self) -> dict[str, object]:
        """What programs are told of it: which folder, its path, and the span in the original command."""
        return {"target": self.target, "path": self.path, "start": self.start, "end": self.end}


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
