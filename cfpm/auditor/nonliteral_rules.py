"""Rules for what is said but not meant as it stands: jest, play, made-up examples, exceptions for this once, thanks.

They look at words alone and at no mark, so that drafts of every extractor are held to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from cfpm.auditor.context import TOLD, AuditContext, only_tells
from cfpm.model import LEARNT_RULE, ORDERED_RULE, Category, Draft, Mark, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.text import Lexicon, Phrases, content_words, lexicons_for, only_reacts, plain_words

_SELF = frozenset({Category.PREFERENCE, Category.PROFILE, Category.EVENT, Category.DECISION, Category.NOTE})
"""What a jest, a play or an example may be mistaken for; a request inside of one is still a request."""

_STANDING = frozenset({Category.INSTRUCTION, Category.PREFERENCE, Category.PROFILE, Category.NOTE, Category.DECISION})
"""What would outlive the exception that somebody asks for."""

_SEVERAL = lazy_pattern(
    r"[.!?…。！？](?:(?<=[.!?…])(?<!(?i:e\.g).)(?<!(?i:i\.e).)(?<!(?i:vs).)(?<!(?i:etc).)\s+\S|(?<=[。！？])\s*\S)"
)
"""More than one sentence: then how the first opens says nothing of the others. Begins with one set of signs, so that a
search passes over all others fast."""

_MORE_THAN_A_MOMENT = 8
"""Content words. Longer statements, and dated ones, tell more than what goes on while they are typed."""

_LASTING = lazy_pattern(r"\bbecause\b|因为")
"""A state with its reason is told as one that lasts: 'My internet is slow because I live on a boat.'"""

_OPENERS = lazy_pattern(r"[\s\"'“”*_(-]*(?:(?:so|and|but|ok|okay|well|now|then|hmm?|那|那么|好)\b[\s,，]*)?")
_TO_THE_OTHER = lazy_pattern(
    r"[\s\"'“”*_(-]*(?:(?:and|but|so|well|oh|wow|yes|no)\b[\s,]*)?"
    r"(?:you(?:r|rs|['’]re|['’]ve|['’]ll)?\b(?! know\b| see\b| can (?:call|reach)\b)|[你您])"
)
_ACTED = lazy_pattern(
    r"\s*\*[a-z]+s\b[^*\n]{0,60}\*\s*\S|"
    r"\s*（[^（）\n]{0,4}(?:拳|拱手|剑|叹|微笑|鞠躬|转身|点头|摇头|行礼|跪|起身|低头|大笑|哭)[^（）\n]{0,4}）\s*\S"
)
"""A stage direction before what the character says: '*draws sword* I am the keeper of this bridge.'"""


_ASSENT = lazy_pattern(
    r"(?:(?i:brilliant|cool|great|lovely|awesome|excellent|perfect|nice|super|wonderful|fantastic|amazing|fair enough|"
    r"good (?:catch|point|idea|to know)|alright|all right|right|hmm+ ?(?:okay|ok)?|ah|okay|ok|makes sense|i see|"
    r"thanks(?: for \w+ing[^,.]{0,40})?)[,.!]\s*)+"
)
_OWN_OR_NAMED = lazy_pattern(
    r"\d|[A-Z][a-z]+(?<!\AThat)(?<!\AThe)|\b(?:my|our|we|us)\b|"
    r"\b[Ii](?! (?:can|see|thought|learned|like|love|get|think)\b)(?![\w'’])|\b[Ii]['’](?:m|ve|d)\b"
)
_NUMBER = lazy_pattern(r"\d")
_NAMED = lazy_pattern(r"\d|(?<=[a-z,] )[A-Z][a-z]|[a-z]_[a-z]|\w/\w")
"""A number, a name inside a sentence, an identifier or a path."""
_MORE_THAN_A_JOKE = 12
"""Content words. Of 14 messages of `benchmarks stories` with laughter at an end 12 tell what is so."""
_SHORT_TAIL = 5
"""Content words."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence in lower case, with what the lexicon asks of it."""

    lower: str
    opening: int
    words: frozenset[str]
    lexicons: tuple[Lexicon, ...]

    def has(self, *sections: str) -> bool:
        """Whether a phrase of one of the sections stands anywhere in it."""
        return any(phrases.find(self.lower, self.words) for phrases in self._that_may_stand_in(sections))

    def before(self, section: str) -> str | None:
        """What stands before the first phrase of a section; None without one."""
        starts = [
            cue.start
            for phrases in self._that_may_stand_in((section,))
            if (cue := phrases.find(self.lower, self.words)) is not None
        ]
        return self.lower[: min(starts)] if starts else None

    def opens(self, *sections: str) -> bool:
        """Whether it begins with a phrase of one of the sections, small words aside."""
        rest = self.lower[self.opening :]
        return any(phrases.starts(rest, self.words) for phrases in self._that_may_stand_in(sections))

    def _that_may_stand_in(self, sections: tuple[str, ...]) -> list[Phrases]:
        found = (lexicon[section] for section in sections for lexicon in self.lexicons)
        return [phrases for phrases in found if not phrases.lacks(self.words)]


