"""What the user allowed and refused, read from tool results and from their own words. The patterns are data
(approvals.toml); nothing that a tool shows of the world counts as leave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from cfpm.context.plans import asked_of, kind_of
from cfpm.extractor.tools import only_looks, plain_name, work_of
from cfpm.model import Message, ToolCall, ToolResult
from cfpm.model.patterns import lazy_pattern
from cfpm.model.state import Approval, Reach
from cfpm.model.tables import toml_table
from cfpm.text import lexicons_for, sentences
from cfpm.transcript.fields import first_text

MAX_LINE = 300
"""Characters of what was asked, and of an answer."""

SHORT = 60
"""Characters of an answer that may be nothing but a yes."""

_HEAD = 600
"""Characters of a result in which a host says that the user refused."""

_LATE = 3
"""Sentences at the end of what an agent says among which its question stands."""

_SEVERAL = 12
"""Questions of one call whose answers are told apart."""

_READ = 4_000
"""Characters of a message in which leave is looked for."""

_MAX_UNASKED = 300
"""Characters of a sentence that gives or takes leave unasked; longer ones describe something."""

_PAIR = lazy_pattern(r'"(?P<asked>[^"\n]{1,400})"\s*[=:]\s*"(?P<answer>[^"\n]{0,600})"')
_QUESTION = lazy_pattern(r"[?？][\"'”’)\]*_]*$")
_LISTED = lazy_pattern(r"^(?:\s*(?:[>•]|[*-](?=\s)))+\s*")
_EMPHASIS = lazy_pattern(
    r"(?<![\w/*])(\*{1,3}|_)(?=[^\s*_])([^*\n]*?[^\s*])\1(?![\w/*])|^\*\*(?=\w)|(?<=[\w?!])\*\*$|`+"
)
"""Marks of Markdown around words; the signs of a name or of a pattern of files are none: `load_rows`, `src/*.log`."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    refusals: re.Pattern[str]
    noes: re.Pattern[str]
    no_refusals: re.Pattern[str]
    told: re.Pattern[str]
    reason: re.Pattern[str]
    advice: re.Pattern[str]
    framed: re.Pattern[str]
    yes_ends: re.Pattern[str]
    asks: re.Pattern[str]
    unasked: re.Pattern[str]
    gives: re.Pattern[str]
    takes: re.Pattern[str]
    reach: tuple[tuple[Reach, re.Pattern[str]], ...]
    fields: Mapping[str, Any]


@cache
def _patterns() -> _Patterns:
    data = toml_table("cfpm.context", "approvals")
    who = data["who"]
    refusals = "|".join(one.replace("{who}", who) for one in data["refusals"])
    reason = lazy_pattern(data["reason"].replace("{who}", who), re.IGNORECASE)
    single = {name: lazy_pattern(data[name]) for name in ("no_refusals", "told", "framed", "yes_ends", "asks")}
    single |= {name: lazy_pattern(data[name]) for name in ("unasked", "gives", "takes")}
    reach = tuple((Reach(name), lazy_pattern(text)) for name, text in data["reach"].items())
    noes = lazy_pattern("|".join(data["noes"]))
    advice = lazy_pattern("|".join(data["advice"]), re.IGNORECASE)
    own = {"refusals": lazy_pattern(refusals), "noes": noes, "reason": reason, "advice": advice, **single}
    return _Patterns(**own, reach=reach, fields=data["fields"])


def refused(call: ToolCall, result: Message) -> bool:
    """Whether the user did not let this call run, or answered it with a no."""
    kind = kind_of(call)
    if kind == "permission":
        return not _answer(result.text).granted
    if kind == "plan_to_approve":
        return _failed(result) or not _answer(result.text).granted
    if kind == "question":
        answers = list(_to_questions(call, result.text))
        return _says_so(result.text) or not any(answer.granted for answer in answers)
    told = result.tool_result or ToolResult("")
    if told.exit_code == 0 or (told.is_error is False and only_looks(call, work_of(call))):
        # It ran; what it shows are words of somebody else.
        return False
    return _says_so(result.text)


def of_result(call: ToolCall, result: Message) -> Iterator[Approval]:
    """The answers that the result of a call brings: to a request for leave, to questions, to a plan, or that a call was
    not let run. What any other tool says gives no leave."""
    kind = kind_of(call)
    if kind == "question" and not _says_so(result.text):
        if not _failed(result):
            yield from _to_questions(call, result.text)
    elif kind in ("permission", "plan_to_approve"):
        answer = _answer(result.text)
        granted = answer.granted and not _failed(result)
        if granted or not _failed(result) or _says_so(result.text):
            yield Approval(_subject(call), answer.text, granted, answer.reach, by=call.name)
    elif refused(call, result):
        yield Approval(_subject(call), one_line(_answer(result.text).text), granted=False, by=call.name)


def of_words(text: str, asked: str) -> Iterator[Approval]:
    """What a user's message allows or refuses: as an answer to what the agent `asked` before, or unasked."""
    question = question_in(asked)
    answer = _spoken(text) if question else None
    if answer is not None:
        yield Approval(one_line(question), one_line(text), answer, _reach(text), by="user")
        return
    for sentence in _sentences(text) if _may_give(text) else ():
        lower = sentence.lower()
        if len(sentence) > _MAX_UNASKED or _QUESTION.search(sentence):
            continue
        # `You may not` begins as `you may` does.
        takes = _patterns().takes.match(lower) is not None
        if takes or _patterns().gives.match(lower):
            yield Approval(one_line(sentence), "", not takes, _reach(lower), by="user")


