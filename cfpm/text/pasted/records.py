"""Which lines of a message are a record that somebody pastes to have it worked on: labels with values, a schedule, a
list of figures. A record alone is what its sender tells, so it is none of these; tables are found in `tables.py`.
People also write so to an agent ("sails: two", "mast: oak"), so a record is weighed and does not decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cfpm.model.patterns import lazy_pattern
from cfpm.text.pasted.tables import runs

_ENDS = tuple(".!?;。！？；:：,，")
_LABELLED = lazy_pattern(
    r"\s{0,8}(?:[-*•] )?(?P<label>[^\W\d_][\w/&'’.()#-]{0,20}(?: [\w/&'’.()#-]{1,20}){0,3}|[\u3400-\u9fff]{1,8})"
    r" ?(?::(?: |(?=[\u3400-\u9fff]))|：) ?(?P<value>\S[^\n]{0,80})"
)
_SPOKEN_LABEL = lazy_pattern(
    r"(?:notes?|goals?|tasks?|to-?do|context|questions?|problem|issue|rules?|ps|p\.s\.?|edit|update|fyi|tip|important|"
    r"reminder|me|also|ok(?:ay)?|and|but|so|btw|by the way|first|second|third|then|finally|step \d+|please|correction|"
    r"summary|answers?|background|stack|always|never|"
    r"(?:my|our|i|we)\b.*|.*\b(?:is|are|this|that|these|you|need|want)\b.*|[我你请另对其更以].*|注意|备注|问题|背景|"
    r"目标|任务|要求)",
    re.IGNORECASE,
)
"""Labels that introduce what somebody says."""
_SAYS = lazy_pattern(
    r"\b(?:i|we|my|our|me|us|you|your|must|should|always|never|please|don['’]t|do not|prefer)\b|[我你您请]|咱们|不要|"
    r"必须|以后|[吗呢]",
    re.IGNORECASE,
)
"""Words of somebody who speaks: no value of a record has them."""
_TIMED = lazy_pattern(
    r"\s{0,8}(?:[-*•] )?(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?(?=\s)|\d{1,2}[:.]\d\d(?:\s?[ap]m)?|"
    r"\d{1,2}\s?[ap]m\b|"
    r"\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}\.?(?=\s)|\d{1,2}月\d{1,2}日|(?:周|星期)[一二三四五六日天]|[上下]午|[早中晚]上)"
    r"\s{0,3}[-–—:：,，]?\s{0,3}\S[^\n]{0,60}",
    re.IGNORECASE,
)
_FIGURED = lazy_pattern(r"\d|[\u3400-\u9fff]\s+\S")
_ORDERS = lazy_pattern(
    r"(?:use|no|never|always|only|max(?:imum)?|min(?:imum)?|keep|avoid|don['’]t|do|answer|write|add|make|fix|remove|"
    r"change|rename|move|delete|put|give|show|explain|create|update|set|include|ignore|skip|need|needs|want|[-*•+>])"
    r"(?![\w'’])|(?:用|改|加|把|写|不|只|别|帮|给)",
    re.IGNORECASE,
)
_OF_THEMSELVES = lazy_pattern(
    r"\b(?:about (?:me|us|myself)|(?:my|our) (?:\w+ ){0,2}(?:info\w*|details?|data|profile|background|setup|stack|"
    r"facts?|preferences?|address|contacts?)|on me|who (?:i am|we are)|i (?:am|use|have|work)|we (?:are|use|have))\b|"
    r"(?:我|我们)的?(?:资料|信息|情况|背景|偏好|地址)|关于我|自我介绍",
    re.IGNORECASE,
)
"""What announces a record that its sender fills in about themselves."""
_WORD = lazy_pattern(r"[a-z0-9'’]+|[\u3400-\u9fff]{2}", re.IGNORECASE)
_MAX_LINE = 120
_MAX_FRAGMENT_WORDS = 8
_MIN_FRAGMENTS = 3
_MIN_AROUND = 2
"""Words outside of a record that show that something is asked about it."""


def record_lines(text: str) -> frozenset[int]:
    """Numbers of the lines that are records, the first line being 0; none when the text is nothing else."""
    lines = text.split("\n")
    short = [line if len(line) <= _MAX_LINE else "" for line in lines]
    rows: set[int] = set()
    for shape, least in _SHAPES:
        for begun, end in runs(short, shape, least):
            if shape is _fragment and sum(map(_has_figure, lines[begun:end])) * 2 < end - begun:
                continue
            lead = next((line for line in reversed(lines[:begun]) if line.strip()), "")
            if not _OF_THEMSELVES.search(lead):
                rows.update(range(begun - _is_titled(lines, begun), end))
    around = (line for number, line in enumerate(lines) if number not in rows)
    return frozenset(rows) if rows and len(_WORD.findall(" ".join(around))) >= _MIN_AROUND else frozenset()


def _is_titled(lines: list[str], begun: int) -> bool:
    """Whether the line above is the record's own first line, such as 'Order #1207'."""
    return begun > 0 and _has_figure(lines[begun - 1]) and _fragment(lines[begun - 1])


def _labelled(line: str) -> bool:
    match = _LABELLED.fullmatch(line) if ":" in line or "：" in line else None
    if match is None or line.rstrip().endswith(_ENDS):
        return False
    return not _SPOKEN_LABEL.fullmatch(match["label"]) and not _SAYS.search(match["value"])


def _timed(line: str) -> bool:
    return _TIMED.fullmatch(line) is not None and not line.rstrip().endswith(_ENDS) and not _SAYS.search(line)


def _fragment(line: str) -> bool:
    """A short line that is no sentence, as status pages and receipts have them."""
    bare = line.strip()
    if not bare or not (bare[0].isupper() or bare[0].isdigit() or "\u3400" <= bare[0] <= "\u9fff"):
        return False
    return (
        len(bare.split()) <= _MAX_FRAGMENT_WORDS
        and not bare.endswith(_ENDS)
        and not _ORDERS.match(bare)
        and not _SAYS.search(bare)
        and "，" not in bare
    )


def _has_figure(line: str) -> bool:
    return _FIGURED.search(line) is not None


_SHAPES: tuple[tuple[Callable[[str], int], int], ...] = (
    (_labelled, 2),
    (_timed, 2),
    (_fragment, _MIN_FRAGMENTS),
)
"""What a line of each kind of record looks like, and how many neighbours make one."""
