"""What a call did, read from its name and arguments alone."""

from __future__ import annotations

import pytest

from cfpm.extractor.calls import Deed, Verb, deeds_of, made, purposes, searched_words, taken_away
from cfpm.model import ToolCall


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("c1", name, arguments)


PATCH = """*** Begin Patch
*** Update File: src/Moon.tsx
@@
-a
+b
*** Add File: src/sun.ts
*** Delete File: src/OldMoon.tsx
*** Update File: a.py
*** Move to: b.py
*** End Patch"""


@pytest.mark.parametrize(
    ("made_by", "deeds"),
    [
        (call("Bash", command=" make lint "), (Deed(Verb.RAN, "make lint"),)),
        (call("shell", command=["bash", "-lc", "npm ci"], workdir="/srv/a"), (Deed(Verb.RAN, "npm ci"),)),
        (call("exec_command", cmd="cargo test"), (Deed(Verb.RAN, "cargo test"),)),
        (call("Edit", file_path="/srv/a.py", old_string="a", new_string="b"), (Deed(Verb.EDITED, "/srv/a.py"),)),
        (call("edit_file", path="src/a.py", cwd="/srv/shop"), (Deed(Verb.EDITED, "/srv/shop/src/a.py"),)),
        (call("edit_file", path="~/notes.md", cwd="/srv/shop"), (Deed(Verb.EDITED, "~/notes.md"),)),
        (call("edit", filePath="src/a.py", oldString="a", newString="b"), (Deed(Verb.EDITED, "src/a.py"),)),
        (call("write_to_file", path="a.md", content="x"), (Deed(Verb.WROTE, "a.md"),)),
        (call("str_replace_editor", command="create", path="/a/b.py", file_text="x"), (Deed(Verb.WROTE, "/a/b.py"),)),
        (call("str_replace_editor", command="str_replace", path="/a/b.py"), (Deed(Verb.EDITED, "/a/b.py"),)),
        (call("str_replace_editor", command="view", path="/a/b.py"), (Deed(Verb.READ, "/a/b.py"),)),
        (call("delete_file", target_file="lib/old.rb"), (Deed(Verb.REMOVED, "lib/old.rb"),)),
        (call("move_file", source="a.md", destination="b.md"), (Deed(Verb.MOVED, "a.md", "b.md"),)),
        (call("get_user", user_id="x1"), (Deed(Verb.CALLED, "get_user"),)),
        (
            call("apply_patch", input=PATCH, workdir="/w"),
            (
                Deed(Verb.EDITED, "/w/src/Moon.tsx"),
                Deed(Verb.WROTE, "/w/src/sun.ts"),
                Deed(Verb.REMOVED, "/w/src/OldMoon.tsx"),
                Deed(Verb.MOVED, "/w/a.py", "/w/b.py"),
            ),
        ),
    ],
)
def test_a_call_says_what_it_did(made_by: ToolCall, deeds: tuple[Deed, ...]) -> None:
    assert deeds_of(made_by) == deeds


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("uv run pytest -q", "tests"),
        ("cd web && npm run test:unit", "tests"),
        ("bundle exec rubocop -A", "linter"),
        ("python3 -m mypy src", "types"),
        ("FOO=1 sudo apt-get install -y libx", "install"),
        ("./scripts/deploy.sh staging", "deploy"),
        ("bin/rails db:migrate", "migrat"),
        ("shop-ctl restart", "restart"),
        ("pnpm run deploy:staging", "deploy"),
        ("git rm -r old", "delete"),
    ],
)
def test_a_command_is_known_by_what_it_is_for(command: str, words: str) -> None:
    assert any(words in found for found in purposes(call("Bash", command=command)))


@pytest.mark.parametrize("command", ["echo 'make test'", "cat deploy.md", "grep -rn pytest .", "my-tool"])
def test_a_command_that_only_names_another_is_for_nothing_known(command: str) -> None:
    assert purposes(call("Bash", command=command)) == ()


@pytest.mark.parametrize(
    ("command", "gone"),
    [
        ("rm -rf build/ && make", ["build/"]),
        ("cd /srv/a && rm 'two words.txt' b.txt", ["/srv/a/two words.txt", "/srv/a/b.txt"]),
        ("git mv a.py b.py 2>/dev/null", ["a.py"]),
        ("sudo rm -- /etc/x.conf; echo done > rm.log", ["/etc/x.conf"]),
        ("git rm --cached secret.env", []),
        ("rm -n x", []),
        ("rm $FILE *.tmp", []),
        ("docker rm web && npm rm left-pad", []),
        ("echo rm a.txt", []),
        ("cat <<END\nrm a.txt\nEND", []),
        ("rm 'unended", []),
    ],
)
def test_only_paths_that_are_named_are_taken_away(command: str, gone: list[str]) -> None:
    assert [deed.what for deed in taken_away(call("Bash", command=command))] == gone


def test_a_move_makes_its_target() -> None:
    assert made(call("Bash", command="mv notes.txt docs/field.md")) == ["docs/field.md"]
    assert made(call("Bash", command="mv notes.txt docs")) == []


def test_a_call_is_found_by_its_arguments_and_the_parts_of_names() -> None:
    words = searched_words([call("Edit", file_path="/srv/OldMoon.tsx", old_string="turn = 0", new_string="turn = 180")])
    assert all(word in words for word in ("/srv/OldMoon.tsx", "Moon", "turn = 180", "edited"))


def test_of_a_long_argument_the_beginning_is_found() -> None:
    words = searched_words([call("Write", file_path="a.md", content="harbour " + "x" * 10_000 + " quay")])
    assert "harbour" in words
    assert "quay" not in words
    assert len(words) <= 2_000


def test_a_chinese_question_has_words_in_common_with_a_command() -> None:
    assert "测试" in searched_words([call("Bash", command="pytest")])
