"""Reads commands of cmd.exe, by these rules of our own, which are narrower than what cmd takes.

1. Only `%USERPROFILE%`, `%HOMEDRIVE%%HOMEPATH%` and `%SystemDrive%%HOMEPATH%`, a separator and the name are a probe,
   where both a batch file and the prompt would expand them. `%%NAME%%`, `!NAME!` and `%NAME:~0,3%` are left alone.
2. A line ends the command. One that a caret joins to the next, or with an odd quote, is not read.
3. A `"` begins and ends quotes, and what stands in them is literal; outside, `^` escapes one character and
   `& | < > ( )` divide. A word with a caret in it is left alone.
4. Lines that begin with `:` and what follows `rem` are comments.
5. The probe begins a word or the quotes, or follows `=`, `;` or `,`. The name ends at a separator, a quote, a blank
   outside quotes, `;`, `:` or an operator.
6. A line that starts another shell or language, or works on another machine, is left alone, as are patterns, the
   commands of `for /f`, comparisons, and lines that read like prose.
7. cmd puts the value in before it reads the line, so a path goes in as it is: in quotes without `" % ! ^ & | < >`,
   elsewhere only letters, digits and `_ . \\ : -`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, Effect, How, Probe, Reading, Seen
from cfpm.gate.shells.cmd.lines import LONGEST_LINE, Word, expansions, is_quoted, words_of
from cfpm.gate.shells.cmd.reads import effect_of
from cfpm.gate.shells.quoting import is_plain_text
from cfpm.gate.tables import read_table
from cfpm.model.known_folders import NAMES, Folder, folder_named
from cfpm.model.patterns import lazy_pattern

LONGEST = 65_536
"""Characters of a command that is read, so that the worst is read in a tenth of a second."""
MOST = 64
"""Look-alikes that are read in one command; a real one has fewer than ten."""

_NAMES = "|".join(NAMES)
_SPOT = lazy_pattern(
    rf"""(?:(?P<home>(?<!%)%USERPROFILE%|%(?:HOMEDRIVE|SystemDrive)%%HOMEPATH%)|(?P<odd>%%USERPROFILE%%|%HOME(?:PATH)?%|!USERPROFILE!|!HOMEPATH!"""
    rf"""|%USERPROFILE:[^%\n]{{1,60}}%)|~|\$(?:env:)?(?:HOME|USERPROFILE)|\$\{{(?:env:)?(?:HOME|USERPROFILE)\}})"""
    rf"""[\\/](?P<name>{_NAMES})|::GetFolderPath\([^)\n]{{0,60}}\)""",
    re.IGNORECASE,
)
_ANCHORS = (*(name.lower() for name in NAMES), "getfolderpath")
_CHANGED = lazy_pattern(
    r'\bsetx?[\s("]+(?:/[ap][\s("]+)?(?:USERPROFILE|HOMEDRIVE|HOMEPATH|SystemDrive)[\s=]', re.IGNORECASE
)
_LONGER_QUOTED = lazy_pattern(r'[\\/";:]')
_LONGER_BARE = lazy_pattern(r"[\\/\s;:)&|<>]|\Z")
_UPWARDS = lazy_pattern(r"(?:^|[\\/])\.\.(?:[\\/]|$)")
_BEFORE = frozenset('"=;,')
_FIRST = lazy_pattern(r"""@?(?:"[^"]+"|[\w.%!~\\/][\w.%!~:\\/+-]*(?<!:))""")
_FOREIGN = lazy_pattern(r"[\0`\x0b\x0c\x1a\x1c-\x1f\x85\u2028\u2029\ud800-\udfff]|\r(?!\n)")
_DRIVE = lazy_pattern(r"[A-Za-z]:\\(?!\\)")
_PLAIN = lazy_pattern(r"[A-Za-z]:\\(?!\\)[A-Za-z0-9_.\\:-]+")
_UNQUOTABLE = frozenset('"%!^&|<>*?/')
_BRACKETS = frozenset("();,=")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    words: list[Word]
    names: frozenset[str]
    """The names of all words."""
    expanded: frozenset[int]
    """Where the `%` stand that begin a variable."""

    def before(self, word: Word) -> list[str]:
        """The names of the words before this one in its command."""
        return [one.name for one in self.words if one.command == word.command and one.start < word.start]


def read(command: str, dialect: Dialect) -> Reading:
    """The probes of a command of cmd. Never raises."""
    lower = command.lower()
    if not any(anchor in lower for anchor in _ANCHORS):
        return Reading()
    found = list(islice(_SPOT.finditer(command), MOST + 1))
    if len(found) > MOST or (found and len(command) > LONGEST):
        return Reading.of(Seen(*match.span(), Reason.TOO_LONG) for match in found)
    changed = bool(_CHANGED.search(command.replace("^", "")))
    lines: dict[int, _Line | Reason] = {}
    results: list[Probe | Seen] = []
    for match in found:
        start = command.rfind("\n", 0, match.start()) + 1
        if start not in lines:
            lines[start] = _line(command, start)
        verdict = _verdict(lines[start], match, start)
        if isinstance(verdict, Probe) and changed:
            verdict = Reason.HOME_CHANGED
        results.append(Seen(*match.span(), verdict) if isinstance(verdict, Reason) else verdict)
    probing = any(isinstance(one, Probe) for one in results)
    return Reading.of(results, effect_of(command) if probing else Effect.ACTS)


