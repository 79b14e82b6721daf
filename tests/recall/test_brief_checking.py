"""A brief that is made for a folder is looked up there: what is gone is left out, what changed is marked."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.model import Category, Status
from cfpm.recall.brief import Section
from cfpm.recall.brief.checking import MOST, UNKNOWN, ProjectFolder, cited_files, needed_files
from tests.recall.test_brief import edited
from tests.reference.transcripts import agent, ran, user, wrote

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reference.transcripts import Row

AT, LATER_AT = "2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z"
THEN, LATER = (datetime(2026, 3, day, 9, tzinfo=UTC).timestamp() for day in (1, 4))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with files that are as old as what is remembered of them."""
    root = tmp_path / "shop"
    for name in ("src/cart.py", "src/order.py", "scripts/seed.sh", "tests/test_cart.py", "web/src/app.ts"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("pass\n")
        os.utime(root / name, (THEN, THEN))
    return root


def remembering(rows: list[Row], *, file: Path | None = None) -> Memory:
    memory = Memory.open("sqlite://" if file is None else file)
    memory.observe([user("Tidy the shop up.", at=AT), *rows, agent("That is done.", at=AT)], session="monday")
    return memory


def told(memory: Memory, root: Path | str | None, section: Section) -> list[str]:
    return [line.text for line in memory.brief(root=root, max_tokens=4000).lines if line.section == section]


def named(memory: Memory, root: Path | str) -> set[str]:
    """The files that stand among the places."""
    return set(re.findall(r"\w+\.py", "\n".join(told(memory, root, Section.PLACES))))


def worked(*commands: str) -> list[Row]:
    return [row for command in commands for row in ran(command, "ok, 3 passed", exit_code=0, at=AT)]


# --- files and their artifacts


def test_files_that_are_gone_are_left_out_and_their_artifacts_go_stale(shop: Path) -> None:
    memory = remembering([*wrote("src/cart.py", at=AT), *wrote("src/order.py", at=AT)])
    facts = {fact.content: fact for fact in memory.facts(category=Category.ARTIFACT)}
    assert named(memory, shop) == {"cart.py", "order.py"}
    (shop / "src/order.py").unlink()
    assert named(memory, shop) == {"cart.py"}
    assert memory.fact(facts["src/cart.py"].id).status is Status.ACTIVE
    assert memory.fact(facts["src/order.py"].id).status is Status.STALE
    assert memory.history(facts["src/order.py"].id)[-1].cause == "brief: it is not in the project's folder"


def test_an_artifact_of_which_no_deed_is_known_goes_stale_as_well(shop: Path) -> None:
    memory = remembering([])
    there = memory.remember(str(shop / "src/cart.py"), category=Category.ARTIFACT)
    gone = memory.remember(str(shop / "lib/cart.py"), category=Category.ARTIFACT)
    # Without its folder a relative path may be one of elsewhere.
    elsewhere = memory.remember("lib/order.py", category=Category.ARTIFACT)
    memory.brief(root=shop)
    statuses = [memory.fact(fact.id).status for fact in (there, gone, elsewhere)]
    assert statuses == [Status.ACTIVE, Status.STALE, Status.ACTIVE]


def test_what_is_written_again_is_believed_again(shop: Path) -> None:
    memory = remembering(wrote("src/order.py", at=AT))
    (shop / "src/order.py").unlink()
    memory.brief(root=shop)
    assert not memory.facts(category=Category.ARTIFACT, status=Status.ACTIVE)
    memory.observe([user("Write it again.", at=AT), *wrote("src/order.py", at=LATER_AT)], session="tuesday")
    (shop / "src/order.py").write_text("x = 2\n")
    assert told(memory, shop, Section.PLACES)
    (fact,) = memory.facts(category=Category.ARTIFACT)
    assert fact.status is Status.ACTIVE


def test_what_is_pinned_does_not_go_stale(shop: Path) -> None:
    memory = remembering(wrote("src/order.py", at=AT))
    (fact,) = memory.facts(category=Category.ARTIFACT)
    memory.pin(fact.id)
    (shop / "src/order.py").unlink()
    assert not told(memory, shop, Section.PLACES)
    assert memory.fact(fact.id).status is Status.ACTIVE


def test_a_memory_that_is_only_read_stays_as_it_is(shop: Path, tmp_path: Path) -> None:
    remembering(wrote("src/order.py", at=AT), file=tmp_path / "memory.db").close()
    (shop / "src/order.py").unlink()
    with Memory.open(tmp_path / "memory.db", read_only=True) as memory:
        assert not told(memory, shop, Section.PLACES)
        (fact,) = memory.facts(category=Category.ARTIFACT)
        assert fact.status is Status.ACTIVE


def test_without_a_root_nothing_is_looked_at(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(
        [*edited(str(shop / "src/order.py"), "x = 1", at=AT), *worked("python src/order.py", "python src/order.py")]
    )
    (shop / "src/order.py").unlink()
    seen = looked_at(monkeypatch)
    assert told(memory, None, Section.PLACES)
    assert seen == []


def test_a_root_of_another_machine_is_told_from_and_not_looked_at(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(wrote("/srv/elsewhere/src/order.py", at=AT))
    seen = looked_at(monkeypatch)
    (line,) = told(memory, "/srv/elsewhere", Section.PLACES)
    assert line.startswith("src/")
    assert "order.py" in line
    assert all(not path.startswith("/srv/elsewhere/") for path in seen)
    assert [fact.status for fact in memory.facts(category=Category.ARTIFACT)] == [Status.ACTIVE]


def test_a_folder_with_a_longer_name_is_another_one(shop: Path) -> None:
    memory = remembering(edited(f"{shop}2/src/order.py", "x = 1", at=AT))
    assert told(memory, shop, Section.PLACES) == []
    assert "order.py" in memory.brief(root=f"{shop}2").text


def test_a_relative_root_is_read_from_the_working_directory(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(edited(str(shop / "src/cart.py"), "x = 1", at=AT))
    monkeypatch.chdir(shop)
    (line,) = told(memory, ".", Section.PLACES)
    assert line.startswith("src/")
    assert named(memory, ".") == {"cart.py"}


def test_a_root_behind_a_link_is_known_by_both_names(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop)
    memory = remembering([])
    names = [str(shop / "src/gone.py"), str(tmp_path / "link/src/lost.py"), str(tmp_path / "link/src/cart.py")]
    facts = [memory.remember(name, category=Category.ARTIFACT) for name in names]
    memory.brief(root=tmp_path / "link")
    assert [memory.fact(fact.id).status for fact in facts] == [Status.STALE, Status.STALE, Status.ACTIVE]


# --- commands


def test_commands_whose_script_or_file_is_gone_are_left_out(shop: Path) -> None:
    commands = [
        "./scripts/seed.sh --fast",
        "pytest tests/test_cart.py::test_add -q",
        "python scripts/load.py | tail -3",
        "pytest tests/test_gone.py",
        "./scripts/gone.sh",
        "uv run pytest -q",
    ]
    memory = remembering(worked(*commands * 4))
    lines = "\n".join(told(memory, shop, Section.COMMANDS))
    assert ["seed.sh" in lines, "test_cart.py" in lines, "uv run pytest -q" in lines] == [True, True, True]
    assert ["load.py" in lines, "test_gone.py" in lines, "gone.sh" in lines] == [False, False, False]


def test_a_command_is_looked_up_in_its_folder(shop: Path) -> None:
    commands = [f"cd {shop / 'web'} && npx tsx src/app.ts", f"cd {shop / 'web'} && tsc src/gone.ts", "tsc src/app.ts"]
    memory = remembering([*worked(*commands * 4), *edited(str(shop / "web/src/app.ts"), "x", at=AT)])
    lines = "\n".join(told(memory, shop, Section.COMMANDS))
    # The last one is known from no folder: a file of that name was used in one.
    assert ["npx tsx src/app.ts" in lines, "gone.ts" in lines, "`tsc src/app.ts`" in lines] == [True, False, True]


def test_failures_of_what_is_gone_are_left_out(shop: Path) -> None:
    rows = [
        *ran("pytest tests/test_gone.py", "1 failed", exit_code=1, at=AT),
        *worked("pytest tests/test_cart.py"),
        *ran("npm test", "no such script", exit_code=1, at=AT),
        *ran("npm test", "no such script", exit_code=1, at=AT),
    ]
    memory = remembering(rows)
    lines = "\n".join(told(memory, shop, Section.PITFALLS))
    assert ["npm test" in lines, "test_gone" in lines] == [True, False]


NEEDED = [
    ("pytest tests/test_a.py::test_b -k gone.py", ["tests/test_a.py"]),
    ("python -m http.server 80", []),
    ("./gradlew build && scripts/check src/a.py", ["./gradlew", "scripts/check", "src/a.py"]),
    ("gcc -o out.c main.c > log.txt 2>&1", ["main.c"]),
    ("FOO=a.py node server.js --config=c.json", ["server.js"]),
    ("git checkout feature/x.py && rm old.py && touch new.py", []),
    ("grep -rn 'foo.ts' src", []),
    ("cat src/*.py $HOME/a.py ~/b.py https://example.org/c.py", []),
    ("make && cd web && tsc app.ts", []),
    ("ruby 'my script.rb'", []),
    ('php "lib/run.php"', ["lib/run.php"]),
    ("docker run org/image.py", []),
    ("", []),
    ("< in.txt sort", []),
]


@pytest.mark.parametrize(("command", "needed"), NEEDED)
def test_the_files_that_a_command_needs(command: str, needed: list[str]) -> None:
    assert needed_files(command) == needed


# --- cited lines


def test_a_fact_that_cites_a_line_of_a_changed_file_is_marked(shop: Path) -> None:
    memory = remembering(edited(str(shop / "src/cart.py"), "x", at=AT))
    moment = datetime(2026, 3, 2, 9, tzinfo=UTC)
    memory.clock = lambda: moment
    kept = memory.remember("The discount is taken off twice in src/cart.py:12", category=Category.NOTE)
    bare = memory.remember("Rounding goes wrong on line 30 of cart.py", category=Category.NOTE)
    lost = memory.remember("Invoices were numbered by src/legacy/billing.py:7", category=Category.NOTE)
    plain = memory.remember("Customers pay through src/cart.py only", category=Category.NOTE)
    before = {line.id: line.text for line in memory.brief(root=shop).lines}
    assert [ident for ident in before if "check:" in before[ident]] == [lost.id]
    assert "billing.py:7 (check: billing.py is gone) (fact_" in before[lost.id]
    os.utime(shop / "src/cart.py", (LATER, LATER))
    after = {line.id: line.text for line in memory.brief(root=shop).lines}
    assert "src/cart.py:12 (check: cart.py changed since) (fact_" in after[kept.id]
    assert "cart.py (check: cart.py changed since) (fact_" in after[bare.id]
    assert after[plain.id] == before[plain.id]
    assert not any("check:" in line.text for line in memory.brief().lines)


def test_the_mark_is_no_part_of_the_words_in_a_file(shop: Path) -> None:
    memory = remembering([])
    memory.remember("The old rounding was at src/round.py:7", category=Category.NOTE)
    file = shop / "AGENTS.md"
    memory.write_brief(file, root=shop)
    assert "(check: round.py is gone) _(" in file.read_text(
        "utf-8"
    ) or "(check: round.py is gone) <!--" in file.read_text("utf-8")
    memory.write_brief(file)
    memory.write_brief(file, root=shop)
    file.write_text(file.read_text("utf-8").replace("old rounding was", "first rounding was"))
    (one,) = memory.write_brief(file, root=shop).learnt
    assert one.fact.content == "The first rounding was at src/round.py:7"


CITED = [
    ("see src/cart.py:12 and lib/a.ts:3:4", ["src/cart.py", "lib/a.ts"]),
    ("It fails on line 12 of cart.py", ["cart.py"]),
    ("lines 3-9 in `src/cart.py` are dead", ["src/cart.py"]),
    ("src/cart.py, line 12, is wrong", ["src/cart.py"]),
    ("main.go#L40", ["main.go"]),
    ("问题在 cart.py 第12行", ["cart.py"]),
    ("第 12 行（cart.py）有错", ["cart.py"]),
    ("the api runs on example.com:8080 and localhost:80", []),
    ("cart.py has 12 lines", []),
    ("released in v1.2:3", []),
]


@pytest.mark.parametrize(("text", "files"), CITED)
def test_the_files_of_which_a_text_cites_lines(text: str, files: list[str]) -> None:
    assert cited_files(text) == files


def test_a_long_word_is_looked_through_quickly() -> None:
    text = "a." * 300 + " line 3 of " + "b/" * 300
    assert cited_files(text) == []


# --- nothing outside of the folder


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are asked for from now on."""
    seen: list[str] = []
    for name in ("lstat", "stat", "open", "listdir", "scandir", "readlink"):
        real = getattr(os, name)

        def recording(path: object, *args: object, real: object = real, **how: object) -> object:
            seen.append(str(path))
            return real(path, *args, **how)  # type: ignore[operator]

        monkeypatch.setattr(os, name, recording)
    return seen


OUTSIDE = [
    "/etc/passwd.py",
    "../secret.py",
    "src/../../secret.py",
    "src/..",
    "~/secret.py",
    "$HOME/secret.py",
    "link/secret.py",
    "src\\cart.py",
    "C:\\shop\\src\\cart.py",
    "\\\\host\\share\\a.py",
    "a\0.py",
    "x" * 2_000 + ".py",
    "x/" * 400 + "a.py",
    "",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_is_outside_of_the_folder_is_not_looked_at(
    shop: Path, tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.py").write_text("token\n")
    (shop / "link").symlink_to(tmp_path)
    folder = ProjectFolder.at(str(shop))
    assert folder is not None
    seen = looked_at(monkeypatch)
    assert folder.look(folder.inside(path)) is UNKNOWN
    assert [name for name in seen if not os.path.normpath(name).startswith(f"{shop}{os.sep}") or ".." in name] == []
    assert all("secret" not in name for name in seen)


def test_a_whole_brief_looks_at_nothing_outside(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "link").symlink_to(tmp_path)
    rows = [row for path in OUTSIDE[:8] for row in edited(path, "x", at=AT)]
    rows += worked(*(f"python {path}" for path in OUTSIDE[:8]), "python src/cart.py", "python src/cart.py")
    memory = remembering(rows)
    memory.remember("Wrong at ../secret.py:3 and /etc/hosts.py:4 and link/secret.py:5", category=Category.NOTE)
    seen = looked_at(monkeypatch)
    memory.brief(root=shop)
    below = [name for name in seen if name.startswith(f"{shop}{os.sep}")]
    assert {os.path.relpath(name, shop) for name in below} == {"src", "src/cart.py", "link"}
    # The rest is the way to the folder itself, to follow its own links.
    assert all(str(shop).startswith(name) for name in seen if name not in below and str(tmp_path.parent) in name)
    assert not any("secret" in name or "etc" in name for name in seen)


@pytest.mark.slow
def test_at_most_so_many_paths_are_looked_at(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for number in range(MOST + 60) for row in edited(str(shop / f"src/m{number}.py"), "x", at=AT)]
    memory = remembering([*rows, *worked(*(f"python src/c{number}.py" for number in range(90)))])
    seen = looked_at(monkeypatch)
    memory.brief(root=shop)
    assert len([name for name in seen if name.endswith(".py")]) == MOST


def test_a_file_in_the_place_of_a_folder(shop: Path) -> None:
    folder = ProjectFolder.at(str(shop))
    assert folder is not None
    assert folder.look("src/cart.py/below.py") is None
    assert folder.look("src") is not None
    assert ProjectFolder.at(str(shop / "src/cart.py")) is None
    assert ProjectFolder.at("shop") is None
    assert ProjectFolder.at("") is None
