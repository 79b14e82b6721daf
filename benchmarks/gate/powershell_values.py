"""What the string, word or question around a character of a PowerShell command is worth, by the rules of the language.

Written from the language specification (sections 2.3.5 and 8.2) and about_Quoting_Rules, about_Parsing, without the
gate's code, so that it can judge it. Says None for whatever it does not know, and never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SINGLE = "'‘’‚‛"
DOUBLE = '"“”„'
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ENDS_WORD = frozenset(" \t\r\n;|&(){},")
_NAME = re.compile(r"\$(?:\{(?P<braced>[^{}`]+)\}|(?P<plain>(?:\w+:)?\w+|[$?^]))")
_TARGET = re.compile(r"\$(?:\{[^{}`]+\}|(?:\w+:)?\w+)(?=\s*[-+*/%]?=)")
_BEFORE_TARGET = re.compile(r"(?:^|[;{}()\n|,\]])[ \t]*\Z")
_KEY = re.compile(r"\w+(?=\s*=)")
_TYPE = re.compile(r"[\w.]+\]")
_QUESTION = re.compile(
    r"\s*\[(?:System\.)?Environment\]::GetFolderPath\(\s*"
    r"(?:(?P<quote>['\"])(?P<name>\w+)(?P=quote)|\[(?:System\.)?Environment\+SpecialFolder\]::(?P<member>\w+))\s*\)",
    re.IGNORECASE,
)
_RESOLVES_HOME = re.compile(
    r"(?:^|[;|&({\n=])\s*(?:(?:get-childitem|set-location|push-location|resolve-path|test-path|get-item|get-content|set-content"
    r"|add-content|copy-item|move-item|remove-item|new-item|invoke-item|out-file)|gci|ls|dir|cd|sl|chdir|pushd|rvpa|gi|gc|cat"
    r"|type|cp|copy|cpi|mv|move|mi|rm|del|ri|erase|rd|ni|ii|mkdir|md)\s[^;|&(){}\n]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Environment:
    """What a shell knows: variables by name in lower case (`env:userprofile`, `name`), the home folder, and the answers
    of GetFolderPath by name in lower case. With `unknown`, any other variable is worth that text and its name."""

    variables: Mapping[str, str] = field(default_factory=dict)
    home: str = ""
    folders: Mapping[str, str] = field(default_factory=dict)
    unknown: str | None = None

    def value(self, name: str) -> str | None:
        """The value of a variable, None when it is not known."""
        key = name.lower()
        if key == "home":
            return self.home
        if key in self.variables:
            return self.variables[key]
        return None if self.unknown is None else f"{self.unknown}{key}"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a command: `kind` is word, single, double, here, comment, question or sign."""

    kind: str
    start: int
    end: int


def value_at(command: str, at: int, environment: Environment) -> str | None:
    """The value of what surrounds the character `at`, None when it has none or it cannot be said."""
    for token in tokens(command):
        if token.start <= at < token.end:
            return _value(command, token, at, environment)
    return None


def tokens(command: str) -> Iterator[Token]:
    """The pieces of a command in order."""
    at = 0
    while at < len(command):
        token = _token(command, at)
        yield token
        at = max(token.end, at + 1)


def _token(text: str, at: int) -> Token:
    character = text[at]
    if text.startswith("<#", at):
        end = text.find("#>", at)
        return Token("comment", at, end + 2 if end >= 0 else len(text))
    if character == "@" and text[at + 1 : at + 2] and text[at + 1] in SINGLE + DOUBLE:
        return Token("here", at, _here_end(text, at))
    if character == "#":
        end = text.find("\n", at)
        return Token("comment", at, end if end >= 0 else len(text))
    if character in SINGLE:
        return Token("single", at, _single_end(text, at))
    if character in DOUBLE:
        return Token("double", at, _double_end(text, at))
    if (question := _QUESTION.match(text, at)) and not character.isspace():
        return Token("question", at, question.end())
    if character in _ENDS_WORD or character in "=+[]":
        return Token("sign", at, at + 1)
    return Token("word", at, _name_end(text, at) or _word_end(text, at))


def _name_end(text: str, at: int) -> int | None:
    """After a variable that is assigned to, the first key of a table, or a type; None when there is none of them."""
    if (target := _TARGET.match(text, at)) and _BEFORE_TARGET.search(text[:at]):
        return target.end()
    if (key := _KEY.match(text, at)) and re.search(r"@\{\s*\Z", text[:at]):
        return key.end()
    kind = _TYPE.match(text, at) if text[at - 1 : at] == "[" else None
    return kind.end() if kind else None


