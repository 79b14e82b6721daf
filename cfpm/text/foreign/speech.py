"""Which lines of a foreign text speak: give orders, claim what somebody wants, or talk at all.

Foreign is what a tool returned, what a user pastes, and what another participant writes. Words are looked at, never
what they are about: a line that only might be an order counts as one. The words are data (words.toml).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise

from cfpm.model.literals import LiteralSet
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.lexicon import lexicon
from cfpm.text.sentences import sentences

_RUN = lazy_pattern(
    r"(?<![^\W\d_])(?:[^\W\d_]++(?:-[^\W\d_]++){3,}|"
    r"[^\W\d_][^\W_]*+(?:['’-][^\W_]++)*+(?:(?:[,:;.!?*]{0,2}[\"'”’)]{0,2}[ \t]{1,2}[\"'“‘(*]{0,2}|_|: ?)"
    r"(?:\d[\w.,%]*|[^\W\d_][^\W_]*+(?:['’-][^\W_]++)*+))+)"
)
"""Words one behind the other, as in a sentence or in a name with underscores."""
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_CJK_RUN = lazy_pattern(r"[\u3400-\u9fff，、：]{4,}")
_LONG_CJK = lazy_pattern(r"[\u3400-\u9fff，、：]{8,}")
_OTHER_SCRIPT = lazy_pattern(
    r"[\u3040-\u30ff][\u3040-\u30ff\u3400-\u9fff]{4}|[\uac00-\ud7af]{2,}\s[\uac00-\ud7af]{2}|"
    r"[\u0370-\u03ff\u0400-\u04ff]{2,}[\s,:]+[\u0370-\u03ff\u0400-\u04ff]{2,}|"
    r"[\u0590-\u06ff]{2,}[\s،,:]+[\u0590-\u06ff]{2}|[\u0900-\u0e7f]{6}"
)
"""Two words, or some letters, of a script that no lexicon reads: Japanese, Korean, Greek, Cyrillic, Hebrew, Arabic,
scripts of India, Thai."""
_LABEL = lazy_pattern(r"[\s\W\d]*(?:[^\W\d_][\w ./()'’-]{0,40}[:=>][\s\"'*>-]*)?", 0)
"""What may stand before an order: marks, and the label of a line."""
_MARKS = " \t\"'*>-#/+"
_I = frozenset(("i", "we", "i'm", "i've", "i'd"))
_MY = frozenset(("my", "our"))
_MIN_RUN = 3
_MIN_PROSE = 5
"""Words of a run that may speak, and that is a sentence."""
_SHORT_LINE = 160
"""Characters of a line that is one order, however many sentences it has."""
MOST_QUOTED = 800
"""Characters of a quoted stretch up to which it is a mail, a note or a notice, of which a sentence may be shown."""
_OPENS_QUOTE = frozenset('"“„«「>')
_MAX_LINE = 4_000
"""Characters of a line that are looked at; a longer one is data, or speaks."""


@dataclass(frozen=True, slots=True)
class _Heads:
    """The letters with which the words of each kind begin: all of a word but what stands behind an apostrophe."""

    readers: frozenset[str]
    principals: frozenset[str]
    standing: frozenset[str]
    overrides: frozenset[str]
    overridden: frozenset[str]
    says: frozenset[str]
    directs: frozenset[str]
    tells: frozenset[str]
    verbs: frozenset[str]
    first_person: frozenset[str]
    any_other: frozenset[str]
    all: frozenset[str]


def _heads(words: Iterable[str]) -> frozenset[str]:
    return frozenset(found[0] for word in words if (found := _LETTERS.match(word)))


@dataclass(frozen=True, slots=True)
class _Words:
    readers: frozenset[str]
    principals: frozenset[str]
    wishes: frozenset[str]
    says: frozenset[str]
    """Wishes and claims."""
    standing: frozenset[str]
    overrides: frozenset[str]
    overridden: frozenset[str]
    directs: frozenset[str]
    """Orders and claims."""
    tells: frozenset[str]
    """What tells a reader something: orders, rules, claims, verbs of orders that programs seldom report."""
    named: frozenset[str]
    """Readers and principals."""
    of_people: frozenset[str]
    """Principals and pronouns."""
    verbs: frozenset[str]
    small: frozenset[str]
    other: tuple[frozenset[str], ...]
    any_other: frozenset[str]
    heads: _Heads
    standing_phrases: LiteralSet
    phrases: LiteralSet
    """Those of rules that stand, and of plain orders."""
    chinese: LiteralSet
    anchors: LiteralSet
    personal_keys: re.Pattern[str]


@cache
def _words() -> _Words:
    data = toml_table("cfpm.text.foreign", "words")
    keys = data["personal_keys"]
    words = {name: value for name, value in data.items() if isinstance(value, str) and name != "personal_keys"}
    sets = {name: frozenset(value.split()) for name, value in words.items()}
    known = (line for line in lexicon("en").entries["verb.imperative"])
    verbs = sets["verbs"] | {verb for line in known for verb in line.strip("()").split("|")}
    small = sets["small"]
    other = tuple(frozenset(words.split()) - small for words in data["other"].values())
    any_other = frozenset().union(*other)
    anchors = chain(
        (word for word in sets["readers"] | sets["standing"] | sets["principals"] | sets["overrides"] if len(word) > 2),
        (
            " ai ",
            "ai:",
            "ai-",
            "i want",
            "i need",
            "i prefer",
            "i like",
            "my rule",
            "my goal",
            "my prefer",
            "my name is",
        ),
        data["standing_phrases"],
        data["order_phrases"],
        data["zh"]["speech"],
        data["other_anchors"],
    )
    return _Words(
        readers=sets["readers"],
        principals=sets["principals"],
        wishes=sets["wishes"],
        says=sets["wishes"] | sets["claims"],
        standing=sets["standing"],
        overrides=sets["overrides"],
        overridden=sets["overridden"],
        directs=sets["orders"] | sets["claims"],
        tells=sets["orders"] | sets["claims"] | sets["verbs"] | sets["standing"],
        named=sets["readers"] | sets["principals"],
        of_people=sets["principals"] | sets["pronouns"],
        verbs=verbs,
        small=small,
        other=other,
        any_other=any_other,
        heads=_Heads(
            readers=_heads(sets["readers"]),
            principals=_heads(sets["principals"]),
            standing=_heads(sets["standing"]),
            overrides=_heads(sets["overrides"]),
            overridden=_heads(sets["overridden"]),
            says=_heads(sets["wishes"] | sets["claims"]),
            directs=_heads(sets["orders"] | sets["claims"]),
            tells=_heads(sets["orders"] | sets["claims"] | sets["verbs"] | sets["standing"]),
            verbs=_heads(verbs),
            first_person=_heads(_I | _MY),
            any_other=_heads(any_other),
            all=_heads(chain(*sets.values(), verbs, any_other, _I, _MY)),
        ),
        standing_phrases=LiteralSet(data["standing_phrases"]),
        phrases=LiteralSet([*data["standing_phrases"], *data["order_phrases"]]),
        chinese=LiteralSet(data["zh"]["speech"]),
        anchors=LiteralSet(anchors),
        personal_keys=lazy_pattern(keys),
    )


def orders_in(text: str, *, thorough: bool) -> Iterator[tuple[int, int]]:
    """The sentences, as [start, end), that give an order, set a rule, claim what somebody wants, or are in a language
    that is not read; of a short line, and of one that only does as a
    whole, the line.

    Without `thorough` plain orders ('Run the tests') do not count: files and programs are full of them.
    """
    for start, end in _lines(text) if thorough else _anchored_lines(text):
        line = text[start:end]
        if not _orders(line, thorough=thorough):
            continue
        bare = line.strip()
        begin = start + line.find(bare)
        parts = sentences(line) if len(bare) > _SHORT_LINE else ()
        found = [(start + part.start, start + part.end) for part in parts if _orders(part.text, thorough=thorough)]
        yield from found or [(begin, begin + len(bare))]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        if line and not line.isspace():
            yield start, start + len(line)
        start += len(line) + 1


def _anchored_lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines in which a word stands without which none gives an order; far faster where there are few."""
    lower = text.lower()
    behind = 0
    for at in _words().anchors.ends(lower if len(lower) == len(text) else text):
        if at > behind:
            start = text.rfind("\n", 0, at) + 1
            behind = text.find("\n", at)
            behind = behind if behind >= 0 else len(text)
            yield start, behind


