"""Histories of Cline and of what came from it (Roo Code, Kilo Code): Anthropic's messages, in which the results of
tools stand under the user's role, and what the user said in elements of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import PurePath
from re import Match, Pattern
from re import compile as pattern_of

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_output
from cfpm.transcript.fields import clean, label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import Format, entries_of, is_list_of, kinds, said_in_tag
from cfpm.transcript.messages import read_message
from cfpm.transcript.origins import number_parts
from cfpm.transcript.records import Entries, Problem

_RESULT = lazy_pattern(r"\[(?P<tool>[a-zA-Z][\w.-]{1,60})(?P<shown> [^\n]{0,2000}?)?\] Result:[ \t]*\n?")
_CALL = lazy_pattern(r"(?ms)^<(?P<tool>[a-z]+(?:_[a-z]+)+)>[ \t]*\n(?P<body>.*?)^</(?P=tool)>[ \t]*$")
_ARGUMENT = lazy_pattern(r"(?ms)^\s*<(?P<name>\w{1,60})>(?P<value>.*?)</(?P=name)>[ \t]*$")
_ENVIRONMENT = "<environment_details>"
_HISTORY = "api_conversation_history"
_HOST = ("<", "[", "#")
"""How a text that no user typed begins, where nothing is in an element of the user's."""


@cache
def _asked() -> Pattern[str]:
    return pattern_of(rf"<(?P<tag>{'|'.join(kinds('cline')['asked'])})(?: [^>\n]{{0,200}})?>")


@cache
def _spoken() -> Pattern[str]:
    return pattern_of("|".join(kinds("cline")["spoken"]))


def _marks(message: Mapping[str, object]) -> bool:
    """True for a user's message in the form of this host."""
    return any(text.startswith(_ENVIRONMENT) or _asked().match(text) or _RESULT.match(text) for text in _texts(message))


def _texts(message: Mapping[str, object]) -> list[str]:
    """The texts of a user's message."""
    if message.get("role") != "user":
        return []
    texts = [text_of(object_of(block).get("text")) for block in list_of(message.get("content"))]
    return [text.lstrip() for text in (*texts, text_of(message.get("content"))) if text]


def _fits(value: object) -> bool:
    listed = value.get("messages") if isinstance(value, Mapping) else value
    return is_list_of(listed, _marks)


