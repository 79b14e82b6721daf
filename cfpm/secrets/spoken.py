"""Finds the secret without a digit that somebody tells: "our safe word is rhododendron", "passphrase: seven lamps
under a crooked pier".

What its words are says little; which word tells of a secret, what stands between both, and how the value looks say more
(`spoken.toml`). How much each counts was learnt by `python -m benchmarks train spoken`.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.secrets.told import LONGEST, in_a_name, shape
from cfpm.secrets.values import is_common, is_compound_adjective, is_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cfpm.secrets.checks import Span

LONGEST_LINE = 320
"""Characters of a line that are read at once; a longer one is read by sentences."""

SHORTEST, LONGEST_VALUE, MOST_WORDS = 3, 120, 25
"""Characters and words of a value."""

AHEAD, BEHIND = 80, 80
"""Characters by which a value may begin behind the end of a cue, or before it."""

ASKED = -4.0
"""Log odds by cues and looks from which a value is read in its surroundings."""

SPOKEN = 0.0
"""Log odds by both together from which it is a secret. In 1.7 million words of talk, commands and sessions none is
taken, by cues and looks alone nine; of what four authors tell beside a cue a third more is found."""

_LINE = lazy_pattern(r"[^\n]+")
_SENTENCE = lazy_pattern(r".+?(?:[.!?](?=\s)|[。！？]|\Z)\s*", re.DOTALL)
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = lazy_pattern(
    r""""([^"\n]{2,120})"|“([^”\n]{2,120})”|„([^“”\n]{2,120})[“”]|«\s?([^»\n]{2,120}?)\s?»|「([^」\n]{2,120})」"""
    r"""|(?<!\w)'([^'\n]{3,120})'(?!\w)|‘([^’\n]{3,120})’|`([^`\n]{3,120})`|\*\*([^*\n]{3,120})\*\*"""
)
_TOKEN = lazy_pattern(
    r"[A-Za-zÀ-ɏ\u0370-\u04ff][A-Za-zÀ-ɏ\u0370-\u04ff&+.!#$%*~^_/'’-]{2,40}"
    r"|[零〇一二两三四五六七八九幺洞]{3,12}|[\u30a0-\u30ff]{3,20}"
)
_AFTER = lazy_pattern(r"[:=：＝(（—–,，]\s*|(?:->|=>|→)\s*|(?<!\w)[^\W\d_]{1,8}\s+")
_CLAUSE = lazy_pattern(r"(?![\u3040-\u30ff\u3400-\u9fff])[^.,;:!?()（），。；：！？\"“”\n—–]{3,120}")
_LIST = lazy_pattern(r"(?:[^\W\d_]{2,14}[,，、\s]+){5,23}[^\W\d_]{2,14}")
_ENDS = " .,?!:;=-_/*&'’"
_QUOTES = "\"“„«「'‘`*"
_SIGNS = {
    sign: name
    for name, signs in (
        ("colon", ":："), ("equals", "=＝"), ("arrow", ">→"), ("comma", ",，"), ("bracket", "(（"), ("dash", "—–-"),
        ("slash", "/"), ("bar", "|"),
    )
    for sign in signs
}  # fmt: skip
_TELLING = ("password", "pin", "answer", "word", "seed")
_NEAR = (0, 2, 5, 9)
"""Words between a cue and a value, as they are told apart."""


class Cue(NamedTuple):
    """A word that says that a secret is told: of which kind, and where it stands."""

    kind: str
    start: int
    end: int


class Part(NamedTuple):
    """What is read at once: where it begins in the text, and its cues."""

    start: int
    text: str
    cues: Sequence[Cue]


def spoken(text: str) -> list[Span]:
    """The secrets without a digit that a text tells, as far as its words show it."""
    if len(text) > LONGEST:
        return []
    scored = [
        ((part.start + span[0], part.start + span[1]), own)
        for part in parts(text)
        for span in values(part)
        if (own := score(part, span, _weights())) >= (0 if in_a_name(part.text, span[0]) else ASKED)
    ]
    if not scored:
        return []
    from cfpm.secrets.telling import telling  # an encoder, which most texts do not need

    read = telling(text, [span for span, _ in scored])
    sure = [(-own - more, *span) for (span, own), more in zip(scored, read, strict=True) if own + more >= SPOKEN]
    return sorted(apart(sure))


