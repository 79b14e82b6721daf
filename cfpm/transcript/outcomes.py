"""Whether a tool call succeeded, from the words in which its host says so. Does not judge what an output is about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from cfpm.model.bytecode import compiled
from cfpm.model.tables import toml_table

_HEAD = 800
"""Characters at the start in which a host states an outcome."""
_TAIL = 300
_SHORT = 2_000
"""Characters up to which an output that begins with `Error:` is taken for the tool's own message."""
_MAX_JSON = 200_000
"""Characters up to which an output is parsed as JSON to look for its status fields."""

_CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "returnCode")
_FLAG_KEYS = ("is_error", "isError", "error", "success", "interrupted")
_WRAPPING = {"output", "metadata"}
_QUOTED_KEYS = tuple(f'"{key}"' for key in (*_CODE_KEYS, *_FLAG_KEYS))

Outcome = tuple[bool | None, int | None]
"""`is_error` and the exit code; None where the host says nothing."""


@dataclass(frozen=True, slots=True)
class _Forms:
    failed: re.Pattern[str]
    failed_short: re.Pattern[str]
    succeeded: re.Pattern[str]
    exit_head: tuple[re.Pattern[str], ...]
    exit_tail: tuple[re.Pattern[str], ...]


@cache
def _forms() -> _Forms:
    entries = toml_table("cfpm.transcript", "outcomes")

    def either(key: str) -> re.Pattern[str]:
        return compiled("|".join(re.escape(e["starts"]) if "starts" in e else e["pattern"] for e in entries[key]))

    return _Forms(
        failed=either("failed"),
        failed_short=either("failed_short"),
        succeeded=either("succeeded"),
        exit_head=tuple(compiled(entry["pattern"]) for entry in entries["exit_head"]),
        exit_tail=tuple(compiled(entry["pattern"] + r"\s*\Z") for entry in entries["exit_tail"]),
    )


def outcome(text: str) -> Outcome:
    """`(is_error, exit_code)` as the host wrote them into a tool's output, None for what it does not say.

    Reads a status at the very start or end (`Exit code 1`, `<tool_use_error>`, `has been updated successfully`: the
    whole list is outcomes.toml), and the fields `exit_code`, `returncode`, `error`, `success`, `is_error`,
    `interrupted` of an output that is a JSON object. Never guesses from words in the middle.
    """
    forms = _forms()
    head = text[:_HEAD].lstrip()
    if head.startswith("{") and (found := _from_json(text)) != (None, None):
        return found
    for pattern in forms.exit_head:
        if match := pattern.match(head):
            return _by_code(int(match["code"]))
    if forms.failed.match(head) or (len(text) <= _SHORT and forms.failed_short.match(head)):
        return True, None
    if forms.succeeded.match(head):
        return False, None
    if "xit code" in (tail := text[-_TAIL:]) or "Exit Code" in tail:
        for pattern in forms.exit_tail:
            if match := pattern.search(tail):
                return _by_code(int(match["code"]))
    return None, None


def from_fields(fields: Mapping[str, object]) -> Outcome:
    """The outcome that a JSON object of a host states in its own fields."""
    for key in _CODE_KEYS:
        code = fields.get(key)
        if isinstance(code, int) and not isinstance(code, bool):
            return _by_code(code)
    for key in ("is_error", "isError", "interrupted"):
        if fields.get(key) is True:
            return True, None
    if fields.get("error"):
        return True, None
    if isinstance(success := fields.get("success"), bool):
        return not success, None
    if fields.get("is_error") is False or fields.get("isError") is False:
        return False, None
    return None, None


def unwrapped(text: str) -> tuple[str, Outcome]:
    """The output and its outcome where a host wraps both into JSON, as in `{"output": "...", "metadata":
    {"exit_code": 0}}`; another text as it is. Linear in the text."""
    if not text.startswith("{") or '"output"' not in text[:_HEAD]:
        return text, (None, None)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text, (None, None)
    if not isinstance(value, dict) or not value.keys() <= _WRAPPING:
        return text, (None, None)
    output, about = value.get("output"), value.get("metadata")
    if not isinstance(output, str) or not isinstance(about, dict):
        return text, (None, None)
    return output, from_fields(about)


def settle(stated: bool | None, text: str) -> Outcome:
    """The host's own flag where it gave one, completed by what the text says."""
    is_error, code = outcome(text)
    return (is_error if stated is None else stated), code


def _by_code(code: int) -> Outcome:
    """No system has a code beyond 32 bits, and a tool may print any number: one that is none still says failure."""
    return code != 0, code if -(2**31) <= code < 2**32 else None


def _from_json(text: str) -> Outcome:
    if len(text) > _MAX_JSON or not text.rstrip().endswith("}") or not any(key in text for key in _QUOTED_KEYS):
        return None, None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, None
    return from_fields(value) if isinstance(value, dict) else (None, None)