def _here_end(text: str, at: int) -> int:
    quotes = SINGLE if text[at + 1] in SINGLE else DOUBLE
    match = re.compile(rf"\n[{quotes}]@").search(text, at)
    return match.end() if match else len(text)


def _single_end(text: str, at: int) -> int:
    at += 1
    while at < len(text):
        if text[at] in SINGLE:
            if text[at + 1 : at + 2] and text[at + 1] in SINGLE:
                at += 1
            else:
                return at + 1
        at += 1
    return at


def _double_end(text: str, at: int) -> int:
    at += 1
    while at < len(text):
        if text[at] == "`":
            at += 1
        elif text.startswith("$(", at):
            at = _code_end(text, at + 2) - 1
        elif text[at] in DOUBLE:
            if text[at + 1 : at + 2] and text[at + 1] in DOUBLE:
                at += 1
            else:
                return at + 1
        at += 1
    return at


def _code_end(text: str, at: int) -> int:
    """After the bracket that ends code within a string. Brackets count wherever they stand there."""
    depth = 1
    while at < len(text) and depth:
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and text[at] not in _ENDS_WORD:
        if text[at] == "`":
            at += 1
        elif text[at] == "$" and text[at + 1 : at + 2] == "{":
            at = max(text.find("}", at), at)
        elif text[at] in SINGLE:
            at = _single_end(text, at) - 1
        elif text[at] in DOUBLE:
            at = _double_end(text, at) - 1
        elif text[at] == ":" and re.fullmatch(r"-\w+", text[_word_start(text, at) : at]):
            return at + 1
        at += 1
    return min(at, len(text))


def _word_start(text: str, at: int) -> int:
    while at and text[at - 1] not in _ENDS_WORD:
        at -= 1
    return at


def _value(text: str, token: Token, at: int, environment: Environment) -> str | None:
    piece = text[token.start : token.end]
    match token.kind:
        case "single":
            return _at_home(text, token, _single(piece), environment)
        case "double":
            inner = _expanded(piece[1:-1], environment) if len(piece) > 1 and piece[-1] in DOUBLE else None
            return inner if "$" in piece else _at_home(text, token, inner, environment)
        case "question":
            return _answer(piece, environment)
        case "word":
            if any(quote in re.sub("`.", "", piece) for quote in SINGLE + DOUBLE):
                return None
            value = _expanded(piece, environment)
            return _at_home(text, token, value, environment)
    return None


def _at_home(text: str, token: Token, value: str | None, environment: Environment) -> str | None:
    """A path that begins with `~` is resolved by the commands that take paths, and by nobody else."""
    if value is None or not re.match(r"~[\\/]", value):
        return value
    return environment.home + value[1:] if _RESOLVES_HOME.search(text[: token.start]) else value


def _single(piece: str) -> str | None:
    if len(piece) < 2 or piece[-1] not in SINGLE:
        return None
    return re.sub(rf"[{SINGLE}]([{SINGLE}])", r"\1", piece[1:-1])


def _expanded(inner: str, environment: Environment) -> str | None:
    pieces: list[str] = []
    at = 0
    while at < len(inner):
        character = inner[at]
        step: str | None = character
        end = at + 1
        if character == "`" and end < len(inner):
            step, end = _ESCAPES.get(inner[end], inner[end]), end + 1
        elif character in DOUBLE and inner[end : end + 1] and inner[end] in DOUBLE:
            step, end = inner[end], end + 1
        elif inner.startswith("$(", at):
            end = _code_end(inner, at + 2)
            step = _code(inner[at + 2 : end - 1], environment)
        elif character == "$" and (name := _NAME.match(inner, at)):
            step, end = environment.value(name["braced"] or name["plain"]), name.end()
        if step is None:
            return None
        pieces.append(step)
        at = end
    return "".join(pieces)


def _code(code: str, environment: Environment) -> str | None:
    """Code within a string: a question or a single-quoted string, nothing else is known."""
    code = code.strip()
    if _QUESTION.fullmatch(code):
        return _answer(code, environment)
    if code[:1] and code[0] in SINGLE and _single_end(code, 0) == len(code):
        return _single(code)
    return None


def _answer(piece: str, environment: Environment) -> str | None:
    match = _QUESTION.fullmatch(piece)
    return environment.folders.get((match["name"] or match["member"]).lower()) if match else None