def apart(scored: Iterable[tuple[float, int, int]]) -> list[Span]:
    """Of values that overlap the likelier one; each is given with what speaks against it."""
    found: list[Span] = []
    for _, start, end in sorted(scored):
        if not any(start < last and end > first for first, last in found):
            found.append((start, end))
    return found


def parts(text: str) -> Iterator[Part]:
    """The lines of a text with a cue, long ones by sentences."""
    for line in _LINE.finditer(text):
        long = line.end() - line.start() > LONGEST_LINE
        for piece in _SENTENCE.finditer(text, *line.span()) if long else (line,):
            told = piece[0][:LONGEST_LINE]
            if (found := cues(told)) and _tell({cue.kind for cue in found}):
                yield Part(piece.start(), told, found)


def _tell(kinds: set[str]) -> bool:
    """Whether cues of these kinds together tell of a secret: who only logs in or opens something tells none."""
    return not kinds.isdisjoint(_TELLING) or ("say" in kinds and len(kinds) > 1)


def cues(text: str) -> list[Cue]:
    """The words of a text that say that a secret is told, in order."""
    known, anywhere = _cues()
    words = ((known.get(one[0].lower()), one.span()) for one in _WORD.finditer(text))
    found = [Cue(kind, *span) for kind, span in words if kind]
    if not text.isascii():
        found += [Cue(anywhere[one[0]], *one.span()) for one in _anywhere().finditer(text)]
    return sorted(found, key=lambda cue: cue.start)


def values(part: Part) -> list[Span]:
    """What may be a secret by its looks: what is quoted, a word, the rest of a clause, a list of words."""
    text = part.text
    found: dict[Span, None] = {}
    for one in _QUOTED.finditer(text):
        found[one.span(one.lastindex or 0)] = None
    for pattern in (_TOKEN, _LIST):
        found |= dict.fromkeys(one.span() for one in pattern.finditer(text))
    for one in _AFTER.finditer(text):
        if clause := _CLAUSE.match(text, one.end()):
            found[clause.span()] = None
    bare = dict.fromkeys(_bare(text, *span) for span in found)
    near = [span for span in bare if any(-BEHIND <= span[0] - cue.end <= AHEAD for cue in part.cues)]
    return [
        span
        for span in near
        if _may_be(text[slice(*span)])
        and not _of_another(part, span)
        and (text[span[0] - 1 : span[0]] in _QUOTES or not is_compound_adjective(text[slice(*span)]))
    ]


def _of_another(part: Part, span: Span) -> bool:
    """Whether it is an option's name, or the value of a name, of which `assignments.py` decides: a password, or what
    stands beside it."""
    if part.text.endswith("--", 0, span[0]):
        return True
    return _between(part.text, span[0]) in ("equals other", "equals password", "colon password")


def _bare(text: str, start: int, end: int) -> Span:
    value = text[start:end]
    return start + len(value) - len(value.lstrip(_ENDS)), start + len(value.rstrip(_ENDS))


def _may_be(value: str) -> bool:
    if not SHORTEST <= len(value) <= LONGEST_VALUE or any(map(str.isdigit, value)):
        return False
    first = value.partition(" ")[0].lower()
    return value.count(" ") < MOST_WORDS and (
        first not in _joining() if first != value.lower() else not is_placeholder(value)
    )


def score(part: Part, span: Span, weights: Mapping[str, float]) -> float:
    """Log odds that this is the secret that a part tells, beyond those from which it is taken for one."""
    return round(weights[""] + sum(weights.get(name, 0.0) for name in signs(part, span)), 3)