@lru_cache(maxsize=64)
def _said(text: str) -> _Said:
    # Several rules ask of the same draft.
    lower = text.lower().strip()
    opening = _OPENERS.match(lower).end()  # type: ignore[union-attr]
    return _Said(lower, opening, frozenset(plain_words(lower)), lexicons_for(lower))


def _sentence(draft: Draft) -> _Said:
    """The whole sentence that the draft was cut from."""
    return _said(draft.line or draft.content)


def _supposed_rule(draft: Draft) -> str | None:
    if _sentence(draft).opens("supposed", "supposed.together"):
        return "it opens like an example"
    return "it tells what may be one day" if _said(draft.content).has("unlikely") else None


def supposed(draft: Draft, _: AuditContext) -> str | None:
    """A sentence that opens like a supposition or an example, or is about data that is named as made up."""
    if draft.role is Role.TOOL:
        return None
    if draft.category is Category.GOAL:
        return "it opens like an example" if _sentence(draft).opens("supposed.together") else None
    if draft.rule in (LEARNT_RULE, ORDERED_RULE):
        return _supposed_rule(draft)
    if draft.category not in _SELF:
        return None
    said = _sentence(draft)
    if said.has("made_up"):
        return "it is about made-up data"
    if _SEVERAL.search(draft.content):
        return None
    if said.has("unreal"):
        return "it tells what might have been"
    if said.opens(*_suppositions(draft)):
        return "it opens like a condition, a supposition or an example"
    # Between people, what they may do one day is news.
    if not only_tells(draft) or draft.speaker:
        return None
    told = _said(draft.content).before("unlikely")
    # "I capped it at $400, and I'm worried I might go over" tells a number all the same.
    return None if told is None or _NUMBER.search(told) else "it tells what may be one day"


def denied(draft: Draft, _: AuditContext) -> str | None:
    """A sentence that opens by denying what follows."""
    if draft.category not in _SELF or draft.role is Role.TOOL or _SEVERAL.search(draft.content):
        return None
    return "it denies what follows" if _sentence(draft).opens("denied") else None


def _suppositions(draft: Draft) -> tuple[str, ...]:
    """Sections of the lexicon whose openers make a supposition of it.

    Between people 'maybe' tells of real plans, and a condition belongs to a taste or a decision.
    """
    if draft.speaker:
        return ("supposed", "supposed.together")
    always = ("supposed", "supposed.together", "perhaps")
    return (*always, "conditional") if only_tells(draft) else always


