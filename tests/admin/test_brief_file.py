"""The brief in a Markdown file: what stands outside of its marks stays, what people change inside is learnt."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.admin import brief_file
from cfpm.errors import InputError
from cfpm.model import Category, Source, Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cfpm.model import Fact

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
BEGIN, END = "<!-- cfpm:brief begin -->", "<!-- cfpm:brief end -->"
SAID = [
    {"role": "user", "content": "Always run the linter before you commit. We use port 8080 for staging."},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": {"name": "Bash", "arguments": '{"command": "uv run pytest -q"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "12 passed in 0.3s"},
    {"role": "assistant", "content": "Done."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    moments = (NOW + timedelta(seconds=n) for n in range(10_000))
    with Memory.open(tmp_path / "memory.db", clock=lambda: next(moments)) as opened:
        opened.observe(SAID, session="s1")
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "AGENTS.md"


def active(memory: Memory) -> dict[str, Fact]:
    return {fact.content: fact for fact in memory.facts(status=Status.ACTIVE)}


def line_with(file: Path, words: str) -> str:
    return next(line for line in file.read_text("utf-8").splitlines() if words in line)


def edit(file: Path, old: str, new: str) -> None:
    raw = file.read_bytes()
    assert old.encode() in raw
    file.write_bytes(raw.replace(old.encode(), new.encode(), 1))


# --- what is written


def test_a_missing_file_is_made_with_each_line_and_its_id(memory: Memory, file: Path) -> None:
    done = memory.write_brief(file)
    lines = file.read_text("utf-8").splitlines()
    assert done.changed
    assert re.fullmatch(r"<!-- cfpm:brief begin .*-->", lines[0])
    assert re.fullmatch(r"<!-- cfpm:brief end .*-->", lines[-1])
    rule = active(memory)["Always run the linter before you commit."]
    assert re.fullmatch(
        rf"- Always run the linter before you commit\. _\(Mar 2\)_ <!-- {rule.id[:13]} [0-9a-f]{{6}} -->",
        line_with(file, "linter"),
    )
    assert re.search(r"`uv run pytest -q`.* <!-- #\d+ [0-9a-f]{6} -->", file.read_text("utf-8"))


def test_the_same_brief_leaves_the_file_alone(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    before = file.stat()
    done = memory.write_brief(file)
    assert (done.changed, done.learnt) == (False, ())
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_nothing_known_makes_no_file(tmp_path: Path, file: Path) -> None:
    with Memory.open(tmp_path / "empty.db") as memory:
        assert not memory.write_brief(file).changed
    assert not file.exists()


@pytest.mark.parametrize("budget", [60, 150, 200, 300])
def test_marks_and_ids_count_in_the_budget(memory: Memory, file: Path, budget: int) -> None:
    from cfpm.recall.tokens import estimated

    for number in range(40):
        memory.remember(f"Rule {number}: service number {number} listens on its own port", category=Category.NOTE)
    done = memory.write_brief(file, max_tokens=budget)
    if done.brief.lines:
        assert done.tokens == estimated(file.read_text("utf-8").strip()) <= budget


def test_words_that_would_close_the_block_do_not(memory: Memory, file: Path) -> None:
    memory.remember(f"Write {END} and {BEGIN} into no file", category=Category.INSTRUCTION)
    memory.write_brief(file)
    assert file.read_text("utf-8").count("<!-- cfpm:brief") == 2
    assert not memory.write_brief(file).learnt


OUTSIDE = [
    (b"# Shop\n", b"\nMine.\n"),
    (b"\xef\xbb\xbf# Shop\r\n\r\n", b"\r\n\r\n* keep\r\n"),
    (b"", b""),
    (b"\xef\xbb\xbf", b""),
    (b"no newline\n", b" behind the mark, and none at the end"),
    (b"mixed\r\nends\nof lines\r\n  ", b"\r\r\n\x0b\xe2\x80\xa8end"),
    ("中文\n".encode(), "尾".encode()),
]


@pytest.mark.parametrize(("before", "after"), OUTSIDE)
def test_what_stands_outside_of_the_marks_stays_byte_for_byte(
    memory: Memory, file: Path, before: bytes, after: bytes
) -> None:
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    file.write_bytes(before + BEGIN.encode() + newline + END.encode() + after)
    memory.write_brief(file)
    memory.remember("The release is cut from the branch next", category=Category.NOTE)
    memory.write_brief(file)
    raw = file.read_bytes()
    assert raw.startswith(before + b"<!-- cfpm:brief begin")
    assert raw.endswith(b"-->" + after)
    block = raw[len(before) : len(raw) - len(after)]
    assert b"branch next" in block
    assert block.count(b"\n") == block.count(newline) > 3


@pytest.mark.parametrize(
    "text", [b"", b"# Shop", b"# Shop\n", b"\xef\xbb\xbf# Shop\r\nMine\r\n", b"\xef\xbb\xbf", b"\n"]
)
def test_a_file_without_marks_gets_the_block_at_its_end(memory: Memory, file: Path, text: bytes) -> None:
    file.write_bytes(text)
    memory.write_brief(file)
    raw = file.read_bytes()
    assert raw.startswith(text)
    assert raw.endswith(b"\n") is (text.endswith(b"\n") or not text.strip(b"\xef\xbb\xbf"))
    assert not memory.write_brief(file).changed


def test_the_mode_is_kept_and_nothing_is_left_behind(memory: Memory, file: Path) -> None:
    file.write_text("# Shop\n")
    file.chmod(0o640)
    memory.write_brief(file)
    assert file.stat().st_mode & 0o7777 == 0o640
    assert [name.name for name in file.parent.iterdir() if ".part" in name.name] == []


# --- what is learnt


def test_an_edited_line_takes_the_place_of_its_fact(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    old = active(memory)["Always run the linter before you commit."]
    edit(file, "run the linter before", "run `make lint` before")
    done = memory.write_brief(file)
    (one,) = [one for one in done.learnt if one.replaced == old.id]
    assert one.fact.content == "Always run `make lint` before you commit."
    assert (one.fact.category, one.fact.source, one.shown) == (Category.INSTRUCTION, Source.USER, True)
    after = memory.fact(old.id)
    assert (after.status, after.superseded_by) == (Status.SUPERSEDED, one.fact.id)
    assert memory.history(one.fact.id)[0].cause == brief_file.CAUSE
    assert one.fact.id[:13] in line_with(file, "make lint")
    assert not memory.write_brief(file).learnt


def test_the_fact_of_an_edited_line_stays_pinned(memory: Memory, file: Path) -> None:
    memory.pin(active(memory)["We use port 8080 for staging."].id)
    memory.write_brief(file)
    edit(file, "port 8080 for staging. _(", "port 8081 for staging. _(")
    (one,) = memory.write_brief(file).learnt
    assert (one.fact.content, one.fact.pinned) == ("We use port 8081 for staging.", True)


def test_an_edit_of_capitals_alone_is_taken_as_well(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, "- We use port 8080 for staging.", "- We use PORT 8080 for Staging!")
    memory.write_brief(file)
    assert "We use PORT 8080 for Staging!" in active(memory)
    assert "PORT 8080" in line_with(file, "8080 for Staging")
    assert not memory.write_brief(file).learnt


def test_new_lines_are_instructions_among_the_rules_and_notes_elsewhere(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, "### Rules\n", "### Rules\n- Never push on\n  a Friday\n")
    edit(file, "### Project\n", "### Project\nThe shop is written in Go\n* It runs on three machines\n")
    learnt = memory.write_brief(file).learnt
    assert [(one.line, one.fact.content, one.fact.category) for one in learnt] == [
        (4, "Never push on a Friday", Category.INSTRUCTION),
        (8, "The shop is written in Go", Category.NOTE),
        (9, "It runs on three machines", Category.NOTE),
    ]
    assert all(one.fact.source is Source.USER and one.fact.confidence == 1 for one in learnt)
    text = file.read_text("utf-8")
    assert "- Never push on a Friday _(" in text
    assert not memory.write_brief(file).learnt


def test_an_edited_record_is_a_note_and_the_record_stays(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, "`uv run pytest -q`", "`uv run pytest -n4`, never alone:")
    (one,) = memory.write_brief(file).learnt
    assert "`uv run pytest -n4`, never alone" in one.fact.content
    assert (one.fact.category, one.replaced) == (Category.NOTE, "")
    assert "`uv run pytest -q`" in file.read_text("utf-8")


def test_unchanged_lines_teach_nothing_however_they_are_moved_or_reformatted(memory: Memory, file: Path) -> None:
    memory.remember("Call run_tests before *every* merge", category=Category.INSTRUCTION)
    memory.write_brief(file)
    text = file.read_text("utf-8")
    lines = text.splitlines()
    mixed = [lines[0], "", *reversed(lines[1:-1]), "", lines[-1]]
    text = "\n".join(mixed).replace("- Call run_tests before *every*", "*   Call run\\_tests  before \\*every\\*")
    file.write_text(re.sub(r"_\(Mar 2\)_", "", text))
    before = memory.facts()
    assert not memory.write_brief(file).learnt
    assert memory.facts() == before


def test_an_older_version_of_a_line_is_no_edit(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    older = file.read_bytes()
    edit(file, "port 8080 for staging. _(", "port 8081 for staging. _(")
    memory.write_brief(file)
    newer = file.read_bytes()
    file.write_bytes(older)
    assert not memory.write_brief(file).learnt
    assert file.read_bytes() == newer


def test_a_line_whose_id_was_lost_teaches_nothing(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    file.write_text(re.sub(r" <!-- (?:fact_|#)\w+ \w+ -->", "", file.read_text("utf-8")))
    assert not memory.write_brief(file).learnt


def test_lines_of_another_memory_teach_nothing_unless_they_were_changed(
    memory: Memory, file: Path, tmp_path: Path
) -> None:
    memory.write_brief(file)
    with Memory.open(tmp_path / "other.db") as other:
        other.remember("This one knows something of its own", category=Category.NOTE)
        theirs = file.read_bytes()
        assert not other.write_brief(file).learnt
        file.write_bytes(theirs.replace(b"port 8080 for staging. _(", b"port 9090 for staging. _("))
        (one,) = other.write_brief(file).learnt
        assert (one.fact.content, one.fact.category) == ("We use port 9090 for staging.", Category.NOTE)


def test_a_copied_line_that_was_changed_is_a_new_one(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    line = line_with(file, "linter")
    edit(file, line, f"{line}\n{line.replace('linter', 'formatter')}")
    (one,) = memory.write_brief(file).learnt
    assert (one.fact.content, one.replaced) == ("Always run the formatter before you commit.", "")
    assert "Always run the linter before you commit." in active(memory)


def test_an_edit_goes_to_what_took_the_place_of_its_fact_meanwhile(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    old = active(memory)["We use port 8080 for staging."]
    newer = memory.remember("We use port 8085 for staging.", category=Category.NOTE, replaces=old.id)
    edit(file, "port 8080 for staging. _(", "port 8090 for staging. _(")
    (one,) = memory.write_brief(file).learnt
    assert one.replaced == newer.id
    assert [content for content in active(memory) if "staging" in content] == ["We use port 8090 for staging."]


def test_an_edited_line_of_a_forgotten_fact_is_remembered(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    memory.forget(active(memory)["We use port 8080 for staging."].id)
    edit(file, "port 8080 for staging. _(", "port 8090 for staging. _(")
    (one,) = memory.write_brief(file).learnt
    assert (one.fact.content, one.replaced) == ("We use port 8090 for staging.", "")


def test_the_end_of_a_line_that_was_cut_is_not_lost(memory: Memory, file: Path) -> None:
    tail = " ".join(f"part{number}" for number in range(60))
    memory.remember(f"The invoice service reads its prices from {tail}", category=Category.NOTE, pin=True)
    memory.write_brief(file)
    assert "…" in line_with(file, "invoice service")
    edit(file, "- The invoice service reads", "- The billing service reads")
    (one,) = memory.write_brief(file).learnt
    assert one.fact.content == f"The billing service reads its prices from {tail}"


def test_a_path_that_does_not_work_keeps_its_kind(memory: Memory, file: Path) -> None:
    memory.remember("/srv/shop/old/cart.py", category=Category.INVALID_PATH)
    memory.write_brief(file)
    edit(file, "do not use: /srv/shop/old/cart.py", "do not use: /srv/shop/old/carts.py")
    (one,) = memory.write_brief(file).learnt
    assert (one.fact.content, one.fact.category) == ("/srv/shop/old/carts.py", Category.INVALID_PATH)


def test_a_fact_of_another_namespace_is_replaced_there(memory: Memory, file: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", namespace="user") as everywhere:
        everywhere.remember("Answer in short sentences", category=Category.INSTRUCTION)
        memory.write_brief(file, namespaces=["default", "user"])
        edit(file, "Answer in short sentences", "Answer in one sentence")
        (one,) = memory.write_brief(file, namespaces=["default", "user"]).learnt
        assert one.fact.namespace == "user"
        assert [fact.content for fact in everywhere.facts(status=Status.ACTIVE)] == ["Answer in one sentence"]
    assert "Answer in one sentence" not in active(memory)


# --- what is deleted


def test_a_deleted_line_means_nothing_by_itself(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, f"{line_with(file, 'linter')}\n", "")
    before = memory.facts()
    done = memory.write_brief(file)
    assert (done.learnt, done.forgotten) == ((), ())
    assert memory.facts() == before
    assert "linter" in file.read_text("utf-8")


def test_facts_of_deleted_lines_are_forgotten_where_that_is_asked_for(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, f"{line_with(file, 'linter')}\n", "")
    done = memory.write_brief(file, forget_removed=True)
    assert [(fact.content, fact.status) for fact in done.forgotten] == [
        ("Always run the linter before you commit.", Status.FORGOTTEN)
    ]
    assert set(active(memory)) >= {"We use port 8080 for staging."}
    assert not memory.write_brief(file, forget_removed=True).forgotten


def test_what_never_stood_in_the_file_is_not_forgotten(memory: Memory, file: Path) -> None:
    file.write_text(f"{BEGIN}\n{END}\n")
    assert not memory.write_brief(file, forget_removed=True).forgotten
    memory.remember("The shop is written in Go", category=Category.NOTE)
    assert not memory.write_brief(file, forget_removed=True).forgotten
    assert "The shop is written in Go" in active(memory)


# --- the block shown to an agent


def shown_to_an_agent(text: str, name: str) -> list[list[dict[str, object]]]:
    call = {"id": "r1", "function": {"name": "Read", "arguments": f'{{"file_path": "/srv/shop/{name}"}}'}}
    numbered = "\n".join(f"{number:6}→{line}" for number, line in enumerate(text.splitlines(), 1))
    return [
        [{"role": "user", "content": text}],
        [{"role": "system", "content": text}],
        [{"role": "user", "content": f"Here it is:\n\n{text}\nOk?"}],
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "r1", "content": text},
        ],
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "r1", "content": numbered},
        ],
    ]


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("name", ["AGENTS.md", "notes/brief.md"])
def test_the_block_that_comes_back_teaches_nothing(memory: Memory, file: Path, place: int, name: str) -> None:
    memory.remember("Never touch the folder legacy", category=Category.INSTRUCTION)
    memory.write_brief(file)
    # Nor what somebody has changed in it: that is learnt when the file is written, from a line with its id.
    edit(file, "Never touch the folder legacy", "Never touch the folder vendor")
    edit(file, "### Project\n", "### Project\n- The queue runs on Redis\n")
    before = {fact.id: (fact.status, fact.evidence_count) for fact in memory.facts()}
    memory.observe(shown_to_an_agent(file.read_text("utf-8"), name)[place], session="s2")
    assert {fact.id: (fact.status, fact.evidence_count) for fact in memory.facts()} == before


def test_what_the_user_says_around_the_block_is_learnt(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    text = file.read_text("utf-8")
    said = f"Always deploy from the main branch.\n\n{text}\nNever deploy on Fridays."
    memory.observe([{"role": "user", "content": said}], session="s2")
    assert {"Always deploy from the main branch.", "Never deploy on Fridays."} <= set(active(memory))


# --- bad input


def torn() -> list[tuple[bytes, str]]:
    begin, end = BEGIN.encode(), END.encode()
    return [
        (begin + b"\ntext\n", "begin mark without"),
        (b"text\n" + end + b"\n", "end mark without"),
        (end + b"\n" + begin + b"\n", "end mark without"),
        (begin + b"\n" + begin + b"\n" + end, "no end mark"),
        ((begin + b"\n" + end + b"\n") * 2, "second block"),
        (b"<!-- cfpm:brief begin\ntext\n" + end, "no `-->`"),
        (begin + b"\n- a rule\n<!-- cfpm:brief end", "no `-->`"),
        (b"\xff\xfe" + begin, "not UTF-8"),
        (begin + b"\n- caf\xe9\n" + end, "not UTF-8"),
        (begin + b"\n```\nmake\n```\n" + end, "code"),
        (begin + b"\n- a rule\n<!-- mine -->\n" + end, "comment"),
        (begin + b"\n<<<<<<< HEAD\n- a rule\n=======\n- b\n>>>>>>> x\n" + end, "unresolved merge"),
        (begin + b"\n- the password is hunter2-Xk93jd_Qz\n- Never push\n" + end, "secret"),
        (begin + b"\n- " + b"word " * 2_000 + b"\n" + end, "at most 4000"),
        (b"x" * (brief_file.LARGEST + 1), "larger"),
    ]


@pytest.mark.parametrize(("raw", "problem"), torn())
def test_a_file_that_cannot_be_used_changes_nothing(memory: Memory, file: Path, raw: bytes, problem: str) -> None:
    file.write_bytes(raw)
    before = memory.facts()
    with pytest.raises(InputError, match=re.escape(problem)) as error:
        memory.write_brief(file)
    assert str(file) in str(error.value)
    assert file.read_bytes() == raw
    assert memory.facts() == before
    assert sorted(name.name for name in file.parent.iterdir() if name.name.startswith(".A")) == []


def test_the_line_is_named(memory: Memory, file: Path) -> None:
    file.write_text(f"# Shop\n\n{BEGIN}\n- fine\n~~~\n{END}\n")
    with pytest.raises(InputError, match="line 5"):
        memory.write_brief(file)


def test_a_folder_a_link_and_a_pipe_are_refused(memory: Memory, tmp_path: Path) -> None:
    import os

    target = tmp_path / "target.md"
    target.write_text("mine\n")
    (tmp_path / "link.md").symlink_to(target)
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "folder.md").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.md")
    for name, problem in (
        ("link.md", "a link"),
        ("dangling.md", "a link"),
        ("folder.md", "a folder"),
        *([("pipe.md", "no file")] if hasattr(os, "mkfifo") else []),
        ("missing/AGENTS.md", "no folder"),
        ("target.md/AGENTS.md", "no folder"),
        ("a\0b.md", "cannot be read"),
    ):
        with pytest.raises(InputError, match=problem):
            memory.write_brief(tmp_path / name)
    assert target.read_text() == "mine\n"
    assert not (tmp_path / "nowhere.md").exists()


def test_a_file_that_is_changed_meanwhile_is_not_overwritten(memory: Memory, file: Path) -> None:
    file.write_text("# Shop\n")
    read = brief_file.MarkdownFile.read(file)
    file.write_text("# Shop\n\nsomebody was faster\n")
    with pytest.raises(InputError, match="changed while"):
        read.write("# Shop\n\nours\n")
    assert file.read_text() == "# Shop\n\nsomebody was faster\n"
    assert [name.name for name in file.parent.iterdir() if ".part" in name.name] == []


def test_what_was_learnt_before_a_write_failed_is_not_learnt_twice(memory: Memory, file: Path) -> None:
    memory.write_brief(file)
    edit(file, "port 8080 for staging. _(", "port 8081 for staging. _(")
    edited = file.read_bytes()
    memory.write_brief(file)
    file.write_bytes(edited)  # as if the write had failed
    before = memory.facts()
    assert not memory.write_brief(file).learnt
    assert memory.facts() == before
