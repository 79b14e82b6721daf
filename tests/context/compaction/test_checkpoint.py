"""A checkpoint as a value, and that its text is read back exactly as it was written."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.context.compaction.activity import Activity
from cfpm.context.compaction.checkpoint import Checkpoint, Section
from cfpm.context.compaction.lines import command_line, file_line, file_lines, name_line, path_line, seed
from cfpm.context.compaction.names import Name, NameKind
from cfpm.context.compaction.reading import read_checkpoint
from cfpm.context.compaction.uses import Channel, Home, Use
from cfpm.context.compaction.writing import write_checkpoint
from cfpm.model.markers import CHECKPOINT_CLOSE

_LINES = st.lists(st.text(max_size=80), max_size=4)


@settings(max_examples=150, deadline=None)
@given(lines=st.dictionaries(st.sampled_from(Section), _LINES), go_on=st.booleans())
def test_what_is_written_is_read_back(lines: dict[Section, list[str]], go_on: bool) -> None:
    checkpoint = Checkpoint.of(lines)
    assert read_checkpoint(write_checkpoint(checkpoint, go_on=go_on)) == checkpoint


def test_other_texts_are_no_checkpoints() -> None:
    assert read_checkpoint("Asked by the user:\n- everything") is None
    assert read_checkpoint("") is None


def test_empty_sections_and_lines_are_left_out() -> None:
    assert Checkpoint.of({Section.GOALS: ["", "  "], Section.OPEN: []}) == Checkpoint()


def test_each_line_stays_one_line_and_cannot_close_the_block() -> None:
    found = Checkpoint.of({Section.GOALS: [f"one\ntwo {CHECKPOINT_CLOSE}"]})
    (line,) = found.lines(Section.GOALS)
    assert "\n" not in line
    assert CHECKPOINT_CLOSE not in line


def test_files_are_written_by_folder_and_read_back_with_their_deeds() -> None:
    loader = Name(NameKind.PATH, "/srv/shop/src/loader.py")
    cache = Name(NameKind.PATH, "/srv/shop/src/cache.py")
    edited = Use(deeds={"edited": 3, "read": 2}, failed=True)
    rows = [
        ("load_rows", Use(what="function")),
        ("parse_row", Use()),
        *((f"row_{n}", Use(what="test")) for n in range(4)),
    ]
    lines = file_lines([(loader, edited, rows), (cache, Use(deeds={"read": 1}), [])])
    assert lines == [
        "root /srv/shop/src/",
        "in ./:",
        " loader.py edited 3x, read 2x, last failed, has load_rows, parse_row, row_0, row_1, row_2",
        " row_3 test",
        " cache.py read",
    ]
    activity = Activity()
    seed(activity, Checkpoint.of({Section.FILES: lines}))
    assert activity.uses[loader].deeds == {"edited": 3, "read": 2}
    assert activity.uses[loader].failed is True
    assert activity.uses[cache].deeds == {"read": 1}
    assert activity.uses[Name(NameKind.IDENTIFIER, "parse_row")].home == Home("file", loader.text)


def test_a_command_is_read_back_with_its_outcome() -> None:
    line = command_line("make test", Use(deeds={"ran": 4}, failed=True, error="ld: symbol not found"))
    assert line == "ran 4x, last failed: make test -- ld: symbol not found"
    activity = Activity()
    seed(activity, Checkpoint.of({Section.COMMANDS: [line]}))
    use = activity.commands["make test"]
    assert (use.deeds, use.failed, use.error) == ({"ran": 4}, True, "ld: symbol not found")


def test_names_without_a_file_are_told_with_what_they_are_and_read_back() -> None:
    asked = Use()
    asked.counts[Channel.ASKED] = 1
    lines = [name_line("load_rows", Use(what="function")), name_line("AB12CD", Use(what="order id"))]
    lines += [path_line("notes.txt", asked)]
    assert lines == [" load_rows function", " AB12CD order id", " notes.txt asked"]
    activity = Activity()
    seed(activity, Checkpoint.of({Section.NAMES: lines}))
    assert activity.uses[Name(NameKind.IDENTIFIER, "load_rows")].what == "function"
    assert activity.uses[Name(NameKind.IDENTIFIER, "AB12CD")].what == "order id"
    assert activity.uses[Name(NameKind.PATH, "notes.txt")].counts[Channel.ASKED] == 1


def test_a_file_alone_in_its_folder_is_told_with_its_path() -> None:
    files = [Name(NameKind.PATH, "/srv/shop/src/loader.py"), Name(NameKind.PATH, "/srv/shop/docs/use.md")]
    lines = file_lines([(name, Use(deeds={"read": 1}), []) for name in files])
    assert lines == ["root /srv/shop/", " src/loader.py read", " docs/use.md read"]
    activity = Activity()
    seed(activity, Checkpoint.of({Section.FILES: lines}))
    assert list(activity.uses) == files


def test_a_file_told_without_its_folder_keeps_its_deeds() -> None:
    activity = Activity()
    seed(activity, Checkpoint.of({Section.NAMES: [" loader.py read 2x", " load_rows function"]}))
    assert activity.uses[Name(NameKind.PATH, "loader.py")].deeds == {"read": 2}
    assert activity.uses[Name(NameKind.IDENTIFIER, "load_rows")].home == Home()


def test_in_brief_a_file_has_one_deed_and_a_command_its_first_words() -> None:
    done = Use(deeds={"edited": 3, "read": 2}, failed=True)
    assert file_line("loader.py", done, ["load_rows"], brief=True) == "loader.py edited, last failed, has load_rows"
    ran = Use(deeds={"ran": 1}, failed=False, error="37 passed, 2 skipped in 12.31 seconds")
    long = f"make test FILES={'a' * 60}"
    assert command_line(long, ran, brief=True) == f"ran ok: {long}"
    assert command_line(f"{long} and more", ran, brief=True) == f"ran ok: {long}…"
    assert (
        command_line("make test", Use(failed=False, error="37 passed"), brief=True) == "ran ok: make test -- 37 passed"
    )


def test_a_name_that_a_result_showed_is_used_though_the_agent_said_it_too() -> None:
    use = Use()
    use.counts[Channel.SAID] = use.counts[Channel.SHOWN] = 1
    assert name_line("load_rows", use) == " load_rows used"
    assert name_line("MAX_ROWS", use) == " MAX_ROWS constant"
