"""Replaces the secrets of a text by placeholders that name their kind. Not for storing or logging what was replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.checks import Span
from cfpm.secrets.matching import Claim, claims
from cfpm.secrets.spoken import spoken
from cfpm.secrets.told import told
from cfpm.secrets.values import is_mixed

PLACEHOLDER = lazy_pattern(r"\[redacted:[a-z0-9-]+\]")
"""What stands where a secret stood."""

ROUNDS = 8
"""Times a text is looked at: what was replaced can lay the next secret open. Real texts need two."""

Numbers = Literal["named", "all", "off"]
"""Which numbers of people are taken out."""

PERSONAL = frozenset({"card-number", "iban", "us-ssn", "national-id"})
"""Kinds of secrets that are numbers of people."""

_TEMPORARY = lazy_pattern(
    r"(?:/tmp/|[Tt]emp[/\\])tmp[.-]?(?:[0-9A-Za-z_]{8}|[0-9A-Za-z]{6}|[0-9A-Za-z]{10})(?![0-9A-Za-z_])"
    r"|/var/folders/[0-9a-z_+]{2}/[0-9a-z_+]{28,32}(?![0-9A-Za-z_])"
)
"""Folders that systems and programs make for files of the moment, named by chance."""

_BREAK = r"(?:\\[rn]|\s){1,4}"
_SHOWN = lazy_pattern(
    r"-----BEGIN (?:[A-Z0-9]{2,12} )?(?:PUBLIC KEY|CERTIFICATE|CERTIFICATE REQUEST|X509 CRL)-----"
    rf"(?:{_BREAK}[A-Za-z0-9+/]{{40,76}}){{0,400}}(?:{_BREAK}[A-Za-z0-9+/]{{1,76}}={{0,2}}(?={_BREAK}-----END))?"
    r"|data:(?:image|font|audio|video)/[a-z0-9.+-]{1,40};base64,[A-Za-z0-9+/]{1,20000}={0,2}"
)
"""What is made to be shown, and holds nothing else: public keys and certificates, pictures."""

_PUBLIC = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sha(?:1|256|384|512)[-:]|h1:|SHA256:)[A-Za-z0-9+/]{20,120}={0,2}"
    r"|(?<![A-Za-z0-9])(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp[0-9]{3}) AAAA[A-Za-z0-9+/]{20,2000}={0,3}"
    r"|(?<![A-Za-z0-9])arn:aws[a-z-]{0,12}:[A-Za-z0-9:/_.*+-]{1,300}|ObjectId\([\"'][0-9a-f]{24}[\"']\)"
)
"""What no words around it make a secret: checksums by which a file is known, public keys in a line, names of
resources."""

_LAST = 10_000
"""The rank of what stands in no row."""

REPEATED = 64
"""Different values of one text that are looked for in all of it; bounded, so that the work stays linear."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was replaced. `start` and `end` are offsets of its placeholder in the new text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without secrets, and what was taken out, in order. Without findings `text` is the very object given."""

    text: str
    findings: tuple[Finding, ...] = ()


def has_placeholder(text: str) -> bool:
    """Whether something was redacted in this text."""
    return "[redacted:" in text and PLACEHOLDER.search(text) is not None


def redact(text: str, numbers: Numbers = "named") -> Redaction:
    """The text with `[redacted:<kind>]` in place of each secret. Linear in the text; never fails.

    `numbers` says which numbers of people are secrets: `named` are cards, IBAN and those that are called what they are,
    `all` also those that only have the check digits of a state's, `off` none.
    """
    done = Redaction(text)
    for _ in range(ROUNDS):
        found = _claims(done.text, numbers)
        if not found:
            break
        done = _replace(done, found)
    return done


def _claims(text: str, numbers: Numbers) -> list[Claim]:
    """What to replace: in order, without overlaps, and clear of the placeholders that are there already."""
    found = list(claims(text))
    shown = [one.span() for one in _SHOWN.finditer(text)] if found else []
    found = [claim for claim in found if not any(start <= claim.start and claim.end <= end for start, end in shown)]
    found += [Claim(*span, _LAST, "told-secret") for span in _told(text)]
    if numbers == "off":
        found = [claim for claim in found if claim.kind not in PERSONAL]
    elif numbers == "all":
        from cfpm.secrets.national import numbers as national_numbers

        found += [Claim(*span, _LAST, "national-id") for span in national_numbers(text)]
    if not found:
        return found
    found += _again(text, found)
    found += [Claim(*old.span(), -1, "") for old in PLACEHOLDER.finditer(text)]
    return [claim for claim in _united(found) if claim.kind]


def _told(text: str) -> list[Span]:
    """What is secret by the words around it, but for the names that systems make by chance."""
    found = [*told(text), *spoken(text)]
    made = [one.span() for names in (_TEMPORARY, _SHOWN, _PUBLIC) for one in names.finditer(text)] if found else []
    return [(start, end) for start, end in found if not any(start < to and end > one for one, to in made)]


def _again(text: str, found: list[Claim]) -> Iterator[Claim]:
    """The same values elsewhere in the text: what is a secret once is a secret everywhere."""
    by_rank = sorted(found, key=lambda claim: -claim.rank)
    values = {text[claim.start : claim.end]: claim for claim in by_rank}
    wanted = [(value, claim) for value, claim in values.items() if 6 <= len(value) <= 200 and is_mixed(value)]
    for value, claim in wanted[:REPEATED]:
        start = text.find(value)
        while start >= 0:
            end = start + len(value)
            if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                yield Claim(start, end, claim.rank, claim.kind)
            start = text.find(value, end)


def _united(found: list[Claim]) -> Iterator[Claim]:
    """Overlapping claims become one, named by the first of their rows in the table; an old placeholder beats all."""
    found.sort(key=lambda claim: (claim.start, claim.end))
    current: Claim | None = None
    for claim in found:
        if current is None:
            current = claim
        elif claim.start < current.end:
            first = min(current, claim, key=lambda one: one.rank)
            current = Claim(current.start, max(current.end, claim.end), first.rank, first.kind)
        else:
            yield current
            current = claim
    if current is not None:
        yield current


def _replace(done: Redaction, found: list[Claim]) -> Redaction:
    parts: list[str] = []
    findings: list[Finding] = []
    earlier = iter(done.findings)
    pending = next(earlier, None)
    cursor = shift = 0
    for claim in found:
        while pending is not None and pending.start < claim.start:
            findings.append(Finding(pending.kind, pending.start + shift, pending.end + shift))
            pending = next(earlier, None)
        placeholder = f"[redacted:{claim.kind}]"
        parts += (done.text[cursor : claim.start], placeholder)
        findings.append(Finding(claim.kind, claim.start + shift, claim.start + shift + len(placeholder)))
        shift += len(placeholder) - (claim.end - claim.start)
        cursor = claim.end
    while pending is not None:
        findings.append(Finding(pending.kind, pending.start + shift, pending.end + shift))
        pending = next(earlier, None)
    parts.append(done.text[cursor:])
    return Redaction("".join(parts), tuple(findings))
