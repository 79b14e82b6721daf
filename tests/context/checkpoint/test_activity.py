"""What happened to paths, commands and names, from calls and results."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cfpm.context.checkpoint.activity import Activity, shown_command
from cfpm.context.checkpoint.names import (
    CALLED,
    Name,
    NameKind,
    is_identifier,
    kinds_in,
    names_between_blanks,
    names_in,
    words,
)
from cfpm.context.checkpoint.reuse import Now, parts, reuse_probability
from cfpm.context.checkpoint.usage import Channel, Use, joined
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated
from tests.context.strategies.sessions import agent, called, user


def activity(messages: list[dict[str, Any]]) -> Activity:
    found = Activity()
    for group in read_history(messages, estimated).groups:
        found.take(group)
    return found


def path(text: str) -> Name:
    return Name(NameKind.PATH, text)


def test_a_failed_edit_is_no_edit() -> None:
    edit = {"file_path": "/srv/a.py", "old_string": "x"}
    found = activity(called("Edit", edit, "String to replace not found in file.\nString: x"))
    assert found.uses[path("/srv/a.py")].deeds == {}
    assert found.uses[path("/srv/a.py")].failed is True


def test_an_edit_without_a_path_is_of_the_file_that_its_result_names() -> None:
    found = activity(called("Edit", {}, "The file /srv/a.py has been updated successfully."))
    assert found.uses[path("/srv/a.py")].deeds == {"edited": 1}


def test_a_patch_tells_what_it_does_to_each_file() -> None:
    patch = "*** Begin Patch\n*** Add File: src/new.py\n+x\n*** Delete File: src/old.py\n*** End Patch"
    found = activity(called("apply_patch", {"input": patch}, "Success. Updated the following files:\nA src/new.py"))
    assert found.uses[path("src/new.py")].deeds == {"created": 1}
    assert found.uses[path("src/old.py")].deeds == {"deleted": 1}


def test_of_an_old_group_what_was_done_counts_and_what_a_result_shows_does_not() -> None:
    found = Activity()
    edit = {"file_path": "/srv/a.py", "old_string": "x"}
    messages = called("Edit", edit, "The file /srv/a.py has been updated. See load_rows in /srv/rows.py")
    for group in read_history(messages, estimated).groups:
        found.take(group, old=True)
    assert found.uses[path("/srv/a.py")].deeds == {"edited": 1}
    assert path("/srv/rows.py") not in found.uses
    assert Name(NameKind.IDENTIFIER, "load_rows") not in found.uses


def test_a_command_counts_its_runs_and_keeps_the_last_outcome() -> None:
    run = {"command": "cd /srv && make check"}
    found = activity(
        [*called("Bash", run, "Exit code 2\nmake: *** [check] Error 1", 1), *called("Bash", run, "ok\nExit code 0", 2)]
    )
    use = found.commands["make check"]
    assert use.deeds == {"ran": 2}
    assert use.failed is False


def test_names_are_counted_where_they_stand() -> None:
    found = activity(
        [
            user("Rename load_rows"),
            agent("I rename `load_rows`."),
            *called("Grep", {"pattern": "load_rows"}, "a.py: load_rows"),
        ]
    )
    counts = found.uses[Name(NameKind.IDENTIFIER, "load_rows")].counts
    assert [counts[channel] for channel in (Channel.ASKED, Channel.SAID, Channel.ARGUMENT, Channel.SHOWN)] == [
        1,
        1,
        1,
        1,
    ]


def test_short_spellings_of_a_path_belong_to_the_long_one() -> None:
    found = activity([user("Mend loader.py"), *called("Read", {"file_path": "/srv/src/loader.py"}, "import csv")])
    names = joined(found.uses)
    assert path("loader.py") not in names
    assert names[path("/srv/src/loader.py")].counts[Channel.ASKED] == 1


def test_shown_commands_are_one_short_line() -> None:
    assert shown_command("cd /srv/app && npm run build\necho done") == "npm run build"
    assert len(shown_command("x" * 500)) == 100


def test_words_of_a_language_dates_and_versions_are_no_names() -> None:
    for word in ("hello", "README", "2026-11-22", "12px", "0x1f", "deadbeefdeadbeef", "well-known", "1.2.3"):
        assert not [name for part in words(word) for name in names_in(part) if name.kind is NameKind.IDENTIFIER], word


def test_identifiers_of_all_usual_shapes_are_names() -> None:
    for word in ("load_rows", "loadRows", "LoadRows", "MAX_ROWS", "#W5744371", "TS2304", "mia_li_3668", "JG7FMM"):
        assert is_identifier(word), word


def test_an_address_is_no_path() -> None:
    (found,) = [name for word in words("see https://example.org/a/b.html now") for name in names_in(word)]
    assert found.kind is NameKind.ADDRESS


def test_a_method_behind_a_bracket_is_a_name() -> None:
    found = [name.text for word in words("rows().LoadAll(x) and sync.RWMutex") for name in names_in(word)]
    assert found == ["LoadAll", "RWMutex"]


def test_a_name_of_the_last_request_is_worth_more() -> None:
    now = Now(length=9, asked_at=8, asked=parts("Fix the invoiceTotals please"), said=frozenset())
    use = Use(groups=1, seen=3)
    use.counts[Channel.SHOWN], use.last[Channel.SHOWN] = 1, 3
    assert parts("loadConfigFiles") == {"load", "config", "file"}
    assert reuse_probability("sum_invoice_total", use, "snake", now) > reuse_probability(
        "sum_of_weights", use, "snake", now
    )


@given(st.text("abAB1_-./\\#:,()'é中", max_size=16))
def test_a_word_that_is_passed_over_has_no_names(word: str) -> None:
    assert names_between_blanks(word) == tuple(name for part in words(word) for name in names_in(part))


@given(st.text("ab_1Z.(){} =:,\"'", max_size=40))
def test_a_bracket_tells_of_the_whole_word_before_it(text: str) -> None:
    called = {word for word, what in kinds_in(f"{text} load_rows(text)") if what == CALLED}
    assert called == set(re.findall(r"[A-Za-z_]\w{2,79}(?=\()", f"{text} load_rows(text)"))


def test_a_name_that_is_declared_declares_nothing_itself() -> None:
    assert dict(kinds_in("a static const row_count")) == {"const": "constant"}
    assert dict(kinds_in("func (r *Rows) load_rows")) == {"load_rows": "function"}