def may_answer(text: str) -> bool:
    """A fast test of a user's message: False means that `of_words` finds nothing in it, whatever was asked."""
    if _spoken(text) is not None:
        return True
    known = _patterns()
    return _may_give(text) and any(
        known.gives.match(lower) or known.takes.match(lower) for lower in map(str.lower, _sentences(text))
    )


def _may_give(text: str) -> bool:
    return _patterns().unasked.search(text[:_READ].lower()) is not None


def question_in(said: str) -> str:
    """What an agent asks the user at the end of a message, or empty."""
    last = list(_sentences(said[-_READ:]))[-_LATE:]
    found = (one for one in reversed(last) if _QUESTION.search(one) or _patterns().asks.search(one.lower()))
    return next(found, "")


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """The text on one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 4]} ..."


@dataclass(frozen=True, slots=True)
class _Answer:
    granted: bool
    text: str
    reach: Reach = Reach.ONCE


def _answer(text: str) -> _Answer:
    """What the answer to a request for leave says: its yes or no, its words, how far it reaches."""
    fields = _object(text)
    if fields is None:
        bare = _unframed(text)
        granted = not (_says_so(text) or _says_no(bare))
        reason = _patterns().reason.search(text[:_READ])
        said = (text[reason.end() :] if reason else _patterns().advice.sub(" ", text[:_READ])).strip() or text
        return _Answer(granted, one_line(said), _reach(text) if granted else Reach.ONCE)
    granted = _granted(fields)
    said = first_text(fields, _patterns().fields["reasons"])
    return _Answer(granted, one_line(said or text), _reach(text) if granted else Reach.ONCE)


def _object(text: str) -> Mapping[str, object] | None:
    bare = text.strip()
    if not bare.startswith("{") or len(bare) > 20_000:
        return None
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _granted(fields: Mapping[str, object]) -> bool:
    """Whether an object says yes; one that says neither does not."""
    known = _patterns().fields
    lower = {name.lower(): value for name, value in fields.items()}
    if any(lower.get(name) is True for name in known["denials"]):
        return False
    flags = [value for name in known["flags"] if isinstance(value := lower.get(name), bool)]
    if flags:
        return all(flags)
    for name in known["words"]:
        value = lower.get(name.lower())
        if isinstance(value, Mapping):
            return _granted(value)
        if isinstance(value, str) and value.strip():
            word = plain_name(value)
            if word in known["no"] or _says_no(value.lower().strip()):
                return False
            if word in known["yes"] or _spoken(value):
                return True
    return False


def _to_questions(call: ToolCall, text: str) -> Iterator[Approval]:
    """The answer to each question of a call, where they can be told apart."""
    pairs = list(_PAIR.finditer(text))[:_SEVERAL] if _object(text) is None else []
    if not pairs:
        yield _answered(one_line(asked_of(call)), one_line(text))
    for pair in pairs:
        yield _answered(one_line(pair["asked"]), one_line(pair["answer"]))


def _answered(question: str, answer: str) -> Approval:
    return Approval(question, answer, not _says_no(_unframed(answer)), _reach(answer), by="user")


def _subject(call: ToolCall) -> str:
    """What a call asks leave for, or what it would have done."""
    kind = kind_of(call)
    if kind == "plan_to_approve":
        plan = call.arguments.get("plan")
        lines = (unmarked(line).strip(" #") for line in plan.splitlines()) if isinstance(plan, str) else ()
        title = next(filter(None, lines), "")
        return one_line(f"the plan: {title}") if title else "the plan"
    if kind:
        return one_line(asked_of(call))
    from cfpm.context.strategies.operations import shown  # which asks in its turn what was refused

    return shown(call)


def _says_so(text: str) -> bool:
    """Whether a result says at its head that the user refused."""
    lower = text[:_HEAD].lower()
    framed = _patterns().framed.match(lower)
    return _patterns().refusals.match(lower, framed.end() if framed else 0) is not None


def _says_no(lower: str) -> bool:
    known = _patterns()
    return known.no_refusals.match(lower) is None and known.noes.match(lower) is not None


def _unframed(text: str) -> str:
    """The words of an answer in lower case, without what a host put before them."""
    lower = text[:_HEAD].lower().strip()
    known = _patterns()
    for frame in (known.framed, known.told, known.framed):
        if found := frame.match(lower):
            lower = lower[found.end() :]
    return lower


def _spoken(text: str) -> bool | None:
    """Whether a user's words begin with a yes or a no; None when they begin with neither."""
    bare = " ".join(text[:_HEAD].split()).lower().lstrip("\"'*-> ")
    if _says_no(bare):
        return False
    if _patterns().no_refusals.match(bare):
        return True
    for language in lexicons_for(bare):
        cue = language["checkpoint.approving"].starts(bare)
        if cue is not None and (len(bare) <= SHORT or _patterns().yes_ends.match(bare, cue.end)):
            return True
    return None


def _failed(result: Message) -> bool:
    return result.tool_result is not None and result.tool_result.failed


def _reach(text: str) -> Reach:
    lower = text[:_HEAD].lower()
    return next((reach for reach, pattern in _patterns().reach if pattern.search(lower)), Reach.ONCE)


def unmarked(line: str) -> str:
    """A line without the marks of a list and of emphasis."""
    line = _LISTED.sub("", line)
    for _ in range(2):  # One may stand in another.
        line = _EMPHASIS.sub(lambda found: found[2] or "", line)
    return line.strip()


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a message that is short enough to be read whole; of a longer one those of its head."""
    for found in sentences(text[:_READ]):
        if line := unmarked(" ".join(found.text.split())):
            yield line
