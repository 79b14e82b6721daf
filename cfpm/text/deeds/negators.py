"""Finds the words by which somebody denies: "I've never", "we haven't yet", "no room has been".

What they deny is read in `denials.py`. English.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.text.deeds.verbs import bared, happening
from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.quantities.vocabulary import lists

_HINTS = (
    "never",
    "n't",
    "n’t",
    " not ",
    "no ",
    "stopped",
    "quit",
    "dropped",
    "gave up",
    "given up",
    "havent",
    "yet to ",
    "zero ",
)
"""One of these stands, in lower case, in whatever denies."""

_SPOKEN = lazy_pattern(
    r"\b(?:i|we|i've|we've|i’ve|we’ve)\s+(?:(?:have|has|had|do|does|did)\s+)?"
    r"(?:(?:actually|really|personally|also|just|still|honestly|simply)\s+)?(?P<how>never|yet to|no longer|stopped|"
    r"quit|(?:don['’]?t|do not)(?=[^,;.?!\n]{2,60}\s(?:any ?(?:more|longer)|at all)\b)|"
    r"(?:haven['’]?t|have not)(?:\s+(?:ever|yet))?|(?:didn['’]?t|did not)(?:\s+ever)?)\s+"
    r"(?P<what>[^,;.?!—–\n]+(?:,\s*(?:like|such as|including)\s[^,;.?!\n]+)?)",
    re.IGNORECASE,
)
_LASTS = lazy_pattern(
    r"\b(?:i|we)\s+(?:(?:actually|really|personally|currently|also|still)\s+)?(?:don['’]?t|do not)\s+"
    r"(?:(?:actually|really|currently|even)\s+)?(?P<what>(?P<verb>[a-z]+)\s[^,;.?!—–\n]+)",
    re.IGNORECASE,
)
_LACKS = lazy_pattern(
    r"\b(?:i|we)(?:['’]ve|\s+have|\s+had)?\s+(?:(?:got|really|actually|still|currently)\s+)*(?:no|zero)\s+"
    r"(?:(?:prior|previous|real|actual|practical|hands-on)\s+)*experience\s+(?:(?:with|in|of|at|on|using)\s+)?"
    r"(?P<what>[^,;.?!—–\n]+)",
    re.IGNORECASE,
)
"""What nobody has experience of was never used, or never done."""
_MEMBER = lazy_pattern(
    r"\b(?:i['’]m|i am|we['’]re|we are)\s+not\s+(?:currently\s+|actually\s+)?"
    r"(?:(?:a\s+)?(?:member|part)\s+of|enrol+ed\s+in|registered\s+for|signed\s+up\s+for)\s(?P<what>[^,;.?!—–\n]+)",
    re.IGNORECASE,
)
_GONE = lazy_pattern(
    r"\b(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:just|recently|already|finally)\s+)?"
    r"(?:dropped|ditched|abandoned|gave\s+up(?:\s+on)?|given\s+up(?:\s+on)?|got\s+rid\s+of)\s(?P<what>[^,;.?!—–\n]+)",
    re.IGNORECASE,
)
_PASSIVE = lazy_pattern(
    r"\s(?:(?:ha(?:s|ve|d)(?:n['’]t|\s+not|\s+never)|never)(?:\s+(?:actually|ever|yet))?\s+been|"
    r"(?:was|were)(?:n['’]t|\s+not|\s+never)(?:\s+(?:actually|ever))?)\s+(?P<verb>[a-z]+)\b(?P<tail>[^,;.?!—–\n]*)",
    re.IGNORECASE,
)
_NONE = lazy_pattern(
    r"\bno\s+(?P<what>[^,;.?!—–\n]{3,50}?)\s+(?:has|have|had|was|were)\s+(?:(?:actually|ever|yet)\s+)?(?:been\s+)?"
    r"(?P<verb>[a-z]+)\b(?P<tail>[^,;.?!—–\n]*)",
    re.IGNORECASE,
)
_BREAK = lazy_pattern(r"[,;.?!—–\n]|\b(?:and|but|so|because|that|although|though|since|while)\b", re.IGNORECASE)
_OVER = lazy_pattern(
    r"\b(?:but|so|because|which|who|since|although|while|and (?:i|we|my|it|the|need|want|would|am|now)|if|when)\b.*",
    re.IGNORECASE,
)
_ANY_MORE = lazy_pattern(
    r"\s+(?:any ?(?:more|longer)|at all|so far|until now|in my (?:whole )?life)\b.*", re.IGNORECASE
)
_AT_ALL = lazy_pattern(r"\sat all\b", re.IGNORECASE)
_SO_FAR = lazy_pattern(r"\bha(?:s|ve|d)(?:n['’]t|\s+not)\b|\Ano\b", re.IGNORECASE)
_THIS = lazy_pattern(r"\b(?:for|in|on|at|to|with|of|during) (?:this|that)\b(?:\s\w+)?|\bbefore\W*$", re.IGNORECASE)
"""Points to what both texts are about anyway."""
_TRIED = lazy_pattern(
    r"^(?:(?:actually|ever|even|yet)\s+)?(?:tried\s+(?:to\s+|(?=\w+ing\b))|been\s+able\s+to\s+|managed\s+to\s+|"
    r"got(?:ten)?\s+(?:a\s+chance\s+|around\s+)?to\s+|had\s+(?:the\s+|any\s+|a\s+)?(?:time|chance)\s+to\s+|"
    r"started\s+(?:to\s+|(?=\w+ing\b))|bothered\s+to\s+)",
    re.IGNORECASE,
)
"""Before the verb that is denied."""
_LIGHT = lazy_pattern(
    r"^(?:made|placed|had|taken|given|gone\s+on|held)\s+(?:(?:any|an?|the|my|some|such)\s+)?(?P<noun>[a-z]+)\s+"
    r"(?:of|for|with|to|on|in|about)\s+(?=\S)",
    re.IGNORECASE,
)
"""A verb that says little, with the noun of a deed: "made a booking for"."""
_PART = lazy_pattern(r"^been\s+(?:an?\s+)?(?:active\s+)?(?:part|member)\s+of\b", re.IGNORECASE)
_PERSON = lazy_pattern(
    r"\b(?:(?:this|that|the|my|a)\s+)?(?:guy|man|woman|lady|girl|dude|fellow|person|someone|somebody|anyone|anybody)\s+"
    r"(?:(?:named|called)\s+)?(?=[A-Z][a-z])"
)
"""Before a name, these say nothing of whose it is."""
_SUCH = lazy_pattern(
    r"(?:done|do|tried|try)\s+(?:it|this|that|so|(?:any|some)thing like (?:it|this|that)|that kind of thing)\b"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Points to what the text spoke of before."""
