"""Reads the tables of secrets, `patterns.toml` and `vendors.toml`, once and on first use. Not for looking at texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.secrets import assignments, checks, columns, commands, manifests, numbers, statements
from cfpm.secrets.checks import Check, Span

Place = Literal["runs", "run-start", "deep", "text", "folded", "shape", "wide"]
"""Which view of the text the anchors are looked up in; the head of `patterns.toml` says what each is."""

CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        *(assignments.assigned, assignments.default, assignments.foreign, assignments.foreign_secret),
        *(assignments.glued_run, assignments.glued_value, assignments.named, assignments.named_key, assignments.opened),
        *(assignments.password, assignments.prose),
        *(checks.aws_secret_near, checks.base64_around, checks.encoded_login, checks.jwk, checks.jwt, checks.pem),
        *(checks.putty, checks.command_password, checks.cookie, checks.curl_login, checks.login, checks.netrc),
        *(checks.grouped, checks.pair, checks.passphrase, checks.product_key, checks.recovery_codes),
        *(
            checks.scrambled,
            checks.strong,
            checks.sql,
            checks.token,
            checks.userinfo,
            checks.vendor,
            checks.literal_before,
        ),
        *(numbers.written_out, statements.stated, statements.recovered, statements.coded),
        *(
            checks.after_user,
            checks.bytes_of_key,
            checks.alone,
            checks.base58,
            checks.code_in_front,
            checks.cookie_option,
            checks.in_call,
            checks.otp,
        ),
        *(checks.nearby, checks.numbered_words, checks.seed_words, checks.typed, checks.unlocking),
        *(checks.card, checks.iban, checks.named_card, checks.national_id, checks.ssn),
    )
}
"""The second looks by their names in the table."""

TABLES = ("patterns", "vendors")
"""Our own rows, and those that were compiled from other scanners' rules."""

SEVERAL: dict[str, Callable[[re.Match[str]], list[Span]]] = {
    "column": columns.column,
    "command": commands.command,
    "line": commands.line,
    "manifest": manifests.manifest,
}
"""Those that give more than one span."""


@dataclass(frozen=True)
class Pattern:
    """One shape of secret: a row of the table. `rank` is its place there, `check` gives the spans to replace."""

    rank: int
    kind: str
    source: str
    anchors: tuple[str, ...]
    place: Place
    lead: int
    check: Callable[[re.Match[str]], list[Span]]
    sentence: str
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]
    glued_source: str = ""
    """The same without its edges: for a prefix that says by itself whose token follows. Empty when there is none."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when it is first tried: most texts try none, and all of them take a tenth of a second."""
        return compiled(self.source, re.VERBOSE)

    @cached_property
    def glued(self) -> re.Pattern[str] | None:
        """For a token that is glued to what stands before or behind it."""
        return compiled(self.glued_source, re.VERBOSE) if self.glued_source else None


@cache
def load_patterns() -> tuple[Pattern, ...]:
    """The table in file order: of two rows that claim the same characters, the earlier one names them."""
    own, vendors = (toml_table(__package__, name) for name in TABLES)
    fragments: dict[str, str] = own["fragments"]
    return tuple(_parse(rank, entry, fragments) for rank, entry in enumerate((*own["pattern"], *vendors["pattern"])))


def _parse(rank: int, entry: dict[str, Any], fragments: dict[str, str]) -> Pattern:
    return Pattern(
        rank=rank,
        kind=entry["kind"],
        source=_named(entry) if "names" in entry else _filled(entry["regex"], fragments),
        anchors=tuple(_name_anchors(entry) if "names" in entry else entry["anchors"]),
        place=entry.get("place", "runs"),
        lead=entry.get("lead", 0),
        check=_check(entry.get("check", "token")),
        sentence=entry["sentence"],
        examples=tuple("".join(parts) for parts in entry["examples"]),
        counter_examples=tuple("".join(parts) for parts in entry["counter_examples"]),
        glued_source=_filled(_EDGE.sub("", entry["regex"][len(_START) :]), fragments) if _gluable(entry) else "",
    )


def _check(name: str) -> Callable[[re.Match[str]], list[Span]]:
    if name in SEVERAL:
        return SEVERAL[name]
    check: Check = CHECKS[name]
    return lambda match: [span] if (span := check(match)) else []


def _names(entry: dict[str, Any]) -> tuple[str, ...]:
    of = entry["names"]
    return commands.names(of) if of in ("command", "line") else statements.names(of)


def _named(entry: dict[str, Any]) -> str:
    """A regular expression of these names, the longest first."""
    written = sorted(dict.fromkeys(_names(entry)), key=len, reverse=True)
    any_of_them = "|".join(re.escape(name).replace("\\ ", "[ ]").replace("'", "['’]") for name in written)
    return f"(?i:{any_of_them})"


def _name_anchors(entry: dict[str, Any]) -> Iterator[str]:
    """The names of a kind as they stand in the view of the row: other characters are `?` in the folded one."""
    for name in dict.fromkeys(_names(entry)):
        folded = name.encode("latin-1", "replace").decode("latin-1")
        if name.isascii() or sum(map(str.isascii, name.replace(" ", ""))) >= _FOLDED_LETTERS:
            if entry["place"] == "folded":
                yield folded
        elif entry["place"] == "wide":
            yield from dict.fromkeys((name, name.capitalize()))


_FOLDED_LETTERS = 3
"""ASCII letters from which a name is looked up in small letters; one with fewer stands in another script."""
_START = "<<start>>"
_EDGE = lazy_pattern(r"\(\?!\[A-Za-z0-9_\\-]{1,12}\]\)\Z")
"""What may not follow a token, at the end of its pattern."""


def _gluable(entry: dict[str, Any]) -> bool:
    return entry.get("place", "runs") in ("runs", "text") and entry.get("regex", "").startswith(_START)


def _filled(source: str, fragments: dict[str, str]) -> str:
    return re.sub(r"<<([a-z]+)>>", lambda name: fragments[name[1]], source)