@dataclass(slots=True)
class _Reader:
    """Reads message by message; `called` are the last calls, by which a result finds its own."""

    source: str
    called: list[ToolCall] = field(default_factory=list)
    speaking: set[str] = field(default_factory=set)
    """The calls by which the agent spoke to the user: their results are answers."""
    calls: int = 0
    tagged: bool = False
    """Whether the file has elements of the user's: then what stands outside of them is the host's."""

    def read(self, value: object) -> Entries:
        listed = value.get("messages") if isinstance(value, Mapping) else value
        key = label(object_of(value).get("sessionId")) or _session(self.source)
        if not isinstance(listed, list):
            yield Problem(self.source, "", "messages that are no list", "Pass a list of message objects")
            return
        self.tagged = any(_asked().match(text) for item in listed for text in _texts(object_of(item)))
        for number, item in enumerate(listed, start=1):
            read = partial(self._messages, number)
            yield from entries_of(item, self.source, f"message {number}", read, key, own=bool(key))

    def _messages(self, number: int, item: Mapping[str, object]) -> list[Message]:
        identity, at = label(item.get("id")), loose_moment(item.get("ts"))
        if item.get("role") == "user":
            content = item.get("content")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            found = list(self._user(blocks))
        else:
            found = [part for one in read_message(item) for part in self._assistant(one)]
        kept = [replace(one, created_at=at, id="") for one in found if one.text or one.tool_calls or one.tool_result]
        return number_parts(kept, identity)

    def _user(self, blocks: list[object]) -> Iterator[Message]:
        result: tuple[ToolCall, list[str]] | None = None
        for block in blocks:
            text = text_of(object_of(block).get("text")) if object_of(block).get("type") == "text" else ""
            found = _RESULT.match(text.lstrip())
            asked = _asked().match(text.lstrip())
            if result and (found or not text or text.lstrip().startswith(_ENVIRONMENT) or (asked and result[1])):
                yield from self._output(*result)
                result = None
            if found:
                body = text.lstrip()[found.end() :]
                result = self._call_of(found), [body] if body.strip() else []
            elif result is not None:
                result[1].append(text)
            elif text:
                yield from _typed(text, self.tagged)
            else:
                yield from self._blocks(block)
        if result:
            yield from self._output(*result)

    def _blocks(self, block: object) -> Iterator[Message]:
        """A block that is no text: results of calls, whose words may be the user's, and media."""
        for one in read_message({"role": "user", "content": [block]}):
            call_id = one.tool_result.call_id if one.tool_result else ""
            yield from _with_answer(one, call_id in self.speaking)

    def _output(self, call: ToolCall, texts: list[str]) -> Iterator[Message]:
        yield from _with_answer(tool_output("\n".join(texts), call.id, name=call.name), call.id in self.speaking)

    def _call_of(self, found: Match[str]) -> ToolCall:
        """The open call of the tool that a result names; each has one result."""
        for number, call in enumerate(self.called):
            if call.name == found["tool"] or len(self.called) == 1:
                return self.called.pop(number)
        return ToolCall("", clean(found["tool"]))

    def _assistant(self, message: Message) -> list[Message]:
        if message.origin is not Origin.SAID:
            return [message]
        text, written = message.text, list(_CALL.finditer(message.text))
        calls = list(message.tool_calls)
        for found in reversed(written):
            text = (text[: found.start()] + text[found.end() :]).strip("\n")
        for found in written:
            self.calls += 1
            given = {clean(part["name"]): part["value"].strip("\n") for part in _ARGUMENT.finditer(found["body"])}
            calls.append(ToolCall(f"call-{self.calls}", found["tool"], dict(given)))
        self.called = list(calls)
        words = [text, *(said for call in calls if (said := _said(call)))]
        self.speaking |= {call.id for call in calls if call.name in kinds("cline")["speaking"]}
        told = [_without_words(call) for call in calls]
        return [replace(message, text="\n\n".join(word for word in words if word.strip()), tool_calls=tuple(told))]


def _said(call: ToolCall) -> str:
    """What the agent tells the user by calling a tool."""
    argument = kinds("cline")["speaking"].get(call.name)
    return text_of(call.arguments.get(argument)) if argument else ""


def _without_words(call: ToolCall) -> ToolCall:
    argument = kinds("cline")["speaking"].get(call.name)
    if argument is None:
        return call
    return replace(call, arguments={name: value for name, value in call.arguments.items() if name != argument})


def _typed(text: str, tagged: bool) -> list[Message]:
    """A text of the user's message that is no result: what was typed stands in an element, unless the file has none."""
    message = Message(Role.USER, text)
    if text.lstrip().startswith(_ENVIRONMENT):
        return [message]
    if found := _asked().match(text.lstrip()):
        return said_in_tag(replace(message, text=text.lstrip()), found["tag"], 0)
    resumed = _asked().search(text) if text.lstrip().startswith("[") else None
    if resumed:
        return said_in_tag(message, resumed["tag"], resumed.start())
    own = tagged or text.lstrip().startswith(_HOST)
    return [replace(message, origin=Origin.HOST_NOTICE) if own else message]


def _with_answer(message: Message, speaking: bool) -> list[Message]:
    """A result, and the user's words in it: where the agent asked, or where the user refused and said why.

    What a program prints may hold any tag, so that nothing else in a result is taken for the user's.
    """
    told = _spoken().match(message.text)
    found = _asked().match(message.text, told.end()) if told else None
    if found is None and speaking:
        found = _asked().search(message.text)
    if found is None or message.tool_result is None:
        return [message]
    parts = said_in_tag(message, found["tag"], found.start())
    said = [Message(Role.USER, part.text) for part in parts if part.origin is Origin.SAID]
    rest = "\n".join(part.text for part in parts if part.origin is not Origin.SAID)
    return [replace(message, text=rest), *said]


def _session(source: str) -> str:
    """The task's id, which is the name of its folder; a file that was moved elsewhere is named by its words."""
    path = PurePath(source)
    return clean(path.parent.name) if path.stem == _HISTORY else ""


FORMAT = Format(
    name="cline",
    about="histories of Cline, Roo Code and Kilo Code",
    fits_document=_fits,
    document=lambda value, source: _Reader(source).read(value),
)