def in_jest(draft: Draft, _: AuditContext) -> str | None:
    """A sentence that says itself that it is a joke, plays irony in one of the worn phrases, or reads like a jest."""
    if draft.category not in _SELF or draft.role is Role.TOOL:
        return None
    if Mark.JEST in draft.marks:
        return "said in jest"
    # Two people laugh about what is so, and so does who tells an agent names, numbers, or much at once.
    plain = draft.speaker or _NAMED.search(draft.content) or len(content_words(draft.content)) > _MORE_THAN_A_JOKE
    return "said in jest" if _sentence(draft).has(*(("jest",) if plain else ("jest", "laughing"))) else None


def hearsay(draft: Draft, _: AuditContext) -> str | None:
    """What somebody else says and the speaker does not stand for."""
    return "somebody else's word" if Mark.HEARSAY in draft.marks else None


def acted(draft: Draft, _: AuditContext) -> str | None:
    """A stage direction between asterisks, then the words of a character."""
    if draft.category not in _SELF or not any(sign in draft.line for sign in "*（"):
        return None
    return "the words of a character" if _ACTED.match(draft.line.lower()) else None


def recited(draft: Draft, _: AuditContext) -> str | None:
    """What an agent says that it knows of the user: from its memory or out of thin air, but not said now."""
    if draft.role is not Role.ASSISTANT:
        return None
    return "the agent recites what it takes for known" if _sentence(draft).opens("recalled") else None


def of_the_moment(draft: Draft, _: AuditContext) -> str | None:
    """What goes on while somebody works with an agent: a build that runs, a phone that rings."""
    told = only_tells(draft) or draft.category in (Category.OPEN_ITEM, Category.PROFILE)
    if not told or draft.role is not Role.USER or draft.speaker:
        return None
    if draft.event_time is not None or len(content_words(draft.content)) > _MORE_THAN_A_MOMENT:
        return None
    if _LASTING.search(draft.content):
        return None
    return "it tells what goes on at this moment" if _sentence(draft).has("transient.state") else None


def for_this_once(draft: Draft, _: AuditContext) -> str | None:
    """An exception that holds only this time; it must not become the rule."""
    if draft.category not in _STANDING or draft.role is Role.TOOL:
        return None
    names = ("transient.once", "transient.now") if draft.category is Category.INSTRUCTION else ("transient.once",)
    return "it is asked for this once" if _said(draft.content).has(*names) else None


def only_thanks(draft: Draft, _: AuditContext) -> str | None:
    """Thanks, and praise or blame of the one who is spoken to; nothing can be done with it later."""
    if (not only_tells(draft) and draft.category is not Category.PREFERENCE) or _SEVERAL.search(draft.content):
        return None
    texts = dict.fromkeys((draft.line or draft.content, draft.content))
    thanks = any(_said(text.rstrip(" .!~。！")).opens("thanks") for text in texts)
    return "it thanks or praises the one who is spoken to" if thanks else None


def only_reacts_to(draft: Draft, _: AuditContext) -> str | None:
    """Praise or assent to an agent, with a tail that names nothing: 'Cool, I'll try that tomorrow.'"""
    if not only_tells(draft) or draft.role is not Role.USER or draft.speaker:
        return None
    sentence = (draft.line or draft.content).strip()
    assent = _ASSENT.match(sentence)
    if assent is None or _SEVERAL.search(sentence):
        return None
    tail = sentence[assent.end() :]
    names_nothing = not _OWN_OR_NAMED.search(tail) and len(content_words(tail)) <= _SHORT_TAIL
    return "assent with a tail that names nothing" if names_nothing else None


def only_comments(draft: Draft, _: AuditContext) -> str | None:
    """What people say to an agent about its answer, in words that say nothing else."""
    if not only_tells(draft) or draft.role is not Role.USER or draft.speaker:
        return None
    return "a comment on what was answered" if only_reacts(draft.content) else None


def about_the_other(draft: Draft, _: AuditContext) -> str | None:
    """A remark about the one who is spoken to: who they are, they say themselves."""
    if draft.category not in TOLD or draft.role is not Role.USER or _SEVERAL.search(draft.content):
        return None
    return "a remark about the one who is spoken to" if _TO_THE_OTHER.match(draft.content.lower()) else None