_GERUND = lazy_pattern(r"\b[a-z]{2,}ing\s(?=[^,;.?!—–\n]{3})", re.IGNORECASE)
_INFINITIVE = lazy_pattern(r"\bto\s+(?=[a-z]{2,}\s[^,;.?!—–\n]{3})", re.IGNORECASE)
_ANY = lazy_pattern(
    r"\b(?:with|using|through|via|on|in|by)\s+(?:any|an?|some)\s+(?:\w+\s+)?(?P<means>[a-z]+)", re.IGNORECASE
)
_OF_ANY = lazy_pattern(r"\s(?:of|from)\s+any\s.*", re.IGNORECASE)
_UNSAID = lazy_pattern(
    r"\b(?:if|whether|unless|idea|wish|suppose|imagine|means?|sure|ensure|check|so)\b[^,;.?!]*$", re.IGNORECASE
)
"""Before a denial that nobody makes: "if we don't use it", "to make sure I didn't"."""
_LACKING = lazy_pattern(r"have\s+(?:the|that|this|those|these|enough|much|to|time|access)\b", re.IGNORECASE)
"""What is missing at the moment, and no thing that one never had."""
_MIND = frozenset(
    ["thought", "realized", "realised", "expected", "know", "decided", "mean", "imagined", "said", "heard"]
)
"""Verbs of what is in the mind: not to have done that denies no deed."""


