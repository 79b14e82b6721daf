"""Makes a message fit to be stored: secrets taken out of its text and its calls, long tool output cut in the middle."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from cfpm.errors import InputError
from cfpm.extractor.replies import question_in, speaks
from cfpm.model import Details, Draft, Message, Role, ToolCall
from cfpm.secrets import Numbers, redact, redact_value
from cfpm.secrets.asked import asks_for_a_secret, without_answer

_SHORTEST_KEY = 16
"""Characters: no key with a shape of its own is shorter, and a name or an id has no word like 'password' beside it."""
_ANSWER = 200
"""Characters of a message up to which it is read with the question that it answers."""
_HEAD_SHARE = 0.6
"""Of a cut output the head keeps more than the tail: results open with what was asked, and close with how it ended."""


def redacted(message: Message, numbers: Numbers = "named", asked: str = "") -> Message:
    """The message without secrets, wherever a host put them; the very same object when it holds none. `asked` is the
    question that it answers: "4821" alone tells nobody that it is a PIN."""
    text = _answered(message.text, numbers, asked) if message.text else message.text
    calls = tuple([_call(call, numbers) for call in message.tool_calls]) if message.tool_calls else ()
    details = message.details and _told(message.details)
    unchanged = text == message.text and calls == message.tool_calls and details is message.details
    changed = message if unchanged else replace(message, text=text, tool_calls=calls, details=details)
    if _names_hold_a_secret(message):
        result = message.tool_result
        changed = replace(
            changed,
            id=_short(message.id),
            name=_short(message.name),
            tool_calls=tuple(replace(call, id=_short(call.id), name=_short(call.name)) for call in calls),
            tool_result=replace(result, call_id=_short(result.call_id)) if result else None,
        )
    same = changed is message or (changed == message and changed.details is message.details)
    return message if same else changed


@dataclass(slots=True)
class Redactor:
    """Redacts the messages of a session in order, an answer together with the question before it."""

    numbers: Numbers
    said_last: Callable[[], str] = str
    """What the agent said last before the first message, asked for once."""
    _said: str | None = None

    def redacted(self, message: Message) -> Message:
        """The message without secrets; call it once for each message, in order."""
        if not speaks(message):
            return redacted(message, self.numbers)
        if message.role is Role.ASSISTANT:
            done = redacted(message, self.numbers)
            self._said = done.text
            return done
        said = self.said_last() if self._said is None else self._said
        self._said = ""
        return redacted(message, self.numbers, question_in(said))


def _answered(text: str, numbers: Numbers, asked: str) -> str:
    if asked and len(text) <= _ANSWER:
        both = redact(f"{asked} {text}", numbers).text
        if both.startswith(f"{asked} "):
            text = both[len(asked) + 1 :]
        if asks_for_a_secret(asked):
            text = without_answer(text)
    return redact(text, numbers).text


def _told(details: Details) -> Details:
    """What was told beside the words without secrets; a seal that is none any more when it is changed is left out."""
    names = (details.model, details.reply, details.cwd)
    kept = tuple(map(_short, names))
    signature = details.signature if _short(details.signature) == details.signature else ""
    if kept == names and signature == details.signature:
        return details
    return replace(details, model=kept[0], reply=kept[1], cwd=kept[2], signature=signature)


def _names_hold_a_secret(message: Message) -> bool:
    """Ids and names are many and short, so all of a message's are looked at together."""
    names = [message.id, message.name, message.tool_result.call_id if message.tool_result else ""]
    for call in message.tool_calls:
        names += (call.id, call.name)
    if max(map(len, names)) < _SHORTEST_KEY:
        return False
    return bool(redact("\n".join([name for name in names if len(name) >= _SHORTEST_KEY])).findings)


@lru_cache(maxsize=64)
def session_without_secrets(session: str) -> str:
    """The name of a session, which hosts give with each of its turns."""
    return redact(session).text


def name_without_secrets(name: str) -> str:
    """The name of a namespace or an agent; a short one is not looked at."""
    return session_without_secrets(name) if len(name) >= _SHORTEST_KEY else name


def redacted_draft(draft: Draft) -> Draft:
    """A draft of an extra extractor without secrets: it may quote what the log does not hold."""
    command = draft.validation_command
    return replace(
        draft,
        content=redact(draft.content).text,
        line=redact(draft.line).text,
        validation_command=redact(command).text if command else command,
        speaker=_short(draft.speaker),
    )


def told_without_secrets(error: InputError) -> InputError:
    """The same error, fit to be shown and logged: what is wrong with an input may quote it."""
    return type(error)(
        redact(error.source).text, redact(error.problem).text, error.remedy, place=redact(error.place).text
    )


def line_without_secrets(line: str) -> str:
    """A line of an export; the very same when it holds no secret, as no export of ours does."""
    if not redact(line).findings:
        return line
    try:
        value: object = json.loads(line)
    except ValueError:
        # Whoever reads it will say what is wrong with it, so it must not quote the secret.
        return redact(line).text
    return json.dumps(redact_value(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def capped(text: str, cap: int) -> tuple[str, int]:
    """At most about `cap` characters of a tool's output, head and tail, with a note of what was cut; and how many
    were."""
    if len(text) <= cap:
        return text, 0
    head_end = _line_break(text, int(cap * _HEAD_SHARE), backwards=True)
    tail_start = _line_break(text, len(text) - (cap - int(cap * _HEAD_SHARE)), backwards=False)
    cut = tail_start - head_end
    return f"{text[:head_end]}\n[... {cut} characters cut from the log ...]\n{text[tail_start:]}", cut


def _line_break(text: str, at: int, *, backwards: bool) -> int:
    """The nearest line break, if one is near, so that no line is torn."""
    near = 2_000
    found = text.rfind("\n", max(0, at - near), at) if backwards else text.find("\n", at, at + near) + 1
    return found if found > 0 else at


def _call(call: ToolCall, numbers: Numbers) -> ToolCall:
    arguments = redact_value(call.arguments, numbers)
    return call if arguments == call.arguments else replace(call, arguments=cast("Mapping[str, object]", arguments))


def _short(text: str) -> str:
    return redact(text).text if len(text) >= _SHORTEST_KEY else text
