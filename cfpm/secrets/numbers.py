"""Secrets that are written out as the numbers or the pieces of their characters, beside words that say what they are.

For what an escape of a language stands for, see `unwrapping`. Linear: each line is looked at as far as it may matter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from cfpm.secrets.checks import Span

_AROUND = 160
"""Characters of the line before and behind a name in which its numbers may stand."""

_CAST = r"(?:\((?:byte|char|u?int8(?:_t)?)\)[ ]?)?"
_RUN = lazy_pattern(
    rf"""
    (?: (?:{_CAST}0x[0-9A-Fa-f]{{1,2}}[,;\s]{{1,12}}){{5,200}}{_CAST}0x[0-9A-Fa-f]{{1,2}}
      | (?<![0-9A-Za-z])
        (?P<pairs>[0-9A-Fa-f]{{2}}(?P<joint>[ ]|:|-|,[ ]?)[0-9A-Fa-f]{{2}}(?:(?P=joint)[0-9A-Fa-f]{{2}}){{4,200}})
        (?![0-9A-Za-z])
      | (?<![0-9.])(?P<decimal>[0-9]{{2,3}},[ ]?[0-9]{{2,3}}(?:,[ ]?[0-9]{{2,3}}){{4,200}})(?![0-9.])
      | (?:(?i:n?cha?r)\([0-9]{{2,3}}\)[ ]?[.+&,|]{{1,2}}[ ]?){{4,200}}(?i:n?cha?r)\([0-9]{{2,3}}\)
      | (?:\\{{1,2}}[0-3]?[0-7]{{2}}){{5,200}}
      | \\{{1,2}}x[0-9A-Fa-f]{{12,400}}
      | (?<![0-9A-Za-z])(?:[xX]'|0x)[0-9A-Fa-f]{{12,400}}'?
      | (?:'[^'\n]'[,\s]{{1,3}}){{5,200}}'[^'\n]'
      | (?:"[^"\n]"[,\s]{{1,3}}){{5,200}}"[^"\n]"
    )
    """,
    re.VERBOSE,
)
_STRINGS = r"""(?:(?:"[^"\n]{1,60}",[ ]?){1,20}"[^"\n]{1,60}"|(?:'[^'\n]{1,60}',[ ]?){1,20}'[^'\n]{1,60}')"""
_PIECES = lazy_pattern(
    rf"(?P<joined>\[[ ]?{_STRINGS}[ ]?\])(?:\.join\(|[ ]-join)|\.(?:join|concat)\([\[(]?(?P<given>{_STRINGS})"
)
_OPENED = lazy_pattern(r"[{\[(:=][ \t]{0,8}\Z")
"""The end of a line after which the numbers stand."""
_HINT = lazy_pattern(r"[0-9A-Fa-f]{2}[ :,-]{1,2}[0-9A-Fa-f]{2,3}[ :,-]|0x|\\[0-7x]|[\"'],[ ]?[\"']|[Rr]\([0-9]|X'|x'")
"""Some of what every run and every row of pieces holds: sooner looked for than these."""
_NAMED_AFTER = lazy_pattern(r"[^\n]{0,30}?(?://|\#|--|/\*|\b(?:where|WHERE)\b)[^\n]{0,60}")
"""What stands between numbers and a name that tells what they were: a comment, or a condition of SQL."""
_OF_SOMETHING_ELSE = lazy_pattern(
    r"finger|signature|checksum|public|pubkey|digest|\bmac\b|\bsha|\bmd5|crc|magic|header|colou?r|rgb|hash|thumb|keycode|keyboard"
    r"|press|ascii table|serial|version|(?:primary|foreign|sort|map|cache|index)[ _-]?key|escape|vector|address",
    re.IGNORECASE,
)
"""Words of a line whose numbers are no secret, whatever else it speaks of."""
_KEY = lazy_pattern(r"key", re.IGNORECASE)
_KEY_THAT_OPENS = lazy_pattern(
    r"(?:aes|api|private|secret|encryption|access|auth|session|hmac|master|psk|shared|sign(?:ing)?|jwt|root|device|wifi"
    r"|symmetric|storage|pre-?shared|licen[cs]e|ssh|des|cipher)[ _-]{0,2}\Z",
    re.IGNORECASE,
)
"""What stands before `key` where it is one that opens something: keys are also pressed, sorted by and looked up."""


def written_out(match: re.Match[str]) -> Span | None:
    """The numbers or pieces that stand behind a name of a secret in its line, or before it as in a comment."""
    text = match.string
    start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _AROUND)
    end = text.find("\n", match.end(), match.end() + _AROUND)
    if end < 0 or _OPENED.search(text, max(0, end - 12), end):
        end = min(len(text), match.end() + 2 * _AROUND)
    if _KEY.fullmatch(match[0]) and not (
        _KEY_THAT_OPENS.search(text, max(start, match.start() - 24), match.start()) or text[match.end() :][:2] == "[]"
    ):
        return None
    if not _HINT.search(text, start, end):
        return None
    found = _found(text, match.end(), end)
    if found is None:
        found = _found(text, start, match.start())
        if found is None or not _NAMED_AFTER.fullmatch(text, found[1], match.start()):
            return None
    return None if _OF_SOMETHING_ELSE.search(text, start, end) else found


def _found(text: str, start: int, end: int) -> Span | None:
    if (run := _RUN.search(text, start, end)) and _may_be_characters(run):
        return run.span()
    pieces = _PIECES.search(text, start, end)
    return pieces.span("joined" if pieces["joined"] else "given") if pieces else None


def _may_be_characters(run: re.Match[str]) -> bool:
    """Pairs of digits alone are dates, times and telephone numbers, and numbers beyond those of characters measure."""
    if run["pairs"] and not run["decimal"]:
        return not run["pairs"].replace(run["joint"], "").isdigit() or len(run["pairs"]) >= _LONG
    if run["decimal"]:
        return all(_FIRST <= int(number) <= _LAST for number in _NUMBER.findall(run["decimal"]))
    return True


_NUMBER = lazy_pattern(r"[0-9]+")
_LONG = 32
"""Characters of pairs of digits from which no date and no number of a telephone is written so."""
_FIRST, _LAST = 33, 126
"""The codes of characters that are seen."""
