"""Documents that somebody pastes into a message: which stretches of it are quoted. What they mean is not looked at.

Plays, jokes and texts that somebody wants worked on are found in `recited.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cfpm.model import Role
from cfpm.model.patterns import lazy_pattern
from cfpm.text.machine_lines import DATA_LINE, by_machine
from cfpm.text.pasted.announced import announced_texts, end_of_paste, first_announced, opens_own_rules
from cfpm.text.pasted.learnt import foreign_pieces
from cfpm.text.pasted.recited import recited
from cfpm.text.pasted.records import record_lines
from cfpm.text.pasted.speakers import transcripts
from cfpm.text.pasted.tables import is_heading, table_lines

_HEADING = lazy_pattern(r"^ {0,3}#{1,6} \S", re.MULTILINE)
_PASTE = lazy_pattern(r"^[ \t]*+(?:diff --git |@@ -\d|---[ \t]*\n\w+:|BEGIN:|\d{1,9}[→|]\s)", re.MULTILINE)
_MARKED = lazy_pattern(r"^[ \t]*+(?:(```+|~~~+)[\s\S]*?(?:^[ \t]*+\1|\Z)|>[^\n]*)", re.MULTILINE)
"""Fences and quoted lines, which sentences know by themselves."""
_OWN_TAGS = "task|goal|objective|request|requirements?|constraints?|acceptance_criteria|steps|todo"
"""Tags between which people put the parts of what they ask for themselves."""
_OPENS_WITH_OWN = lazy_pattern(rf"\s*+<(?:{_OWN_TAGS})>[ \t]*+\n")
_OWN_TAG = lazy_pattern(rf"^[ \t]*+</?(?:{_OWN_TAGS})>[ \t]*+$", re.MULTILINE)
_TAG = lazy_pattern(r"^[ \t]*+<([a-z_]{1,80}+)[^>\n]*+>[ \t]*+$", re.MULTILINE)
_MAIL = lazy_pattern(
    r"^(?:(?:From|Sent|Subject|发件人|主题)[ \t]*+[:：][ \t]*+\S.*\n"
    r"(?:(?:From|To|Cc|Date|Sent|Subject|发件人|收件人|日期|主题)[ \t]*+[:：].*\n)*|"
    r"On [^\n]{5,80} wrote:\n(?!>))\s*+|(?<=\n)(?:(?:Hi|Hello|Dear|Hey)\b[^\n,.!?]{0,40}[,!]|"
    r"(?:各位|大家|尊敬的|亲爱的)[^\n，。]{0,12}[，,：:])[ \t]*\n\s*",
    re.MULTILINE,
)
_SIGNED = lazy_pattern(
    r"^(?:(?:(?:Best|Kind|Warm)\b.{0,20}|Regards|Cheers|Sincerely|Yours\b.{0,20}|Thanks|Greetings)"
    r"[,.]?[ \t]*(?:\n[^\n]{1,40})?|"
    r"(?:此致|敬礼|祝好|顺祝)[^\n]{0,12}(?:\n[^\n]{1,10})?)$",
    re.MULTILINE,
)
_SAID = lazy_pattern(
    r"[\"“(]?(?:[A-Z][\w'’-]*|i|we|my|our|the|this|it|is|any|do|does|why|what|how|where|when|can|could|please|help|explain)"
    r"(?:,? [^\n=;{}<>]{2,})?$|[^\n=;{}<>]{0,12}[\u3400-\u9fff]"
)
_ASIDE = lazy_pattern(r"(?:P\.?S\.?|Btw|BTW|By the way|Note|Also|FYI)[:,]\s*")
_SENTENCE = lazy_pattern(r"[A-Z][\w'’-]*(?:,? [\w'’-]+){3,}\.")
_OWN = lazy_pattern(r"(?:I|We|My|Our)\b|\s*(?:我|咱)")
_OWN_LATER = lazy_pattern(r"[.?!。？！](?:(?<=[.?!]) (?:I|We|My|Our)\b|(?<=[?。？！])\s*(?:我|咱))")
"""A sentence of the speaker's own, if only after a question about what stands above."""
_COMMON_WORDS = """
i we my our us me the this that it is are was were has have must should what why how please since only can
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = lazy_pattern(r"\w+")
_CHINESE = lazy_pattern(r"[\u3400-\u9fff]")
_SMALL_CHINESE = lazy_pattern(r"[我们的了是]")
_STOPS = "。！？"
_OPENS_MAIL = (
    *("\nHi", "\nHello", "\nDear", "\nHey", "\n各位", "\n大家", "\n尊敬的", "\n亲爱的"),
    *(" wrote:\n", "From", "Sent", "Subject", "发件人", "主题"),
)
_INLINE_TAG = lazy_pattern(
    r"<(?!(?:b|i|u|s|em|strong|code|kbd|br|p|a|span|div|li|ul|ol|sub|sup|mark|small|task|question|request|query|prompt)\b)"
    r"([A-Za-z][\w:-]{1,40})(?:\s[^<>\n]{0,200})?>(?=[^<\s])"
)
_HEADS = (
    lazy_pattern(r"^[ \t]{0,8}[\[【](?:[^\W\d_][^\]】\n]{0,20}[ #])?\d{1,4}[\]】][ \t:.]*\S", re.MULTILINE),
    lazy_pattern(
        r"^[ \t]{0,8}(?:[-*] )?(?:doc(?:ument)?s?|sources?|passages?|chunks?|results?|snippets?|excerpts?|quelle|"
        r"dokument|fuente|文档|资料|来源|条目|片段)[ #]{0,2}(?:\d{1,4}|[A-Z])\b[^\n:：]{0,60}[:：]",
        re.MULTILINE | re.IGNORECASE,
    ),
    lazy_pattern(
        r"^[ \t]{0,8}(?:\*\*)?(?:User|Assistant|Human|AI|System|Bot|Agent|用户|助手)(?:\*\*)?[ \t]?[:：]", re.MULTILINE
    ),
    lazy_pattern(r"^(?=[^\n]{0,120}\d{1,2}:\d\d)[^\n:]{1,40}[,(\[ ][^\n]{0,80}[\])\d][ \t]?:?[ \t]*$", re.MULTILINE),
)
"""Heads of which two make a document: numbered passages, speakers of a transcript with or without times."""
_FORMS = (
    lazy_pattern(r"^\*\*[^*\n]{2,60}\*\*:?[ \t]*$", re.MULTILINE),
    lazy_pattern(
        r"^(?:title|summary|labels?|reporter|assignee|status|priority|severity|component|milestone|description|"
        r"steps to reproduce|expected(?: \w+)?|actual(?: \w+)?|environment|version|author|commit|date|"
        r"标题|标签|描述|报告人|优先级|状态|作者)[ \t]?[:：]",
        re.MULTILINE | re.IGNORECASE,
    ),
)
"""Heads of which two may make one: headings in bold, fields of a ticket."""
_ITEM = lazy_pattern(r"^[ \t]{0,8}(?:[-*•]|\d{1,2}[.)、]) ", re.MULTILINE)
"""An item of a list, as rules have them below a heading."""
_ASKED_BELOW = lazy_pattern(
    r"^[ \t#*]{0,6}(?:question|query|frage|pregunta|domanda|问题)[ *]{0,3}[:：]", re.MULTILINE | re.IGNORECASE
)
_GIVEN_ABOVE = lazy_pattern(
    r"^[ \t#*]{0,6}(?:context|kontext|contexto|contexte|contesto|documents?|passages?|background|sources?|上下文|资料)"
    r"[ *]{0,3}[:：]",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTATION = lazy_pattern(r"(?<![\w=])[\"“„«]([^\"“”„«»\n]{12,2400})[\"”“»](?!\w)")
_TASK_AHEAD = lazy_pattern(
    r"(?:\b(?:(?:your|this|my|the following|deine?|diese|folgende)[ \t]+(?:next[ \t]+|nächste[ \t]+)?"
    r"(?:task|job|mission|goal|objective|assignment|Aufgabe|Auftrag)|Folgendes)\b|(?:这个|这项|你的|下面的)(?:任务|目标))"
    r"[^\n.!?。！？:：]{0,40}[:：][ \t]*\Z",
    re.IGNORECASE,
)
"""What announces a task to the agent, and nobody else's: the quotation behind it is what the speaker wants done."""
_ANNOUNCES = 80
"""Characters before a quotation in which that is looked for."""
_STOP = lazy_pattern(r"[.!?](?:\s|\Z)|[。！？]")
"""Whole sentences: a word or a name in quotation marks is the speaker's own."""
_MAX_UNCLOSED = 50
"""Tags without an end that are looked for in one message; more are no text that somebody pastes."""
_MAX_BETWEEN = 20
"""Lines in which a machine must write again."""
_MIN_LINES = 3
_MIN_LINES_WITH_HEADINGS = 6
_MIN_SAID = 3
"""Words of a line of speech."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The slice [start, end) of a message that its speaker does not say.

    With `voiced`, it is somebody's words, so that what announces it is understood without it.
    """

    start: int
    end: int
    voiced: bool = False


