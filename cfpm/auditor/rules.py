"""One small function per reason: a draft in, a refusal or None out. The order stands in `auditor.py`."""

from __future__ import annotations

import re

from cfpm.auditor.context import AuditContext
from cfpm.auditor.lines import BOILERPLATE, ECHOES, INJECTED
from cfpm.model import PATH_CATEGORIES, Category, Draft, Mark, Role
from cfpm.model.ids import line_hash
from cfpm.model.markers import BLOCK_CLOSE, BLOCK_OPEN, TRIMMED_OPEN
from cfpm.model.patterns import lazy_pattern
from cfpm.secrets import has_placeholder
from cfpm.text import content_words, is_acknowledgement, is_low_information, lexicon, lexicons_for, plain_words
from cfpm.text.machine_lines import ERROR_LINE, LOG_LINE

SPOKEN = frozenset({Category.GOAL, Category.INSTRUCTION, Category.PREFERENCE, Category.PROFILE, Category.DECISION})
"""What only people can give: from a tool it is an order or a lie."""

_SYMBOL_LINE = lazy_pattern(r"[\u2190-\u27bf\u2b00-\u2bff\u2139\U0001f300-\U0001faff]\ufe0f?\s+\S")
"""A line of a program's screen that somebody pasted; agents decorate their own sentences in the same way."""
_TAGGED = lazy_pattern(
    r"[\s*-]*[\[【<(](?:(?:user|long[- ]term|saved|stored) )?(?:memory|memories|recalled|remembered|记忆|回忆)"
    r"(?:[ :#-]{1,2}\w{1,20})?[\]】>)]",
    re.IGNORECASE,
)
"""The tag before a line that a host recalled: '[Memory] The user ...'."""
_ESCAPE = "\x1b"
_REPORTS = ("tool.", "artifact.edited")
"""What a program reports of this very call is news, even if a prompt has shown the same line as an example."""
_OF_THE_SPEAKER = frozenset({Category.PREFERENCE, Category.PROFILE})
_MIN_CLAIM_WORDS = 3
_MIN_LEAD_WORDS = 5
"""Content words. Read in real sessions: 'The plan is complete', 'Here is what I changed:' mean nothing a day later."""


def empty_content(draft: Draft, _: AuditContext) -> str | None:
    """Blank content."""
    return "" if not draft.content.strip() else None


def echo_of_memory(draft: Draft, view: AuditContext) -> str | None:
    """Our own recalled block or note: by its frame, or by a line that was injected before.

    Marks that anybody can write are no proof against the user, who may speak of them.
    """
    by_user = draft.role is Role.USER
    if Mark.ECHO in draft.marks or (not by_user and (BLOCK_OPEN in draft.line or BLOCK_CLOSE in draft.line)):
        return "it stands in a recalled block"
    if draft.content.startswith(TRIMMED_OPEN) or (not by_user and TRIMMED_OPEN in f"{draft.line}{draft.content}"):
        return "it is a note in place of what a trim left out"
    if draft.role is not Role.TOOL and _TAGGED.match(draft.line or draft.content):
        return "it is tagged as recalled from a memory"
    known = _known(draft, view)
    echoes = known == INJECTED if by_user else known in ECHOES
    return "this line was recalled from memory before" if echoes else None


def boilerplate(draft: Draft, view: AuditContext) -> str | None:
    """Text that belongs to a system prompt, a boot file or the host.

    What the user types is the user's, also where a prompt or a README says the same.
    """
    if Mark.BOILERPLATE in draft.marks:
        return "the message is a system prompt, a boot file or a notice of the host"
    shown = draft.role is not Role.USER and not draft.rule.startswith(_REPORTS) and _known(draft, view) == BOILERPLATE
    if shown:
        return "this line stands in a system prompt or boot file that was seen before"
    lower = draft.content.lower()
    words = frozenset(plain_words(lower))
    opens = any(each["boilerplate"].starts(lower, words) for each in lexicons_for(lower))
    return "it opens like a prompt, a licence or a banner" if opens else None


def secret(draft: Draft, _: AuditContext) -> str | None:
    """A placeholder where a secret was taken out."""
    return "a secret was redacted here" if has_placeholder(draft.content) else None


def too_short(draft: Draft, _: AuditContext) -> str | None:
    """Fewer than two characters."""
    return "" if len(draft.content.strip()) < 2 else None


def too_long(draft: Draft, view: AuditContext) -> str | None:
    """More characters than a fact may have; paths have their own limit."""
    length = len(draft.content)
    return f"{length} characters, at most {view.max_chars}" if length > view.max_chars else None


def instruction_from_tool(draft: Draft, _: AuditContext) -> str | None:
    """What only people can give, in the output of a tool; an order in what another memory holds."""
    if Mark.FROM_TOOL_ORDER in draft.marks or (draft.role is Role.TOOL and draft.category in SPOKEN):
        many = f" ({draft.value} in this stretch)" if draft.value and Mark.FROM_TOOL_ORDER in draft.marks else ""
        return f"a {draft.category} cannot come from a tool{many}"
    return None


