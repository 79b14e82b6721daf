"""What the house benchmark counts, over small trees made up here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.house import recording
from benchmarks.house.code_texts import Piece, code_texts
from benchmarks.house.data_texts import data_texts
from benchmarks.house.imports import circles, imports, reached
from benchmarks.house.literals import patterns, word_lists
from benchmarks.house.quotations import Quotations, quotations
from benchmarks.house.tracing import traced
from benchmarks.house.tree import Module, functions, is_loose, modules, room

LAZY = "def resolver(package, homes): ...\n"


def tree(root: Path, **files: str) -> dict[str, Module]:
    """A checkout of these files: `a__b` is `cfpm/a/b.py`, and each folder gets an empty `__init__` unless given one."""
    for name, text in {"init": "", **files}.items():
        path = root / "cfpm" / f"{name.replace('__', '/').replace('init', '__init__')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if not (path.parent / "__init__.py").exists():
            (path.parent / "__init__.py").write_text("", encoding="utf-8")
    return modules(root)


def unreached(root: Path, **files: str) -> set[str]:
    found = tree(root, **files)
    return set(found) - reached(imports(found))


class TestTree:
    def test_a_loose_file_stands_in_no_room(self, tmp_path: Path) -> None:
        found = tree(tmp_path, clock="", store__rows="")
        assert [name for name, module in found.items() if is_loose(module)] == ["cfpm", "cfpm.clock"]
        assert [room(name) for name in found] == ["cfpm", "clock", "store", "store"]

    def test_a_function_counts_from_its_decorator(self, tmp_path: Path) -> None:
        found = tree(tmp_path, clock="@once\ndef now():\n    return 1\n\n\nclass C:\n    def m(self): ...\n")
        assert list(functions(found["cfpm.clock"])) == [("now", 3), ("m", 1)]


class TestImports:
    def test_imports_for_type_checkers_are_none(self, tmp_path: Path) -> None:
        found = imports(
            tree(
                tmp_path,
                a="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cfpm.b\nelse:\n    import cfpm.c\n",
                b="",
                c="",
            )
        )
        assert found.eager["cfpm.a"] == {"cfpm.c"}

    def test_an_import_in_a_function_is_lazy(self, tmp_path: Path) -> None:
        found = imports(tree(tmp_path, a="def f():\n    from cfpm import b\n", b=""))
        assert (found.eager["cfpm.a"], found.lazy["cfpm.a"]) == (set(), {"cfpm.b"})

    def test_relative_imports_are_followed(self, tmp_path: Path) -> None:
        found = imports(tree(tmp_path, r__a="from . import b\nfrom ..c import x\nfrom .b import y\n", r__b="", c=""))
        assert found.eager["cfpm.r.a"] == {"cfpm.r.b", "cfpm.c"}

    @pytest.mark.parametrize(
        ("edges", "expected"),
        [
            ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
            ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
            ({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"d"}}, [["b", "c"], ["d", "e"]]),
            ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": {"a"}}, [["a", "b", "c", "d"]]),
        ],
    )
    def test_circles(self, edges: dict[str, set[str]], expected: list[list[str]]) -> None:
        assert circles(edges) == expected


class TestReached:
    def test_what_nobody_imports_is_reached_by_nothing(self, tmp_path: Path) -> None:
        assert unreached(
            tmp_path, memory="import cfpm.a", a="def f():\n    import cfpm.b", b="", c="import cfpm.a"
        ) == {"cfpm.c"}

    def test_a_module_is_loaded_with_its_packages(self, tmp_path: Path) -> None:
        assert not unreached(tmp_path, memory="import cfpm.r.a", r__init="import cfpm.b", r__a="", b="")

    def test_a_lazy_package_leads_only_to_the_names_that_are_asked_for(self, tmp_path: Path) -> None:
        lazy = "__getattr__ = resolver(__name__, {'One': 'one', 'Two': 'two'})\n"
        files = {"r__init": lazy, "r__one": "", "r__two": "", "memory": "from cfpm.r import One\n"}
        assert unreached(tmp_path, **files) == {"cfpm.r.two"}

    def test_the_public_names_are_doors(self, tmp_path: Path) -> None:
        assert not unreached(tmp_path, init="HOMES = {'Clock': 'cfpm.clock'}", clock="")

    def test_modules_loaded_by_name_are_reached(self, tmp_path: Path) -> None:
        loads = (
            "from importlib import import_module\nHOSTS = {'x': 'cfpm.r'}\nimport_module(HOSTS[h] + '.' + n)\nn = 'a'"
        )
        assert unreached(tmp_path, memory=loads, r__a="", r__b="") == {"cfpm.r.b"}

    def test_commands_are_reached_by_the_names_of_their_functions(self, tmp_path: Path) -> None:
        app = "APP = {'sing': 'songs:sing'}"
        assert unreached(tmp_path, memory="import cfpm.r.app", r__app=app, r__songs="", r__b="") == {"cfpm.r.b"}

    def test_a_part_of_a_package_that_a_name_is_put_behind_is_reached(self, tmp_path: Path) -> None:
        loads = "from importlib import import_module\ndef part(n): import_module(f'cfpm.r.{n}')\npart('a')"
        assert unreached(tmp_path, memory=loads, r__a="", r__b="") == {"cfpm.r.b"}

    def test_a_name_in_a_string_is_none_where_nothing_is_loaded(self, tmp_path: Path) -> None:
        assert unreached(tmp_path, memory="A = 'cfpm.a'", a="") == {"cfpm.a"}


class TestLiterals:
    def module(self, text: str) -> Module:
        return Module("cfpm.a", Path("cfpm/a.py"), text)

    @pytest.mark.parametrize(
        "text",
        [
            "PETS = ('cat', 'dog', 'hen', 'cow', 'pig')",
            "PETS = frozenset({'cat', 'dog', 'hen', 'cow', 'guinea pig'})",
            "PETS = '''cat dog hen\ncow pig'''.split()",
            "PETS = r'\\b(?:cat|dog|hen|cow|pig)\\b'",
        ],
    )
    def test_word_lists(self, text: str) -> None:
        assert len(list(word_lists(self.module(text)))) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "PETS = ('cat', 'dog', 'hen', 'cow')",
            "__all__ = ['cat', 'dog', 'hen', 'cow', 'pig']",
            "COLUMNS = ('id', 'kind', 'text', 'status', 'seen')",
            "Pet = Literal['cat', 'dog', 'hen', 'cow', 'pig']",
            "PETS = ('CAT', 'dog', 'hen', 'cow', 'pig')",
            "PETS = ('created_at', 'dog', 'hen', 'cow', 'pig')",
        ],
    )
    def test_other_lists(self, text: str) -> None:
        assert not list(word_lists(self.module(text)))

    def test_patterns(self) -> None:
        text = "A = re.compile(B)\nre.sub(r'x', '', t)\nre.sub(A, '', t)\nt.split('x')\nre.escape('x')\n"
        assert [item.line for item in patterns(self.module(text))] == [1, 2]


class TestQuotations:
    def quoted(self, root: Path, code: str, data: dict[str, str], ordinary: str = "") -> Quotations:
        for name, text in data.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return quotations([Piece("a.py", 7, code)], data_texts(root), frozenset({"the", "of", "at"}), [ordinary])

    def test_a_sentence_of_the_data_is_told_with_its_line_and_place(self, tmp_path: Path) -> None:
        found = self.quoted(
            tmp_path, "An example:\n'My heron likes 14 trouts, always.'", {"x/a.md": "so my HERON likes 14 trouts now"}
        )
        assert (found.shared, found.telling) == (2, 2)
        assert [(hit.line, hit.words, hit.places) for hit in found.hits] == [
            (8, "my heron likes 14 trouts", ("x/a.md",))
        ]

    def test_what_three_documents_say_is_ordinary(self, tmp_path: Path) -> None:
        data = {f"x/{name}.md": "a green heron sleeps" for name in "abc"}
        assert self.quoted(tmp_path, "a green heron sleeps", data).telling == 0
        (tmp_path / "x" / "c.md").unlink()
        del data["x/c.md"]
        assert self.quoted(tmp_path, "a green heron sleeps", data).telling == 1

    def test_words_without_content_tell_nothing(self, tmp_path: Path) -> None:
        assert self.quoted(tmp_path, "at the end of", {"x/a.md": "at the end of"}).telling == 0

    def test_what_an_unrelated_text_says_too_tells_nothing(self, tmp_path: Path) -> None:
        found = self.quoted(tmp_path, "close the open file", {"x/a.md": "close the open file"}, "close the open file")
        assert (found.shared, found.telling) == (1, 0)

    @pytest.mark.parametrize(
        ("files", "documents"),
        [
            ({"chats/1/chat.json": '["one", "two"]', "chats/1/plan.txt": "three"}, {"chats/1"}),
            ({"sets/one/a.json": '["x"]', "sets/two/a.json": '["x long"]'}, {"sets/a #0"}),
            ({"sets/a.jsonl": '{"task_id": 4, "t": "x"}', "sets/b.json": '[{"task_id": 4, "t": "y"}]'}, {"sets/4"}),
            ({"sets/a.jsonl": '{"t": "x"}\n{"t": "y"}'}, {"sets/a #0", "sets/a #1"}),
            ({"transcripts/a.jsonl": '{"t": "x"}\n{"t": "y"}'}, {"transcripts/a"}),
            ({"sets/a.json": "not JSON", "sets/LICENSE.md": "text"}, {"sets/a"}),
        ],
    )
    def test_forms_of_one_record_are_one_document(
        self, tmp_path: Path, files: dict[str, str], documents: set[str]
    ) -> None:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        assert {text.document for text in data_texts(tmp_path)} == documents

    def test_all_that_people_read_in_the_code_is_read(self, tmp_path: Path) -> None:
        tree(tmp_path, a='"""Doc."""\n# one\n# two\nX = "text"  # three\n')
        (tmp_path / "cfpm" / "words.toml").write_text('pets = ["cat", "dog"]\n', encoding="utf-8")
        found = [(piece.line, text) for piece in code_texts(tmp_path) if (text := piece.text.strip(" =[]\n"))]
        assert found == [(1, "Doc."), (4, "text"), (2, "# one\n# two\n# three"), (1, "pets"), (1, "cat"), (1, "dog")]


class TestTracing:
    @pytest.fixture
    def rooms(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
        """A package of two rooms: `door.knock` calls into the other room by a library, and runs a generator of it."""
        root = tmp_path / "tracedhouse"
        for name, text in {
            "__init__.py": "",
            "hall/__init__.py": "",
            "hall/door.py": "from tracedhouse.hall import mat\nfrom tracedhouse.attic import box\n"
            "def knock():\n    mat.wipe()\n    sorted([2, 1], key=box.weight)\n    return list(box.items())\n",
            "hall/mat.py": "def wipe(): return wipe_again()\ndef wipe_again(): return 1\n",
            "attic/__init__.py": "",
            "attic/box.py": "def weight(x): return x\ndef items():\n    yield 1\n    yield 2\n",
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return "tracedhouse"

    def test_moves_are_calls_from_another_module(self, rooms: str) -> None:
        from importlib import import_module

        door = import_module(f"{rooms}.hall.door")
        with traced(rooms) as trace:
            door.knock()
        assert {name.rpartition(".")[2] for name in trace.modules} == {"door", "mat", "box"}
        # One into the mat; two of the sort, through the library; one of the generator, which goes on without a call.
        assert (trace.moves, trace.room_moves) == (4, 3)
        assert sys.getprofile() is None


class TestRecordings:
    def test_the_first_line_that_differs_is_shown(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before, after = tmp_path / "before", tmp_path / "after"
        for folder, text in ((before, "one\ntwo\n"), (after, "one\n2\n")):
            folder.mkdir()
            (folder / "same.txt").write_text("same", encoding="utf-8")
            (folder / "other.txt").write_text(text, encoding="utf-8")
        (before / "gone.txt").write_text("", encoding="utf-8")
        assert recording.compare(before, after) == 1
        said = capsys.readouterr().out
        assert "other.txt: line 2\n  - two\n  + 2\n" in said
        assert "gone.txt: not in" in said
        assert "2 of 3 recordings differ" in said
        assert recording.compare(before, before) == 0

    @pytest.mark.slow
    def test_the_command_line_is_asked_about_a_transcript(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        transcript = tmp_path / "chat.jsonl"
        transcript.write_text(
            json.dumps({"role": "user", "content": "Always run the linter before a commit."}) + "\n", encoding="utf-8"
        )
        (tmp_path / "work").mkdir()
        monkeypatch.chdir(tmp_path / "work")
        said = list(recording.answers(transcript, recording.GATED, ""))
        assert said[0].startswith("$ cfpm observe in.jsonl --session s1\nexit 0\n")
        assert "linter" in said[1]
        assert all("\nexit 0\n" in f"\n{text}" for text in said)
