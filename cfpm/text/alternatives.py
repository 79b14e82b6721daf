"""Writes many phrases as one regex that looks only at those which begin with the sign at hand. Knows no language.

A plain alternation tries its choices one after another at every place; shared beginnings are tried once here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_SPECIAL = frozenset("\\.^$*+?{}[]()|")
_QUANTIFIERS = ("?", "*", "+", "{")
_OPENING = "(?:"
_LONGEST_REST = 40
"""Characters behind a group up to which its choices are written out, each with its own copy of them: with more, regexes
take longer to compile than they save."""


def alternatives(choices: Sequence[str]) -> str:
    """A regex of the same matches as `a|b|c`, and of the same first choice where several fit.

    Choices are moved only across such as begin with another sign, and no two of those fit at one place.
    """
    written: list[str] = []
    run: dict[str, list[str]] = {}
    for choice in choices:
        for head, rest in _heads(choice):
            if head:
                run.setdefault(head, []).append(rest)
            else:
                written.extend(_grouped(run))
                run.clear()
                written.append(rest)
    written.extend(_grouped(run))
    return "|".join(written)


def _grouped(run: dict[str, list[str]]) -> Iterator[str]:
    for head, rests in run.items():
        if len(rests) == 1:
            yield head + rests[0]
        else:
            yield f"{head}{_OPENING}{alternatives(rests)})"


def _heads(choice: str) -> Iterator[tuple[str, str]]:
    """The sign that a choice begins with, and the rest of it; no sign and the whole where that is not one sign."""
    if choice.startswith(_OPENING):
        inner, rest = _group(choice)
        if not rest.startswith(_QUANTIFIERS) and len(rest) <= _LONGEST_REST:
            for one in inner:
                yield from _heads(one + rest)
            return
    if choice[:1] in _SPECIAL or choice[1:2] in _QUANTIFIERS or not choice:
        yield "", choice
    else:
        yield choice[0], choice[1:]


def _group(choice: str) -> tuple[list[str], str]:
    """The choices of the group that a regex begins with, and what follows it."""
    inner: list[str] = []
    depth, begun, at = 0, len(_OPENING), 0
    in_set = False
    while at < len(choice):
        sign = choice[at]
        if sign == "\\":
            at += 2
            continue
        if in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
            # A closing bracket that stands first in a set is one of its signs.
            at += 2 if choice[at + 1 : at + 2] == "]" else 0
        elif sign == "(":
            depth += 1
        elif sign == "|" and depth == 1:
            inner.append(choice[begun:at])
            begun = at + 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return [*inner, choice[begun:at]], choice[at + 1 :]
        at += 1
    raise ValueError(f"a group is not closed in {choice!r}")