def signs(part: Part, span: Span) -> list[str]:
    """What speaks for a secret or against it: the nearest cues, what stands between, and the looks of the value."""
    start, end = span
    text, value = part.text, part.text[start:end]
    before = [cue for cue in part.cues if cue.end <= start]
    behind = [cue for cue in part.cues if cue.start >= end]
    ahead = f"{before[-1].kind} {_distance(text[before[-1].end : start])}" if before else "none"
    after = f"{behind[0].kind} {_distance(text[end : behind[0].start])}" if behind else "none"
    joined, ending = _between(text, start), _ending(text, end)
    looks = _looks(value, quoted=start > 0 and text[start - 1] in _QUOTES)
    kinds = "+".join(sorted({cue.kind for cue in part.cues}))
    own = "+".join(sorted({cue.kind for cue in part.cues if cue.start >= start and cue.end <= end})) or "none"
    asks = "?" in text[end:] or "？" in text[end:]
    found = [f"ahead {ahead}", f"after {after}", f"joined {joined}", f"ending {ending}", f"looks {looks}"]
    found += [f"kinds {kinds}"]
    found += [f"ahead {ahead}, joined {joined}", f"joined {joined}, looks {looks}", f"looks {looks}, ending {ending}"]
    found += [f"after {after}, looks {looks}", f"own {own}"]
    found += [f"after {after}, ending {ending}", f"joined {joined}, ending {ending}"]
    found += [f"asks {asks}", f"long {len(value) // 8}"]
    if before:
        following = _following(text[before[-1].end : start])
        found += [
            f"kind {before[-1].kind}, looks {looks}",
            f"following {following}",
            f"following {following}, {joined}",
        ]
    return found


def _following(between: str) -> str:
    """What stands right behind a cue: "the password for ... is" tells one, "the password manager is" none."""
    word = _WORD.match(between.lstrip(" "))
    return _joining().get(word[0].lower(), "word") if word else "sign" if between.strip() else "nothing"


def _distance(between: str) -> int:
    count = len(_WORD.findall(between))
    return sum(count > most for most in _NEAR)


def _between(text: str, start: int) -> str:
    """What stands right before a value."""
    ahead = text[:start].rstrip(_QUOTES + " \t")
    if not ahead.strip():
        return "nothing"
    words = _WORD.findall(ahead[-40:])
    if sign := _SIGNS.get(ahead[-1]):
        return f"{sign} {_cues()[0].get(words[-1].lower(), 'other') if words else 'nothing'}"
    if not words or not ahead[-1].isalpha():
        return "sign" if not ahead[-1].isalnum() else "number"
    last = words[-1].lower()
    if kind := _joining().get(last) or _joining().get(ahead[-1]):
        return f"{kind} {last}" if kind == "is" else kind
    return f"cue {found}" if (found := _cues()[0].get(last)) else "word"


def _ending(text: str, end: int) -> str:
    """What stands right behind a value."""
    rest = text[end:].lstrip(_QUOTES + "”»」’ ")
    if not rest.strip(_ENDS):
        return "end"
    if rest[0] in ".,;!?。，；！？)）\n":
        return "clause"
    word = _WORD.match(rest)
    return _joining().get(word[0].lower(), "word") if word else "sign"


def _looks(value: str, *, quoted: bool) -> str:
    words = _WORD.findall(value)
    low = [word.lower() for word in words]
    spelt = _spelt()
    if words and all(word in spelt for word in low):
        return f"spelt {min(len(words), 5)}"
    common = sum(map(is_common, words))
    if " " not in value:
        inner = "signs" if not value.isalpha() else shape(value)
        seldom = "common" if words and common == len(words) else "seldom"
        return f"{quoted} one {inner} {seldom}"
    many = sum(len(words) > most for most in (2, 4, 7, 11))
    return f"{quoted} {many} {'list' if ',' in value or '、' in value else 'words'}"


@cache
def _cues() -> tuple[dict[str, str], dict[str, str]]:
    return _by_word("cues"), _by_word("cues_anywhere")


@cache
def _joining() -> dict[str, str]:
    return _by_word("between")


@cache
def _spelt() -> dict[str, str]:
    return _by_word("spelt")


def _by_word(name: str) -> dict[str, str]:
    """The words of a table of `spoken.toml`, each with its kind."""
    return {word: kind for kind, words in toml_table(__package__, "spoken")[name].items() for word in words.split()}


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(_cues()[1], key=len, reverse=True))))


@cache
def _weights() -> dict[str, float]:
    told = resources.files(__package__).joinpath("spoken.tsv").read_text(encoding="utf-8")
    rows = (line.rpartition("\t") for line in told.splitlines()[1:])
    return {name: float(weight) for name, _, weight in rows}