def untrusted_source(draft: Draft, _: AuditContext) -> str | None:
    """From a tool or a person whom the settings do not trust, or another participant's rule, wish or portrait."""
    if Mark.UNTRUSTED not in draft.marks:
        return None
    return f"{draft.speaker} does not speak for the user" if draft.speaker else "the settings do not trust this source"


def noise_error_line(draft: Draft, _: AuditContext) -> str | None:
    """A line that has the shape of an error message; what it is about does not matter. Broken paths come from such
    lines."""
    return "" if Mark.ERROR_LINE in draft.marks or _shaped(ERROR_LINE, draft) else None


def runtime_log_noise(draft: Draft, _: AuditContext) -> str | None:
    """A line that has the shape of a log entry or holds terminal control codes."""
    if Mark.LOG_LINE in draft.marks or _ESCAPE in draft.content or _shaped(LOG_LINE, draft):
        return ""
    return "" if draft.role is not Role.ASSISTANT and _SYMBOL_LINE.match(draft.content) else None


def ungrounded(draft: Draft, view: AuditContext) -> str | None:
    """Content that does not stand, white space aside, in the text that the draft cites."""
    if view.quote is None:
        return None
    cited = view.quote(draft.span)
    if cited is None:
        return "this turn has no such text"
    said = _fold(draft.content).removeprefix(_fold(draft.asked))
    if said.strip() in _fold(cited) or _joined_from(draft, cited):
        return None
    return "the cited text does not contain it"


def open_item_unconfirmed(draft: Draft, _: AuditContext) -> str | None:
    """An open item without the words that make it one."""
    if draft.content.lstrip().startswith(("#", "|")):
        return "a heading or a row of a table"
    text = f"{draft.line}\n{draft.content}".lower()
    if "[ ]" in text or _has_cue(text, "open.prefix", "open.cue"):
        return None
    return "no TODO, no 'remains', no empty check box"


def verified_action_unconfirmed(draft: Draft, _: AuditContext) -> str | None:
    """A claim without evidence, or an action without any word that says it was done."""
    if Mark.UNCONFIRMED in draft.marks:
        return "no tool result of this turn shows it"
    if draft.rule.startswith("tool."):
        return None
    lower = draft.content.lower()
    if "|" in lower[:2] or not _has_cue(lower, "claim.done", "claim.opening"):
        return "nothing in the words says that it was done"
    return None


def low_salience(draft: Draft, _: AuditContext) -> str | None:
    """What is of the moment, or a note or an event that is worth less than its tokens, by the learnt weights."""
    if Mark.PASSING in draft.marks:
        return f"of the moment, by its words: worth keeping {draft.salience:.2f}"
    if Mark.LOW_SALIENCE in draft.marks and draft.category in (Category.NOTE, Category.EVENT):
        return f"salience {draft.salience:.2f}"
    return None


def low_information(draft: Draft, _: AuditContext) -> str | None:
    """An acknowledgement or too few content words; paths and reports of programs are judged by their own rules."""
    if draft.category in PATH_CATEGORIES or draft.rule.startswith("tool."):
        return None
    if draft.category in _OF_THE_SPEAKER:
        # 'I am vegan' says all that it has to.
        return "" if is_acknowledgement(draft.content) or not content_words(draft.content) else None
    if is_low_information(draft.content):
        return ""
    words = len(content_words(draft.content))
    if draft.category is Category.VERIFIED_ACTION and words < _MIN_CLAIM_WORDS:
        return "it does not say what was done"
    if draft.content.endswith((":", "：")) and words < _MIN_LEAD_WORDS:
        return "it only introduces what follows"
    return None


def _has_cue(lower: str, *sections: str) -> bool:
    words = frozenset(plain_words(lower))
    return any(lexicon(language)[name].find(lower, words) for language in ("en", "zh") for name in sections)


def _shaped(shape: re.Pattern[str], draft: Draft) -> bool:
    """True when the content, or the whole line that a clause was cut from, has this shape."""
    if shape.match(draft.content):
        return True
    cut = draft.line != draft.content and draft.category not in PATH_CATEGORIES and draft.role is not Role.TOOL
    return cut and shape.match(draft.line) is not None


def _joined_from(draft: Draft, cited: str) -> bool:
    """True for a path whose end is cited and whose folder stands in the command that failed or beside it."""
    folder = draft.content.removesuffix(cited)
    told = f"{draft.validation_command or ''}\n{draft.line}"
    return draft.category is Category.INVALID_PATH and 1 < len(folder) < len(draft.content) and folder[:-1] in told


def _known(draft: Draft, view: AuditContext) -> str | None:
    if not view.known_lines:
        return None
    names = (view.around.get(draft.span, ""), line_hash(draft.line), line_hash(draft.content))
    return next((kind for name in names if (kind := view.known_lines.get(name))), None)


def _fold(text: str) -> str:
    return " ".join(text.split())