def quoted_stretches(text: str, role: Role) -> tuple[Stretch, ...]:
    """The parts of a message that are pasted, played or only worked on, by their start; they may overlap.

    What an agent writes is its own report, headings or not, so only other roles paste.
    """
    if role is Role.ASSISTANT:
        return ()
    hard, shown = _stretches(text)
    if opens_own_rules(text):
        return tuple(sorted(hard, key=lambda item: (item.start, item.end)))
    found = [*hard, *(Stretch(start, end, voiced=True) for start, end in foreign_pieces(text, shown))]
    return tuple(sorted(found, key=lambda item: (item.start, item.end)))


def shown_in(text: str) -> dict[str, list[tuple[int, int]]]:
    """What the forms of a text show to be foreign, by kinds."""
    return _stretches(text)[1]


def _stretches(text: str) -> tuple[list[Stretch], dict[str, list[tuple[int, int]]]]:
    """What is foreign by its form alone, and what is weighed with all else, by its kind."""
    first = list(first_announced(text))
    shown = {"announced": list(announced_texts(text)), "told": [(start, end) for start, end, sure in first if not sure]}
    found = [Stretch(start, end, voiced=True) for start, end in recited(text)]
    found.extend(Stretch(start, end, voiced=True) for start, end, sure in first if sure)
    if '"' in text or "“" in text or "«" in text or "„" in text:
        found.extend(Stretch(start, end, voiced=True) for start, end in _quotations(text))
    if "</" in text:
        found.extend(Stretch(start, end, voiced=True) for start, end in _elements(text))
    if "\n" in text:
        chats = list(transcripts(text))
        sure = [(start, end) for start, end, certain in chats if certain]
        told = _without_own_tags(text)
        found.extend(Stretch(*span) for span in (*_documents(told), *_outputs(told), *_sources(text), *sure))
        shown["record"] = [*_records(text), *((start, end) for start, end, certain in chats if not certain)]
        shown["headed"] = list(_headed(text))
        shown["mail"] = list(_mails(text))
    shown["hard"] = [*((item.start, item.end) for item in found), *(match.span() for match in _MARKED.finditer(text))]
    return found, shown


