"""Rules for lines that are no sentences by their shape: code, data, and what stands in quotation marks as a whole."""

from __future__ import annotations

import re

from cfpm.auditor.context import AuditContext
from cfpm.model import Category, Draft, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.text.machine_lines import CODE_LINE, DATA_LINE

_MARKS = {'"': '"', "“": "”", "「": "」", "『": "』", "«": "»"}
_SPEAKER = lazy_pattern(r"(?:[A-Z][\w'’-]{1,20}|[\u3400-\u9fff]{1,6})\s*[:：]\s*(?=[\"“「『«])")
"""Who speaks in a dialogue that is written down."""
_REPORTED = lazy_pattern(
    r"(?<!\bi )(?<!\bwe )\b(?:wrote|writes|said|says|asked|asks|replied|replies|goes|reads|"
    r"complained|complains|answered|claims|claimed|texted|messaged|e-?mailed|posted|tweeted|commented|noted|"
    r"shouted|announced|announces|states|stated|told (?:me|us|him|her))(?: to me|"
    r" back| in [\w ]{1,20})?\s*(?:[:,]\s*[\"“'‘]|:\s|[\"“]|['‘](?=i\b|we\b|my\b|never|always))"
    r"\s*(?:i|we|my|our|please|never|always|do|don['’]t)\b|"
    r"\b(?:ad|advert|post|listing|e-?mail|review|bio|message|comment|poster|sign|letter|tweet|caption|reply|"
    r"description|statement|testimonial|note)s?\s?:\s*[\"“'‘]?(?:i|we|my|our)\b|[:：]\s*[\"“「『]\s*(?:(?:i|we|my|our)\b|"
    r"[我咱])|(?:(?<!我)(?<!我们)(?:说|写道|写|留言|回复|问|讲|喊|道|发消息|发短信|发微信|发帖|评论|"
    r"来信))[:：]?\s*[“「『\"：:]\s*[我咱你请别不]",
    re.IGNORECASE,
)
"""What somebody else says of themselves: 'A guest writes: I want my money back.'"""
_QUOTING = lazy_pattern(r"[:\"“‘：「『]|'\s*(?:i|we|my|our|please|never|always|do)", re.IGNORECASE)
"""Without one of these signs nothing is reported so; to ask first costs a fiftieth."""
_MOSTLY = 0.5
"""Share of a sentence that a quotation at its head must fill, for the sentence to be somebody else's words."""
_COMMAND = lazy_pattern(
    r"(?:\$ |sudo )?(?!(?:i|we|you|my|our|the|a|an|to|it|and|or|but|so|please|use|run|always|never|only|do|don|with|"
    r"pass|set|add|prefer|for|in|on|when|if)\b)[a-z][\w.-]{1,15} (?:[^\s,;:]+ ){0,4}-{1,2}[a-zA-Z][\w-]*(?: |=|$)"
)
"""A command with an option, whatever is said of it behind."""


def code_or_data(draft: Draft, _: AuditContext) -> str | None:
    """A line of code, a call, an assignment, an object of JSON, a row of values."""
    # A clause may be cut from the line, whose shape tells more.
    texts = {draft.content, draft.line.strip() or draft.content}
    if any(CODE_LINE.fullmatch(text) for text in texts):
        return "a line of code"
    if draft.category in (Category.NOTE, Category.EVENT) and _COMMAND.match(draft.content):
        return "a command"
    return "a row of data" if any(DATA_LINE.fullmatch(text) for text in texts) else None


def all_in_quotes(draft: Draft, _: AuditContext) -> str | None:
    """A sentence that begins with a quotation that is most of it."""
    text = draft.content.strip()
    if speaker := _SPEAKER.match(text):
        text = text[speaker.end() :]
    closing = _MARKS.get(text[:1])
    if closing is None:
        return None
    end = text.find(closing, 1)
    return "most of it is a quotation" if end + 1 >= _MOSTLY * len(text) else None


def reported(draft: Draft, _: AuditContext) -> str | None:
    """A sentence that passes on what somebody else says of themselves."""
    if draft.role is Role.TOOL:
        return None
    said = draft.line or draft.content
    return "somebody else says it" if _QUOTING.search(said) and _REPORTED.search(said) else None
