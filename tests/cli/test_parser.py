"""The words of a command line: options in any place, values that look like options, bounds, groups, help, mistakes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest

from cfpm.cli.app import APP
from cfpm.cli.parser import Argument, Group, Option
from cfpm.cli.parser import run as obey
from tests.cli.conftest import Run

HEARD: list[dict[str, object]] = []


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def paint(
    paths: Annotated[list[str], Argument(metavar="PATH...", help="What to paint.")],
    *,
    colour: Annotated[Colour | None, Option("--colour", help="In 100 % of it.")] = None,
    coats: Annotated[int, Option("-n", "--coats", min=1, max=3, help="How often.")] = 1,
    out: Annotated[Path | None, Option("--out", metavar="FILE", help="Where.")] = None,
    name: Annotated[str, Option("--name", metavar="NAME", help="Whose.")] = "",
    dry: Annotated[bool, Option("--dry/--wet", help="Let it dry.")] = True,
    as_json: Annotated[bool, Option("--json", help="As JSON.")] = False,
) -> None:
    """Paint walls.

    A second paragraph.
    """
    HEARD.append(
        {"paths": paths, "colour": colour, "coats": coats, "out": out, "name": name, "dry": dry, "as_json": as_json}
    )


def heard(*argv: str) -> dict[str, object]:
    """What differs from the defaults in what the command got."""
    HEARD.clear()
    obey(Group("Tests.", {"paint": "test_parser:paint"}), ["paint", *argv], "brush")
    default = {"colour": None, "coats": 1, "out": None, "name": "", "dry": True, "as_json": False}
    return {name: value for name, value in HEARD[-1].items() if name == "paths" or value != default[name]}


@pytest.fixture(autouse=True)
def _command_of_this_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cfpm.cli.parser._loaded", lambda place: paint)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("a",), {"paths": ["a"]}),
        (("a", "--json", "b"), {"paths": ["a", "b"], "as_json": True}),
        (("--colour", "blue", "a"), {"paths": ["a"], "colour": Colour.BLUE}),
        (("--colour=red", "a"), {"paths": ["a"], "colour": Colour.RED}),
        (("a", "-n", "2"), {"paths": ["a"], "coats": 2}),
        (("a", "-n3"), {"paths": ["a"], "coats": 3}),
        (("a", "--out", "x/y"), {"paths": ["a"], "out": Path("x/y")}),
        (("a", "--name", "-home-kim"), {"paths": ["a"], "name": "-home-kim"}),
        (("a", "--name", "--json"), {"paths": ["a"], "name": "--json"}),
        (("--json", "--", "-a", "--json"), {"paths": ["-a", "--json"], "as_json": True}),
        (("-",), {"paths": ["-"]}),
        (("a", "--wet"), {"paths": ["a"], "dry": False}),
        (("a", "--wet", "--dry"), {"paths": ["a"]}),
    ],
)
def test_words_become_arguments(argv: tuple[str, ...], expected: dict[str, object]) -> None:
    assert heard(*argv) == expected


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ((), "PATH"),
        (("a", "--nonsense"), "--nonsense"),
        (("a", "--col", "red"), "--col"),
        (("a", "--colour", "green"), "'red', 'blue'"),
        (("a", "--coats", "4"), "4 is more than 3"),
        (("a", "--coats", "0"), "0 is less than 1"),
        (("a", "--coats", "many"), "invalid whole number value: 'many'"),
        (("a", "--name"), "--name"),
    ],
)
def test_a_mistake_is_named_with_the_way_to_help(
    argv: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        heard(*argv)
    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert told in err
    assert "Try 'brush paint --help' for help." in err


def test_help_shows_defaults_bounds_and_paragraphs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        heard("--help")
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert "Paint walls.\n\nA second paragraph.\n" in out
    assert "In 100 % of it." in out
    assert "[default: 1]" in out


class TestCommands:
    @pytest.fixture(autouse=True)
    def _command_of_this_module(self) -> None:
        """The real commands."""

    def test_an_unknown_command_gets_the_nearest_one(self, run: Run) -> None:
        result = run("fcats")
        assert (result.code, "Did you mean 'facts'?" in result.err) == (2, True)
        assert "Did you mean 'stats'?" in run("audit", "stat").err

    def test_nothing_at_all_gets_the_help(self, run: Run) -> None:
        result = run()
        assert result.code == 2
        assert all(name in result.out for name in APP.commands)

    def test_options_of_a_group_are_those_of_its_command(self, run: Run, db: Path) -> None:
        assert (
            run("audit", "--db", db, "stats", "--json").document == run("audit", "stats", "--db", db, "--json").document
        )

    @pytest.mark.parametrize("name", ["stats", "audit"])
    def test_the_group_itself_and_a_value_like_the_name_of_a_command(self, run: Run, db: Path, name: str) -> None:
        assert run("audit", "--db", db, "--session", name, "--json").document == []

    @pytest.mark.parametrize("group", [APP, APP.commands["audit"]])
    def test_every_command_has_help(self, run: Run, group: Group) -> None:
        prefix = next(([name] for name, one in APP.commands.items() if one is group), [])
        for name in group.commands:
            result = run(*prefix, name, "--help")
            assert (result.code, result.err) == (0, "")
            assert result.out.startswith(f"usage: {' '.join(['cfpm', *prefix, name])}")

    def test_every_command_that_opens_a_memory_takes_the_same_three_options(self, run: Run) -> None:
        without = {"audit-import", "chart", "context fit", "hook"}
        groups = {"": APP} | {f"{name} ": one for name, one in APP.commands.items() if isinstance(one, Group)}
        names = {prefix + name for prefix, group in groups.items() for name in group.commands}
        bare = {name for name, one in APP.commands.items() if isinstance(one, Group) and not one.own}
        for name in names - without - bare:
            out = run(*name.split(), "--help").out
            assert [option for option in ("--db", "--namespace", "--json") if option not in out] == [], name