class Denying(NamedTuple):
    """`what` begins with the verb; `ended` says that it once was so, `yet` that it may come."""

    what: str
    ended: bool
    yet: bool


def denying(text: str) -> Denying | None:
    """The denial of a text; None when it has none."""
    text = bared(text)
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return None
    return _spoken(text) or _lasting(text) or _passive(text)


def _spoken(text: str) -> Denying | None:
    found = _SPOKEN.search(text)
    if found is None:
        return None
    how, what = " ".join(found["how"].lower().split()), found["what"]
    ended = how in ("no longer", "stopped", "quit") or (how.startswith("do") and not _AT_ALL.search(what))
    first = what.split(maxsplit=1)[0].lower()
    if how not in ("never", "no longer") and (first in _MIND or _UNSAID.search(text, 0, found.start())):
        return None
    yet = how == "yet to" or (how.startswith("have") and not how.endswith("ever"))
    if (such := _SUCH.match(what)) is not None:
        what = f"{_spoken_of(text[: found.start()])} {such['rest']}".strip()
    told = _plain(what)
    return Denying(told, ended, yet or what.rstrip().endswith(" before")) if told else None


def _spoken_of(text: str) -> str:
    """The deed that was last named: "without chipping a tile", "I'd like to bake bread"; empty when there is none."""
    gerunds = [match for match in _GERUND.finditer(text) if match[0].strip().lower() not in lists()["no_deed"]]
    named = gerunds or [*_INFINITIVE.finditer(text)]
    start = (named[-1].start() if gerunds else named[-1].end()) if named else len(text)
    return _BREAK.split(text[start:])[0].strip()


def _lasting(text: str) -> Denying | None:
    """What is not so at present, or was given up."""
    if (found := _LASTS.search(text)) and found["verb"].lower() in lists()["lasting"]:
        unsaid = _UNSAID.search(text, 0, found.start()) or _LACKING.match(found["what"])
        return None if unsaid else Denying(_plain(found["what"]), False, False)
    if (found := _LACKS.search(text)) and not _UNSAID.search(text, 0, found.start()):
        done = found["what"] if _GERUND.match(found["what"]) else f"used {found['what']}"
        return Denying(_plain(done), False, False)
    if found := _MEMBER.search(text):
        return Denying(_plain(f"joined {found['what']}"), False, False)
    if found := _GONE.search(text):
        return Denying(_plain(f"used {found['what']}"), True, False)
    return None


def _passive(text: str) -> Denying | None:
    """ "The table hasn't been migrated", "no room was booked": the thing stands before the verb."""
    if found := _NONE.search(text):
        thing = found["what"]
    elif found := _PASSIVE.search(text):
        thing = _BREAK.split(text[: found.start()])[-1]
    else:
        return None
    verb = found["verb"].lower()
    if not thing.strip() or not (verb.endswith("ed") or verb in lexicon().participle):
        return None
    return Denying(
        _plain(f"{verb} {thing.strip()} {found['tail'].strip()}"), False, _SO_FAR.search(found[0]) is not None
    )


def _plain(what: str) -> str:
    """Without what hangs on it, or narrows nothing."""
    told = _OF_ANY.sub("", _OVER.sub("", what))
    told = _PART.sub("joined", _PERSON.sub("", told))
    told = _TRIED.sub("", _THIS.sub("", _ANY_MORE.sub("", told)).strip())
    told = _LIGHT.sub(
        lambda found: f"{happening()[noun]} " if (noun := found["noun"].lower()) in happening() else found[0], told
    )
    return _ANY.sub(lambda found: "" if found["means"].lower() in lists()["means"] else found[0], told).strip()
