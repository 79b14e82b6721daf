"""Why the gate let a command pass, or changed it: stable codes, each with a sentence that a user understands."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The reason of a decision. Codes are stable: scripts and stored events depend on them."""

    KNOWN_FOLDER = "known_folder"
    NO_PROBE = "no_probe"
    SWITCHED_OFF = "switched_off"
    REVERIFICATION_ASKED = "reverification_asked"
    UNKNOWN_DIALECT = "unknown_dialect"
    CANNOT_PARSE = "cannot_parse"
    TOO_LONG = "too_long"
    REMOTE_HOST = "remote_host"
    STRING_LITERAL = "string_literal"
    COMMENT = "comment"
    HERE_DOCUMENT = "here_document"
    PATTERN = "pattern"
    NESTED_LANGUAGE = "nested_language"
    LONGER_NAME = "longer_name"
    HOME_CHANGED = "home_changed"
    VARIABLE_NOT_SET = "variable_not_set"
    UNQUOTABLE = "unquotable"
    UNSUPPORTED_PLACE = "unsupported_place"
    CREATES_FOLDER = "creates_folder"
    FOREIGN_FLAVOUR = "foreign_flavour"
    NOT_TRUSTED = "not_trusted"
    MARKED_INVALID = "marked_invalid"
    FOLDER_MISSING = "folder_missing"
    AMBIGUOUS = "ambiguous"
    NOTHING_KNOWN = "nothing_known"
    INVALID_PATH_NAMED = "invalid_path_named"
    STORE_UNAVAILABLE = "store_unavailable"


SENTENCES: dict[Reason, str] = {
    Reason.KNOWN_FOLDER: "The probe was replaced by the path that memory has validated.",
    Reason.NO_PROBE: "The command asks for no known folder.",
    Reason.SWITCHED_OFF: "The gate is switched off by CFPM_PRE_TOOL_GATE.",
    Reason.REVERIFICATION_ASKED: "The user asked to verify anew, so nothing known is used.",
    Reason.UNKNOWN_DIALECT: "The gate does not know this shell.",
    Reason.CANNOT_PARSE: "The shell's grammar does not understand the command.",
    Reason.TOO_LONG: "The command is longer than the gate reads.",
    Reason.REMOTE_HOST: "The path is one of another machine or container.",
    Reason.STRING_LITERAL: "The shell does not expand this text, so it is no probe.",
    Reason.COMMENT: "It stands in a comment.",
    Reason.HERE_DOCUMENT: "It stands in a here-document or here-string.",
    Reason.PATTERN: "It is part of a pattern, where a path would mean something else.",
    Reason.NESTED_LANGUAGE: "It stands in the code of another language or another shell.",
    Reason.LONGER_NAME: "The name goes on, so it is another folder.",
    Reason.HOME_CHANGED: "The command changes the variables that the probe hangs on.",
    Reason.VARIABLE_NOT_SET: "The variable is not set here, so what the probe means is not known.",
    Reason.UNQUOTABLE: "The path cannot be written safely in this place.",
    Reason.UNSUPPORTED_PLACE: "The probe stands where the gate does not change anything.",
    Reason.CREATES_FOLDER: "The command creates what the probe names, and the known folder lies elsewhere.",
    Reason.FOREIGN_FLAVOUR: "The known path is one of another kind of system.",
    Reason.NOT_TRUSTED: "What is known of the folder comes from no evidence that may steer a command.",
    Reason.MARKED_INVALID: "The known path has been reported as broken.",
    Reason.FOLDER_MISSING: "The known folder is not there now.",
    Reason.AMBIGUOUS: "Several folders may be meant.",
    Reason.NOTHING_KNOWN: "Memory knows no path for this folder.",
    Reason.INVALID_PATH_NAMED: "The command names a path that memory knows to be broken; the advice names the right.",
    Reason.STORE_UNAVAILABLE: "The memory could not be read.",
}