def _without_own_tags(text: str) -> str:
    """The text with blanks for the lines of its sender's own tags, as far as it opens with one: behind other words
    they may stand in what is passed on."""
    return _OWN_TAG.sub(lambda tag: " " * len(tag[0]), text) if _OPENS_WITH_OWN.match(text) else text


def of_a_paste(text: str) -> bool:
    """Whether the first line of a text that has been announced is of a table or a quotation.

    An error that is announced ('Fix this:') is what the request is about.
    """
    lines = text.strip()
    first = lines.partition("\n")[0]
    return DATA_LINE.fullmatch(first) is not None or first.startswith(">") or 0 in table_lines(lines)


def _headed(text: str) -> Iterator[tuple[int, int]]:
    """Headed Markdown, forms with their fields."""
    yield from _between_heads(text, _FORMS)
    yield from _markdown(text)


def _markdown(text: str) -> Iterator[tuple[int, int]]:
    if "#" in text and (headings := [match.start() for match in _HEADING.finditer(text)]):
        lines = text.count("\n") + 1
        if (not text[: headings[0]].strip() and lines >= _MIN_LINES) or (
            len(headings) > 1 and lines >= _MIN_LINES_WITH_HEADINGS
        ):
            yield headings[0], len(text)


def _documents(text: str) -> Iterator[tuple[int, int]]:
    """Headed Markdown, a diff, text between tags."""
    yield from (span for span in _markdown(text) if not _ITEM.search(text, *span))
    if match := _PASTE.search(text):
        yield match.start(), len(text)
    at = 0
    while "<" in text and (match := _TAG.search(text, at)):
        closing = text.find(f"</{match[1]}>", match.end())
        at = closing + len(match[1]) + 3 if closing >= 0 else len(text)
        yield match.start(), at


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """What stands between tags inside of a line, up to the last tag that closes the same; marks of fonts aside."""
    at = unclosed = 0
    while unclosed < _MAX_UNCLOSED and (match := _INLINE_TAG.search(text, at)):
        closing = f"</{match[1]}>"
        close = text.rfind(closing, match.end())
        unclosed += close < 0
        # As many elements of one name stand side by side, so the last one closes them all.
        at = close + len(closing) if close >= 0 else match.end()
        if close >= 0:
            yield match.start(), at


