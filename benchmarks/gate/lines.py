"""Lines of shell made by chance: quotes, expansions, substitutions, here-documents, globs and operators around probes.

The same seed gives the same lines. Most are commands that somebody could write; a part is broken on purpose.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

_FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", "Movies")
_KEYS = ("DESKTOP", "DOCUMENTS", "DOWNLOAD", "MUSIC", "PICTURES", "VIDEOS")
_SIGNS = (*"\"'`$\\;&|<>(){}[]*?!#~=: \t\n", "$(", "${", "<<E\n", "\nE\n", ">(", "<(", "2>&1", "&&", "||", "..")
_DEEPEST = 3


@cache
def _parts(kind: str) -> tuple[str, ...]:
    table = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))
    return tuple(table[kind])


class Lines:
    """An endless source of lines."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def take(self, count: int) -> Iterator[str]:
        """The next `count` lines."""
        for _ in range(count):
            line = self._list(0)
            yield self._broken(line) if self._chance.random() < 0.25 else line

    def _one_of(self, *makers: Callable[[], str]) -> str:
        return self._chance.choice(makers)()

    def _probe(self) -> str:
        name, key = self._chance.choice(_FOLDERS), self._chance.choice(_KEYS)
        forms = (
            *(f"~/{name}",) * 4,
            *(f"$HOME/{name}",) * 2,
            *(f'"$HOME/{name}"',) * 2,
            *(f"${{HOME}}/{name}", f'"${{HOME}}/{name}"', f'"$HOME"/{name}', f'"$HOME/"{name}', f'$HOME"/{name}"'),
            *(f"~/'{name}'", f'~/"{name}"', f'"$HOME"/"{name}"', f"$XDG_{key}_DIR", f'"${{XDG_{key}_DIR}}"'),
            *(f"$(xdg-user-dir {key})", f'"$(xdg-user-dir {key})"', f"`xdg-user-dir {key}`", f'"`xdg-user-dir {key}`"'),
            *(f"'~/{name}'", f'"~/{name}"', f"\\~/{name}", f"~root/{name}", f"$HOME//{name}", f"${{HOME%/}}/{name}"),
            *(f"a~/{name}", f"--out=$HOME/{name}", f"--out=~/{name}", f"x:~/{name}", f"~/{name[:2]}''{name[2:]}"),
            *(
                f"~+/{name}",
                f"~-/{name}",
                f'"\\$HOME/{name}"',
                f"${{HOME:-/x}}/{name}",
                f"$'~/{name}'",
                f"{{~/{name},a}}",
            ),
        )
        return self._chance.choice(forms) + self._chance.choice(_parts("suffixes"))

    def _word(self, depth: int) -> str:
        draw = self._chance.random()
        if draw < 0.5:
            return self._probe()
        if draw < 0.53:
            return self._chance.choice(_parts("hidden"))
        if draw < 0.65:
            return self._chance.choice(_parts("literals"))
        if draw < 0.8:
            return self._chance.choice(_parts("values"))
        if draw < 0.88 or depth >= _DEEPEST:
            return self._chance.choice(_parts("globs"))
        inner = self._list(depth + 1)
        return self._chance.choice(
            (f"$({inner})", f'"$({inner})"', f"`{inner}`", f"<({inner})", f'"a {inner}"', f"'{inner}'")
        )

    def _simple(self, depth: int) -> str:
        name = self._chance.choice(_parts("reading") if self._chance.random() < 0.85 else _parts("acting"))
        words = [name, *(self._word(depth) for _ in range(self._chance.choice((0, 1, 1, 1, 2, 2, 3))))]
        if name.startswith("["):
            words.append("]" * name.count("["))
        if self._chance.random() < 0.1:
            words.insert(
                0, self._chance.choice(("x=1", "x=~/Music", "LC_ALL=C", "HOME=/x", "PATH=.", "IFS=/", "x=$HOME/Music"))
            )
        if self._chance.random() < 0.2:
            target = self._chance.choice(
                ("/dev/null", "/dev/null", "x", "&1", "&2", "~/Music/x", '"$HOME/Music/x"', "&-")
            )
            words.append(self._chance.choice((">", ">>", "2>", "<", ">|", "&>", "<>", "2>>")) + target)
        return " ".join(words)

    def _list(self, depth: int) -> str:
        if depth >= _DEEPEST:
            return self._simple(depth)
        draw = self._chance.random()
        if draw < 0.6:
            return self._simple(depth)
        if draw < 0.85:
            sign = self._chance.choice((";", " && ", " || ", " | ", "\n", " ;", " |& ", "&&"))
            return self._simple(depth) + sign + self._list(depth + 1)
        return self._compound(depth)

    def _compound(self, depth: int) -> str:
        one, other = self._list(depth + 1), self._simple(depth + 1)
        words = " ".join(self._word(depth + 1) for _ in range(2))
        return self._one_of(
            lambda: f"({one})",
            lambda: f"{{ {one}; }}",
            lambda: f"if {other}; then {one}; else {other}; fi",
            lambda: f'for f in {words}; do {other} "$f"; done',
            lambda: f"while false; do {one}; done; {other}",
            lambda: f"case {words.split()[0] if words.split() else 'a'} in a) {one};; *) {other};; esac",
            lambda: f"cat <<E\n{words}\nE\n{one}",
            lambda: f"cat <<'E'\n{words}\nE\n{one}",
            lambda: f"{other} <<E\n$({one})\nE",
            lambda: f"cat <<< {words}; {one}",
            lambda: f'x={words.split()[0] if words.split() else ""}; {one}; echo $x "$x"',
            lambda: f"export x={self._probe()}; {one}",
            lambda: f"f() {{ {one}; }}; f",
            lambda: f"! {one}",
            lambda: f"{one} # {words}",
            lambda: f"x=({words}); {one}",
        )

    def _broken(self, line: str) -> str:
        """The line with one to three signs put in, left out or doubled."""
        for _ in range(self._chance.randint(1, 3)):
            at = self._chance.randrange(len(line) + 1)
            match self._chance.randrange(3):
                case 0:
                    line = line[:at] + self._chance.choice(_SIGNS) + line[at:]
                case 1:
                    line = line[:at] + line[at + 1 :]
                case _:
                    line = line[:at] + line[at : at + 4] + line[at:]
        return line