def speech_lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines, as [start, end) without their line ends, that speak: sentences, and whatever may be an order.

    Code, data, figures, paths and short labels are left.
    """
    return ((start, end) for start, end in _lines(text) if _speaks(text[start:end]))


@lru_cache(maxsize=256)
def without_speech(text: str, stretches: tuple[tuple[int, int], ...] | None = None) -> str:
    """The text without the lines that speak, and without blank ones; with `stretches`, only lines inside of them go."""
    return _replaced(text, stretches if stretches is not None else ((0, len(text)),), lambda *_: "")


@lru_cache(maxsize=256)
def with_speech_quoted(text: str, stretches: tuple[tuple[int, int], ...]) -> str:
    """As `without_speech`, but where the user put short ones of these stretches between quotation marks, or behind `>`,
    the sentences that only tell something stay, each marked as quoted: no order, no rule, no claim of what somebody
    wants, no first person."""
    marked = [span for span in stretches if text[slice(*span)].lstrip()[:1] in _OPENS_QUOTE]

    def quoted(start: int, end: int) -> str:
        inside = {(max(start, a), min(end, b)) for a, b in marked if a < end and start < b and b - a <= MOST_QUOTED}
        return "".join(dict.fromkeys(f"{one} " for part in sorted(inside) for one in _told(text[slice(*part)])))

    return _replaced(text, stretches, quoted)


def _told(line: str) -> Iterator[str]:
    for part in sentences(line.lstrip("> \t")):
        said = part.text.strip("\"'“”„«»「」> ")
        enough = len(said.split()) >= _MIN_PROSE or _LONG_CJK.search(said)
        if enough and '"' not in said and not _orders(said, thorough=True):
            yield f'[quoted: "{said}"]'


def _replaced(text: str, spans: Sequence[tuple[int, int]], by: Callable[[int, int], str]) -> str:
    """The text with something else in the place of the lines of these stretches that speak, and without blank ones."""
    cut = sorted((begin + start, begin + end) for begin, stop in spans for start, end in speech_lines(text[begin:stop]))
    if not cut:
        return text
    kept, at = [], 0
    for start, end in cut:
        if start >= at:
            kept.append(text[at:start])
        if end > at:
            kept.append(by(max(start, at), end))
        at = max(at, end)
    kept.append(text[at:])
    lines = [line for line in "".join(kept).split("\n") if line.strip()]
    return "\n".join(lines)


def _orders(line: str, *, thorough: bool) -> bool:
    lower = line[:_MAX_LINE].lower()
    if _unread(lower) or _holds_a_phrase(lower, thorough):
        return True
    return _may_give_orders(lower, thorough) and _gives_orders(lower, _runs(lower), thorough)


def _holds_a_phrase(lower: str, thorough: bool) -> bool:
    words = _words()
    return (words.phrases if thorough else words.standing_phrases).any_in(lower)


def _may_give_orders(lower: str, thorough: bool) -> bool:
    """False where the words of a line cannot, in whatever order: sooner known than which stand behind each other."""
    heads = _words().heads
    said = heads.all.intersection(_LETTERS.findall(lower))
    if not said:
        return False
    if thorough and not (
        said.isdisjoint(heads.directs)
        and said.isdisjoint(heads.verbs)
        and said.isdisjoint(heads.standing)
        and said.isdisjoint(heads.readers)
    ):
        return True
    return (
        (not said.isdisjoint(heads.standing) and not said.isdisjoint(heads.verbs))
        or (not said.isdisjoint(heads.readers) and not said.isdisjoint(heads.tells))
        or (not said.isdisjoint(heads.principals) and not said.isdisjoint(heads.says))
        or (not said.isdisjoint(heads.overrides) and not said.isdisjoint(heads.overridden))
        or not said.isdisjoint(heads.first_person)
        or len(said & heads.any_other) > 1
    )


def _gives_orders(lower: str, runs: Sequence[Sequence[str]], thorough: bool) -> bool:
    words = _words()
    for run in runs:
        said = frozenset(run)
        if not said.isdisjoint(words.standing) and (thorough or _sets_a_rule(run)):
            return True
        if len(run) < _MIN_RUN:
            continue
        if not said.isdisjoint(words.named) and _claims(said, thorough):
            return True
        if not said.isdisjoint(words.overrides) and not said.isdisjoint(words.overridden):
            return True
        if _wishes_as_i(run) or _in_another_language(said):
            return True
        if thorough and (run[0] in words.verbs or not said.isdisjoint(words.directs)):
            return True
    return thorough and bool(runs) and _opens_with_verb(lower)


def _claims(said: frozenset[str], thorough: bool) -> bool:
    """Whether a run of words that names a reader or a principal says something to or of them."""
    words = _words()
    if not said.isdisjoint(words.readers):
        beside = said - words.readers
        if not beside.isdisjoint(words.tells) or (thorough and not beside.isdisjoint(words.small)):
            return True
    return not said.isdisjoint(words.principals) and not said.isdisjoint(words.says)


def _speaks(line: str) -> bool:
    lower = line.lower()
    if len(line) > _MAX_LINE or _unread(lower):
        return True
    words = _words()
    if '"' in lower and words.personal_keys.search(lower):
        return True
    runs = _runs(lower)
    if any(
        (len(run) >= _MIN_PROSE and not words.small.isdisjoint(run)) or not words.of_people.isdisjoint(run)
        for run in runs
    ):
        return True
    if _holds_a_phrase(lower, True) or _gives_orders(lower, runs, True):
        return True
    return not lower.isascii() and _LONG_CJK.search(lower) is not None


def _runs(lower: str) -> list[list[str]]:
    runs = []
    for found in _RUN.findall(lower.replace("’", "'")):
        run = _WORD.findall(found)
        if found.count("-") >= _MIN_RUN:
            run = [part for word in run for part in _parts(word)]
        if "'s" in found:
            run = [word.removesuffix("'s") for word in run]
        if len(run) > 1:
            runs.append(run)
    return runs


def _parts(word: str) -> tuple[str, ...] | list[str]:
    """The words of a name such as `the-user-wants-it`; a word like `well-known` is one."""
    return word.split("-") if word.count("-") >= _MIN_RUN else (word,)


def _sets_a_rule(run: Sequence[str]) -> bool:
    """Whether a word that makes a rule stands before a verb of orders: 'never report', not 'never reported'."""
    words = _words()
    return any(word in words.standing and after in words.verbs for word, after in pairwise(run))


def _wishes_as_i(run: Sequence[str]) -> bool:
    """'I want ...', 'I never ...', 'my goal is ...': a preference, a rule or a profile of somebody who is not here."""
    wishes = _words().wishes
    for at, word in enumerate(run):
        if word in _I and (word not in ("i", "we") or (at + 1 < len(run) and run[at + 1] in wishes)):
            return True
        if word in _MY and not wishes.isdisjoint(run[at + 1 : at + 4]):
            return True
    return False


def _opens_with_verb(lower: str) -> bool:
    """Whether the line, or what stands behind its label, opens with a verb and goes on."""
    verbs = _words().verbs
    label = _LABEL.match(lower)
    for at in {label.end() if label else 0, len(lower) - len(lower.lstrip(_MARKS))}:
        run = _RUN.match(lower, at)
        if run and len(said := _WORD.findall(run[0])) >= _MIN_RUN and said[0] in verbs:
            return True
    return False


def _unread(lower: str) -> bool:
    """Chinese that speaks, or another script that no lexicon reads."""
    if lower.isascii():
        return False
    if _CJK_RUN.search(lower) and _words().chinese.any_in(lower):
        return True
    return _OTHER_SCRIPT.search(lower) is not None


def _in_another_language(said: frozenset[str]) -> bool:
    words = _words()
    if len(said) <= _MIN_RUN or len(said & words.any_other) < 2:
        return False
    english = len(said & words.small)
    return any(len(said & language) >= max(2, english + 1) for language in words.other)