def _sources(text: str) -> Iterator[tuple[int, int]]:
    """Numbered passages as a search returns them, transcripts with their speakers: from the first head to where their
    sender asks."""
    yield from _between_heads(text, _HEADS)
    yield from (span for span in _between_heads(text, _FORMS) if not _ITEM.search(text, *span))
    asked = _ASKED_BELOW.search(text)
    if asked and (given := _GIVEN_ABOVE.search(text, 0, asked.start())):
        yield given.start(), asked.start()


def _between_heads(text: str, heads: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    for head in heads:
        found = [match.start() for match in head.finditer(text)]
        if len(found) > 1:
            yield found[0], end_of_paste(text, found[-1])


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Whole sentences between quotation marks, but for a task that the speaker announces so."""
    return (
        (start, end)
        for start, end in (match.span() for match in _QUOTATION.finditer(text) if _STOP.search(match[1]))
        if not _TASK_AHEAD.search(text[max(0, start - _ANNOUNCES) : start])
    )


def _outputs(text: str) -> Iterator[tuple[int, int]]:
    """Lines that a machine wrote, with those after them that nobody says either; rows of tables."""
    rows = table_lines(text, pairs=False)
    begun: int | None = None
    start = 0
    heading: int | None = None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number in rows or _by_machine(line):
            if begun is None:
                begun = start if heading is None else heading
        elif begun is not None and _speech(line) and not _goes_on(lines, number, rows):
            yield begun, start
            begun = None
        heading = start if is_heading(line) else None
        start += len(line) + 1
    if begun is not None:
        yield begun, len(text)


def _records(text: str) -> Iterator[tuple[int, int]]:
    """Labels with their values, schedules, lists of figures: runs of such lines."""
    rows = table_lines(text) | record_lines(text)
    start, begun = 0, None
    for number, line in enumerate(text.split("\n")):
        if number in rows:
            begun = start if begun is None else begun
        elif begun is not None:
            yield begun, start
            begun = None
        start += len(line) + 1
    if begun is not None:
        yield begun, len(text)


def _by_machine(line: str) -> bool:
    return by_machine(line) or (line[:1] in ("+", "-") and by_machine(line[1:]))


def _goes_on(lines: Sequence[str], number: int, rows: frozenset[int]) -> bool:
    """Whether the machine writes again below a line that reads like speech, before a blank one: then it wrote that,
    too."""
    for below in range(number + 1, min(number + 1 + _MAX_BETWEEN, len(lines))):
        if not lines[below].strip():
            return False
        if below in rows or _by_machine(lines[below]):
            return True
    return False


def _speech(line: str) -> bool:
    if _ASIDE.match(line) or _SENTENCE.fullmatch(line) or _OWN.match(line) or _OWN_LATER.search(line):
        return True
    return _SAID.match(line) is not None and _reads_common(line) and _is_enough(line)


def _reads_common(line: str) -> bool:
    """Whether one of the small words of speech stands in it, or a Chinese sentence up to its end."""
    if not _COMMON.isdisjoint(_WORD.findall(line.lower())):
        return True
    if line.isascii():
        return False
    chinese = _CHINESE.search(line)
    ends = max(map(line.rfind, _STOPS))
    return _SMALL_CHINESE.search(line) is not None or (chinese is not None and chinese.start() < ends)


def _is_enough(line: str) -> bool:
    return not line.isascii() or len(line.split()) >= _MIN_SAID or line.endswith("?")


def _mails(text: str) -> Iterator[tuple[int, int]]:
    """From the salutation or the headers to the signature, without one to the next blank line."""
    if not any(opening in text for opening in _OPENS_MAIL):
        return
    match = _MAIL.search(text)
    if match is None:
        return
    signed = _SIGNED.search(text, match.end())
    blank = text.find("\n\n", match.end())
    end = signed.end() if signed else blank
    yield match.start(), end if end >= 0 else len(text)
