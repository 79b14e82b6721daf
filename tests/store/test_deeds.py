"""What calls did is listed with their messages, learns how it ended, and goes when they go."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.errors import StoreError
from cfpm.model import ToolCall, ToolResult
from cfpm.model.erasures import Selector
from cfpm.settings import Settings
from cfpm.store import deeds, migrations
from cfpm.store.connection import Connection
from cfpm.store.doctor import diagnose
from cfpm.store.migrations import MIGRATIONS
from cfpm.store.rows import message_row
from cfpm.store.schema import MESSAGE_COLUMNS, insert_into
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, answered, asked, at, exported, imported, said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cfpm.model import LoggedMessage

PATCH = """*** Begin Patch
*** Update File: src/tide.py
@@ class Tide:
-    def level(self):
+    def height(self):
*** Add File: src/moon.go
+func (m *Moon) Phase(day int) string {
*** Update File: src/old.py
*** Move to: src/new.py
@@
-x
+y
*** Delete File: src/gone.py
*** End Patch"""


def shell(command: str, ident: str = "c1", **arguments: object) -> ToolCall:
    return ToolCall(ident, "Bash", {"command": command, **arguments})


def ended(text: str, ident: str, call: str = "c1", *, exit_code: int | None = None, position: int = 9) -> LoggedMessage:
    return answered(text, ident, ToolResult(call, None, exit_code), position=position)


def listed(store: Store) -> list[tuple[object, ...]]:
    """Verb, path or command, and end of each deed, in order."""
    return [(row.verb, row.what, row.outcome) for row in store.deeds.of_session(NAMESPACE, "s")]


def erase(store: Store, *ids: str) -> None:
    store.erasure.erase(NAMESPACE, Selector(ids=ids), by="test", at=at(0), block_keys=lambda _: ())


def test_a_command_is_listed_with_its_purpose_folder_and_time(store: Store) -> None:
    call = shell("uv run pytest -q\n", workdir="/srv/ferry")
    store.log.append([asked("m1", call, turn=3), ended("4 passed in 0.1s", "m2", exit_code=0)])
    (row,) = store.deeds.recent(NAMESPACE)
    assert row[1:] == (
        *(1, NAMESPACE, "s", "", "ran", "uv run pytest -q", "", "/srv/ferry", "run the tests", ""),
        *(1, 2, "2026-03-01T09:03:00.000000Z"),
    )


def test_an_end_may_come_in_a_later_turn(store: Store) -> None:
    store.log.append([asked("m1", shell("make harbour"))])
    assert listed(store) == [("ran", "make harbour", None)]
    store.log.append([ended("make: *** Error 2", "m2", exit_code=2)])
    assert listed(store) == [("ran", "make harbour", 0)]
    assert store.deeds.recent(NAMESPACE)[0].result == 2


def test_the_first_end_that_is_told_counts(store: Store) -> None:
    store.log.append([asked("m1", shell("make harbour")), ended("started", "m2")])
    store.log.append([ended("", "m3", exit_code=0)])
    store.log.append([ended("", "m4", exit_code=1)])
    assert listed(store) == [("ran", "make harbour", 1)]


def test_of_several_calls_each_has_its_own_end(store: Store) -> None:
    calls = (shell("make ferry"), shell("rm -f old.txt", "c2"), shell("make quay", "c3"))
    row = asked("m1", calls[0])
    store.log.append([replace(row, message=replace(row.message, tool_calls=calls))])
    store.log.append([ended("", "m3", "c3", exit_code=1), ended("", "m2", "c2", exit_code=0, position=8)])
    assert listed(store) == [
        ("ran", "make ferry", None),
        ("ran", "rm -f old.txt", 1),
        ("removed", "old.txt", 1),
        ("ran", "make quay", 0),
    ]


def test_an_id_that_is_used_again_is_that_of_the_last_call(store: Store) -> None:
    for number, code in enumerate((0, 1)):
        store.log.append([asked(f"m{number}", shell(f"make {number}"), position=2 * number)])
        store.log.append([ended("", f"r{number}", exit_code=code, position=2 * number + 1)])
    assert listed(store) == [("ran", "make 0", 1), ("ran", "make 1", 0)]


def test_a_patch_is_a_deed_for_each_file_with_its_names(store: Store) -> None:
    store.log.append([asked("m1", ToolCall("c1", "apply_patch", {"patch": PATCH, "workdir": "/srv/ferry"}))])
    assert [(*row[5:8], row.names) for row in store.deeds.of_session(NAMESPACE, "s")] == [
        ("edited", "/srv/ferry/src/tide.py", "", "Tide level height"),
        ("wrote", "/srv/ferry/src/moon.go", "", "Phase"),
        ("moved", "/srv/ferry/src/old.py", "/srv/ferry/src/new.py", ""),
        ("removed", "/srv/ferry/src/gone.py", "", ""),
    ]


def test_a_move_says_where_to(store: Store) -> None:
    store.log.append([asked("m1", shell("git mv docs/a.md docs/b.md"))])
    assert [(row.verb, row.what, row.destination) for row in store.deeds.recent(NAMESPACE)] == [
        ("moved", "docs/a.md", "docs/b.md"),
        ("ran", "git mv docs/a.md docs/b.md", ""),
    ]


def test_looking_is_listed_only_where_a_tool_names_a_path(store: Store) -> None:
    read, grep = ToolCall("c1", "Read", {"file_path": "/srv/a.py"}), ToolCall("c2", "Grep", {"pattern": "tide"})
    look, other = shell("grep -rn tide src | head", "c3"), ToolCall("c4", "WebFetch", {"url": "https://a.example"})
    store.log.append([asked(f"m{n}", call, position=n) for n, call in enumerate((read, grep, look, other))])
    assert listed(store) == [("read", "/srv/a.py", None)]


def test_an_edit_without_its_file_is_listed_when_its_result_names_it(store: Store) -> None:
    store.log.append([asked("m1", ToolCall("c1", "Edit", {})), asked("m2", ToolCall("c2", "Write", {}), position=1)])
    assert listed(store) == []
    done = "The file /srv/ferry/tide.py has been updated. The result of `cat -n`:\n     7→def level(moon):\n"
    store.log.append([ended(done, "m3"), ended("No such file", "m4", "c2", position=8)])
    assert listed(store) == [("edited", "/srv/ferry/tide.py", 1)]
    assert store.deeds.recent(NAMESPACE)[0].names == "level"


def test_the_newest_of_several_namespaces_come_first(store: Store) -> None:
    for number, namespace in enumerate(("a", "b", "a", "c", "b")):
        store.log.append([asked(f"m{number}", shell(f"make {number}"), namespace=namespace)])
    assert [row.what for row in store.deeds.recent(["a", "b", "a"], 3)] == ["make 4", "make 2", "make 1"]
    assert store.deeds.recent([]) == []


def test_deeds_of_some_kinds_can_be_asked_for(store: Store) -> None:
    calls = (ToolCall("c1", "Read", {"file_path": "/srv/a.py"}), shell("rm old.txt", "c2"))
    store.log.append([asked(f"m{number}", call, position=number) for number, call in enumerate(calls)])
    assert [row.verb for row in store.deeds.recent(["a", NAMESPACE], verbs=("ran", "removed"))] == ["removed", "ran"]
    assert [row.verb for row in store.deeds.recent(NAMESPACE, 1, verbs=("read",))] == ["read"]


def test_listing_sorts_nothing_and_reads_no_whole_table(store: Store) -> None:
    statements: list[str] = []
    store.connection._driver.set_trace_callback(statements.append)
    store.deeds.recent(["a", "b"])
    store.deeds.recent("a", verbs=("ran", "removed"))
    store.deeds.of_session(NAMESPACE, "s")
    store.connection._driver.set_trace_callback(None)
    steps = [row[3] for sql in statements for row in store.connection.rows(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(statements) == 3
    assert not [step for step in steps if "SCAN" in step or "TEMP" in step]


def test_long_commands_and_many_files_are_cut(store: Store) -> None:
    store.log.append([asked("m1", shell("rm " + " ".join(f"file{number}.txt" for number in range(400))))])
    rows = store.deeds.of_session(NAMESPACE, "s")
    assert len(rows) == deeds.MOST_DEEDS
    assert len(rows[0].what) == 400


def older(path: Path, rows: Sequence[LoggedMessage]) -> None:
    """A file of version 7 with these messages."""
    connection = Connection(str(path), Settings())
    connection.use_wal()
    with connection.writing():
        for step in MIGRATIONS[:7]:
            migrations.apply(connection, step)
        columns = ("seq", *MESSAGE_COLUMNS)
        connection.many(insert_into("memory_turns", columns), [(n, *message_row(row)) for n, row in enumerate(rows, 1)])
        calls = [
            (row.namespace, row.session, call.id, n) for n, row in enumerate(rows, 1) for call in row.message.tool_calls
        ]
        sql = "INSERT INTO memory_calls VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET message = excluded.message"
        connection.many(sql, calls)
    connection.close()


def history(turns: int) -> list[LoggedMessage]:
    """Calls and their results in turns; the ids of the calls are used again, and one edit names its file at the end."""
    rows: list[LoggedMessage] = []
    for turn in range(turns):
        name = f"c{turn % 3}"
        call = ToolCall(name, "Edit", {}) if turn % 7 == 6 else shell(f"make part{turn}", name)
        said_so = "The file /srv/part.py has been updated." if turn % 7 == 6 else ""
        rows.append(asked(f"a{turn}", call, turn=turn))
        result = ToolResult(name, None, 0 if turn % 2 else 1) if turn % 7 != 6 else ToolResult(name)
        rows.append(answered(said_so, f"r{turn}", result, turn=turn, position=1))
    return rows


def test_an_older_file_is_read_by_reindex_as_if_it_were_new(path: Path, tmp_path: Path) -> None:
    rows = history(20)
    older(path, rows)
    with Store.open(str(path)) as store, Store.open(str(tmp_path / "new.db")) as new:
        new.log.append(rows)
        assert store.deeds.recent(NAMESPACE) == []
        assert store.deeds.behind() == 20
        ill = {check.name: check.detail for check in diagnose(store) if not check.ok}
        assert ill["deeds"].startswith("20 messages whose deeds are not listed")
        assert store.deeds.reindex() == 20
        assert (store.deeds.behind(), store.deeds.reindex()) == (0, 0)
        assert store.deeds.recent(NAMESPACE) == new.deeds.recent(NAMESPACE)
        assert len(store.deeds.recent(NAMESPACE)) == 20


def test_reindex_goes_on_where_it_was_stopped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deeds, "AT_ONCE", 7)
    older(path, history(20))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with Store.open(str(path)) as store:
        with pytest.raises(KeyboardInterrupt):
            store.deeds.reindex(stop)
        assert store.deeds.behind() == 16
        assert store.deeds.reindex() == 16
        assert len(store.deeds.recent(NAMESPACE)) == 20
        # A result whose call was read before the stop still finds it.
        assert [row.outcome for row in store.deeds.recent(NAMESPACE) if row.verb == "ran"].count(None) <= 1


def test_what_is_said_before_an_older_file_is_read_stands_in_its_place(path: Path) -> None:
    older(path, [asked("m1", shell("make first"))])
    with Store.open(str(path)) as store:
        store.log.append([ended("", "m2", exit_code=0), asked("m3", shell("make second"), turn=1)])
        store.deeds.reindex()
        assert listed(store) == [("ran", "make first", 1), ("ran", "make second", None)]


def test_memory_reindex_reads_an_older_file(path: Path) -> None:
    older(path, history(3))
    with Memory.open(str(path), namespace=NAMESPACE) as memory:
        seen: list[tuple[int, int]] = []
        done = memory.reindex(lambda now, all_of: seen.append((now, all_of)))
        assert seen[-1] == (done, done)
        assert [check.name for check in memory.doctor() if not check.ok and check.name == "deeds"] == []
        assert len(memory.store.deeds.recent(NAMESPACE)) == 3


def test_read_only(path: Path) -> None:
    older(path, history(3))
    with pytest.raises(StoreError, match="cfpm reindex"):
        Store.open(str(path), read_only=True)
    with Store.open(str(path)) as store:
        store.deeds.reindex()
    with Store.open(str(path), read_only=True) as reader:
        assert len(reader.deeds.recent(NAMESPACE)) == 3
        assert reader.deeds.behind() == 0


def test_an_erased_message_takes_its_deeds_along(store: Store) -> None:
    store.log.append([asked("m1", shell("make zorblat")), asked("m2", shell("make ferry", "c2"), position=1)])
    erase(store, "m1")
    assert listed(store) == [("ran", "make ferry", None)]
    assert store.deeds.strays() == 0


def test_an_erased_result_takes_along_what_it_told(store: Store, path: Path) -> None:
    edit, patch = ToolCall("c1", "Edit", {}), ToolCall("c2", "apply_patch", {"patch": PATCH})
    store.log.append([asked("m1", edit), asked("m2", patch, position=1), asked("m3", shell("make", "c3"), position=2)])
    for ident, call in (("r1", "c1"), ("r2", "c2"), ("r3", "c3")):
        text = (
            "The file /srv/zorblat.py has been updated.\n" if call == "c1" else "Success. Updated the following files:"
        )
        store.log.append([ended(text, ident, call, exit_code=0, position=5 + int(call[1]))])
    assert [outcome for _, _, outcome in listed(store)] == [1] * 6
    erase(store, "r1", "r2")
    store.erasure.finish()
    assert listed(store) == [
        *(("edited", "src/tide.py", None), ("wrote", "src/moon.go", None), ("moved", "src/old.py", None)),
        *(("removed", "src/gone.py", None), ("ran", "make", 1)),
    ]
    store.close()
    assert not [one.name for one in path.parent.iterdir() if b"zorblat" in one.read_bytes()]


def test_erasing_everything_leaves_no_deed(store: Store) -> None:
    store.log.append(history(3))
    everything = Selector(everything=True)
    store.erasure.erase(NAMESPACE, everything, by="test", at=at(0), block_keys=lambda _: ())
    assert store.connection.number("SELECT count(*) FROM memory_deeds") == 0


def test_an_import_lists_what_the_export_left_out(store: Store, tmp_path: Path) -> None:
    store.log.append(history(10))
    text = exported(store)
    assert "memory_deeds" not in text
    assert '"verb"' not in text
    with Store.open(str(tmp_path / "other.db")) as other:
        imported(other, text)
        assert other.deeds.recent(NAMESPACE) == store.deeds.recent(NAMESPACE)


def test_a_turn_that_fails_leaves_no_deed(store: Store) -> None:
    def fail() -> None:
        with store.writing():
            store.log.append([asked("m1", shell("make"))])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.deeds.recent(NAMESPACE) == []


def test_deeds_without_their_message_are_named_by_the_doctor(path: Path) -> None:
    with Store.open(str(path)) as store:
        store.log.append([asked("m1", shell("make")), said("hello", "m2", position=1)])
    other = sqlite3.connect(path)
    other.execute("UPDATE memory_deeds SET turn = 99")
    other.commit()
    other.close()
    with Store.open(str(path), read_only=True) as store:
        found = {check.name: check.detail for check in diagnose(store) if not check.ok}
    assert "1 deeds without their message" in found["deeds"]
