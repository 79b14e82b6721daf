"""One tool block of a SpecStory file as a call and its output. Knows nothing of the messages around it."""

from __future__ import annotations

from dataclasses import dataclass

from cfpm.model.patterns import lazy_pattern

_OPENING = lazy_pattern(r'<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)"')
_SUMMARY = lazy_pattern(r"<summary>(?:Tool use: )?\*\*(?P<name>[^*\n]+)\*\*(?P<rest>[^\n]*?)(?:</summary>)?$")
_BARE = lazy_pattern(r"Tool use: \*\*(?P<name>[^*\n]+)\*\*(?P<rest>.*)")
_NAMED = lazy_pattern(r"(?:^|\s)(\w[\w ]{0,30}?):? `([^`\n]*)`")
_PATCHED = lazy_pattern(r"\*\*(?:Add|Update|Delete|Move|Create|Edit): `([^`\n]+)`\*\*")
_IN_SUMMARY = lazy_pattern(r"(?:Read|Edit|Write|Create|Delete)(?:ed)? file: (.+)")
_OUTPUT_LANGUAGES = ("```", "```text")
_FENCE = "```"
CLOSINGS = {
    "tool": ("</details></tool-use>", "</tool-use>"),
    "think": ("</details></think>", "</think>"),
    "details": ("</details>",),
    "bare": ("</details>",),
}
"""The lines that end a block, by its kind."""
_ANSWER = "**Answer:"


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """A call as SpecStory shows it: `output` is None when the block shows none."""

    name: str
    arguments: dict[str, object]
    output: str | None


def read_tool(lines: list[str]) -> ToolBlock:
    """The block from its opening to its closing line.

    What is not recognised stands under `input`, so that nothing is lost.
    """
    opening = _OPENING.match(lines[0])
    kind, name = opening.groups() if opening else ("", "")
    bare = _BARE.match(lines[0])
    if bare:
        name = bare["name"].strip()
    summary, body = _split_summary(lines[1:] if opening or bare else lines)
    summary = summary or (f"<summary>{bare['rest']}" if bare else "")
    if found := _SUMMARY.search(summary):
        name, rest = name or found["name"].strip(), found["rest"].strip(" •")
    else:
        rest = summary.removeprefix("<summary>").removesuffix("</summary>").strip(" •\n")
    shown, fenced, output = _split_output(body)
    arguments = _arguments(kind, rest, shown, fenced)
    if output is None and (at := _answer(shown)) >= 0:
        output = "\n".join(shown[at:]).strip()
        arguments["input"] = "\n".join(shown[:at]).strip()
    return ToolBlock(name, arguments, output)


def _split_summary(lines: list[str]) -> tuple[str, list[str]]:
    for at, line in enumerate(lines[:6]):
        if (start := line.find("<summary>")) >= 0:
            end = at + 1
            while "</summary>" not in lines[end - 1] and end < len(lines):
                end += 1
            summary = "\n".join(lines[at:end])[start:]
            return summary, _without_closing(lines[end:])
    return "", _without_closing(lines)


def _without_closing(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and (
        not lines[end - 1].strip() or lines[end - 1].strip() in ("</details>", "</tool-use>", "</details></tool-use>")
    ):
        end -= 1
    return lines[:end]


def _split_output(body: list[str]) -> tuple[list[str], list[str], str | None]:
    """Lines before any fence, lines of the input fence, and the output fence.

    Fences inside an output are not escaped.
    """
    first = _next_fence(body, 0)
    if first < 0:
        return body, [], None
    if body[first] in _OUTPUT_LANGUAGES:
        return body[:first], [], _fenced(body, first)
    at = first + 1
    while (at := _closing(body, at)) >= 0:
        following = next((n for n in range(at + 1, len(body)) if body[n].strip() not in ("", "Output:")), -1)
        if following < 0:
            return body[:first], body[first + 1 : at], None
        if body[following] in _OUTPUT_LANGUAGES:
            return body[:first], body[first + 1 : at], _fenced(body, following)
        at += 1
    return body[:first], body[first + 1 :], None


def _next_fence(body: list[str], start: int) -> int:
    return next((n for n in range(start, len(body)) if body[n].startswith(_FENCE)), -1)


def _closing(body: list[str], start: int) -> int:
    return next((n for n in range(start, len(body)) if body[n] == _FENCE), -1)


def _fenced(body: list[str], opening: int) -> str:
    end = len(body) - 1 if len(body) - 1 > opening and body[-1] == _FENCE else len(body)
    return "\n".join(body[opening + 1 : end])


def _answer(shown: list[str]) -> int:
    return next((n for n, line in enumerate(shown) if line.startswith(_ANSWER)), -1)


def _arguments(kind: str, rest: str, shown: list[str], fenced: list[str]) -> dict[str, object]:
    text = "\n".join(shown).strip()
    code = "\n".join(fenced)
    quoted = _inline(rest) or next((inline for line in shown if (inline := _inline(line.strip()))), "")
    match kind:
        case "shell":
            command = code or quoted
            described = "\n".join(line for line in shown if not _inline(line.strip())).strip()
            return _kept(command=command, description=described if command else "", input="" if command else text)
        case "read":
            path = quoted or _file(rest)
            return _kept(url=path) if "://" in path else _kept(file_path=path, input="" if path else text or code)
        case "search" | "grep":
            named = {key.strip().split()[-1].lower(): value for key, value in _NAMED.findall(text)}
            return {**named, **_kept(query="" if named else quoted, input=code)} or _kept(input=text)
        case "write":
            patched = _PATCHED.search(text)
            return _kept(file_path=patched[1] if patched else _file(rest) or quoted, content=code, input=text)
        case _:
            command, file = _inline(rest), _file(rest) or _file(text.partition("\n")[0])
            parts = (rest if not command and not file else "", text, code)
            return _kept(command=command, file_path=file, input="\n".join(part for part in parts if part))


def _kept(**arguments: str) -> dict[str, object]:
    return {key: value for key, value in arguments.items() if value}


def _inline(line: str) -> str:
    """The content of a line that is one code span."""
    if len(line) > 2 and line.startswith("`") and line.endswith("`") and not line.startswith(_FENCE):
        return line.strip("`").strip() if line.startswith("``") else line[1:-1]
    return ""


def _file(rest: str) -> str:
    found = _IN_SUMMARY.search(rest)
    return found[1].strip() if found else ""