def _line(command: str, start: int) -> _Line | Reason:
    end = command.find("\n", start)
    text = command[start : end if end >= 0 else len(command)].removesuffix("\r")
    if len(text) > LONGEST_LINE:
        return Reason.TOO_LONG
    if text.lstrip("@ \t").startswith(":"):
        return Reason.COMMENT
    if (
        _FOREIGN.search(text)
        or text.endswith("^")
        or command[:start].removesuffix("\n").removesuffix("\r").endswith("^")
    ):
        return Reason.UNSUPPORTED_PLACE
    words = words_of(text)
    if words and words[0].name == "rem":
        return Reason.COMMENT
    return (
        Reason.CANNOT_PARSE
        if words is None
        else _Line(text, words, frozenset(one.name for one in words), expansions(text))
    )


def _verdict(line: _Line | Reason, match: re.Match[str], start: int) -> Probe | Reason:
    if isinstance(line, Reason):
        return line
    at, end = match.start() - start, match.end() - start
    word = next((one for one in line.words if one.start <= at < one.end), None)
    if word is None:
        return Reason.UNSUPPORTED_PLACE
    if reason := _line_objection(line, word):
        return reason
    if not match["home"]:
        return Reason.UNSUPPORTED_PLACE if match["odd"] else Reason.STRING_LITERAL
    quoted = is_quoted(line.text[word.start : at])
    folder = folder_named(match["name"], windows=True)
    reason = _place_objection(line, word, at, end, quoted=quoted)
    if reason or folder is None:
        return reason or Reason.UNSUPPORTED_PLACE
    return _probe(line, word, match, folder, end, quoted=quoted)


def _line_objection(line: _Line, word: Word) -> Reason | None:
    """Why nothing of this kind may be changed on the line, or in the command that the word belongs to."""
    every = line.names
    before = line.before(word)
    if "rem" in before:
        return Reason.COMMENT
    if _has(every, "remote") or (_has(every, "containers") and _has(every, "remote_subcommands")):
        return Reason.REMOTE_HOST
    if _has(every, "code") or (_has(every, "interpreters") and _has(every, "code_options")):
        return Reason.NESTED_LANGUAGE
    if "/f" in every and "for" in every and "do" not in {one.name for one in line.words if one.end <= word.start}:
        return Reason.NESTED_LANGUAGE
    if _has(before, "pattern"):
        return Reason.PATTERN
    if line.text[: word.start].rstrip().endswith("==") or line.text[word.end :].lstrip().startswith("=="):
        return Reason.PATTERN
    if "==" in word.text or {"equ", "neq", "lss", "gtr", "leq", "geq"} & every:
        return Reason.PATTERN
    return None


def _place_objection(line: _Line, word: Word, at: int, end: int, *, quoted: bool) -> Reason | None:
    text = line.text
    if not (_LONGER_QUOTED if quoted else _LONGER_BARE).match(text, end):
        return Reason.LONGER_NAME
    if "^" in word.text or at not in line.expanded or (at > word.start and text[at - 1] not in _BEFORE):
        return Reason.UNSUPPORTED_PLACE
    if not _reads_like_a_command(line, word) or _UPWARDS.search(_rest(line, word, end, quoted=quoted)):
        return Reason.UNSUPPORTED_PLACE
    before = line.before(word)
    if before[:1] in (["echo"], ["echo."]) and len(before) > 1:
        return Reason.UNSUPPORTED_PLACE
    after = text[end:].lstrip(" \t")
    if (
        not quoted
        and text[end : end + 1] in (" ", "\t")
        and _has(before, "takes_rest")
        and after
        and after[0] not in "&|)<>"
    ):
        return Reason.LONGER_NAME
    whole = not _rest(line, word, end, quoted=quoted).strip("\\/;:*.")
    last = before[-1] if before else ""
    if whole and (_has(before, "destroyers") or (_has(before, "movers") and (last == "move" or last.startswith("/")))):
        return Reason.UNSUPPORTED_PLACE
    return None


def _probe(line: _Line, word: Word, match: re.Match[str], folder: Folder, end: int, *, quoted: bool) -> Probe:
    names = tuple(match["home"].upper().strip("%").split("%%"))
    before = line.before(word)
    write = (in_assignment if _has(before, "takes_rest") else in_quotes) if quoted else bare
    return Probe(folder, match["name"], How.HOME, match.start(), match.end(), names, write)


def _rest(line: _Line, word: Word, end: int, *, quoted: bool) -> str:
    """What follows the name in the same word, or within the same quotes."""
    if quoted:
        return line.text[end : line.text.index('"', end)]
    return line.text[end : word.end]


def _reads_like_a_command(line: _Line, word: Word) -> bool:
    own = [one for one in line.words if one.command == word.command]
    first = line.words[0]
    outside = {one.name for one in own if not one.text.startswith('"')}
    if line.text[: first.start].strip(" \t(@") or not _FIRST.fullmatch(first.text) or not _FIRST.match(own[0].text):
        return False
    return not (_has(outside, "prose") or _has((first.name, own[0].name), "foreign") or "=" in outside)


def _has(words: Iterable[str], name: str) -> bool:
    listed: frozenset[str] = read_table("shells/cmd/commands")[name]
    return not listed.isdisjoint(words)


def bare(path: str) -> str | None:
    """`path` outside quotes, or None when there is no safe way."""
    return path if _PLAIN.fullmatch(path) and not path.endswith(("\\", ".")) else None


def in_quotes(path: str) -> str | None:
    """`path` within quotes that are there already, or None when there is no safe way.

    At the end of quotes a backslash would escape the closing one for most programs.
    """
    if not _DRIVE.match(path) or path.endswith(("\\", " ", ".")) or not _UNQUOTABLE.isdisjoint(path):
        return None
    return path if is_plain_text(path) else None


def in_assignment(path: str) -> str | None:
    """`path` within the quotes of `set "NAME=..."`, whose value may stand without quotes later."""
    return None if not _BRACKETS.isdisjoint(path) else in_quotes(path)
