"""`import cfpm` stays cheap, every public name resolves, and every data file is part of the package."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module, resources
from pathlib import Path

import pytest

import cfpm

HEAVY = ("sqlmodel", "sqlalchemy", "pydantic", "rapidfuzz", "numpy", "typer", "rich", "dateutil")


def modules_after(statement: str) -> set[str]:
    """The top-level names in `sys.modules` of a fresh interpreter that ran the statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(name.split('.')[0] for name in sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_cfpm_loads_nothing_heavy() -> None:
    assert modules_after("import cfpm") & set(HEAVY) == set()


def test_the_nouns_and_errors_load_nothing_heavy() -> None:
    assert modules_after("import cfpm.model, cfpm.errors, cfpm.model.clock") & set(HEAVY) == set()


def test_cli_help_loads_no_database_layer() -> None:
    loaded = modules_after(
        "import sys\nfrom cfpm.cli import main\nsys.stdout = sys.stderr\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\nsys.stdout = sys.__stdout__"
    )
    assert loaded & {"sqlmodel", "sqlalchemy", "rapidfuzz", "numpy"} == set()


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (["--version"], {"numpy", "pydantic", "rich", "sqlite3"}),
        (["facts", "--json"], {"numpy", "pydantic", "rich", "ahocorasick", "tomllib"}),
        (["recall", "port", "--json"], {"pydantic", "rich"}),
    ],
)
def test_a_command_loads_nothing_that_it_does_not_need(words: list[str], unneeded: set[str], tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    with cfpm.Memory.open(db) as memory:
        memory.observe([{"role": "user", "content": "The port of the API is 8081."}])
    options = [] if words == ["--version"] else ["--db", db]
    loaded = modules_after(
        "import sys\nfrom cfpm.cli import main\nsys.stdout = sys.stderr\n"
        f"try:\n    main({[*words, *options]})\nexcept SystemExit as ended:\n    assert ended.code == 0\n"
        "sys.stdout = sys.__stdout__"
    )
    assert loaded & unneeded == set()


@pytest.mark.parametrize("name", cfpm.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(cfpm, name) is not None


def test_the_list_of_public_names_is_the_list_of_what_resolves() -> None:
    assert set(cfpm.__all__) == {"__version__", *cfpm._HOMES}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cfpm.nonsense


def data_files(package: str) -> list[tuple[str, str]]:
    """Module and file name of everything in the package's folder that is no source."""
    root = Path(str(import_module(package).__file__)).parent
    found = [path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix not in {".py", ".pyc"}]
    places = [path.relative_to(root) for path in found]
    hidden = [place for place in places if any(part.startswith(".") for part in place.parts)]
    return [(".".join((package, *place.parent.parts)), place.name) for place in places if place not in hidden]


@pytest.mark.parametrize(("package", "name"), [*data_files("cfpm"), *data_files("cfpm_adapters")])
def test_every_data_file_is_found_through_the_package(package: str, name: str) -> None:
    assert resources.files(package).joinpath(name).is_file()


def loaded_by(*steps: str) -> set[str]:
    """All modules of a fresh interpreter that took these steps with a `memory`."""
    code = "\n".join(("import sys, cfpm", "memory = cfpm.Memory.open('sqlite://')", *steps, "print(*sys.modules)"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_an_ordinary_turn_loads_neither_recall_nor_trims() -> None:
    loaded = loaded_by("memory.observe([{'role': 'user', 'content': 'We deploy on Monday.'}])")
    assert "cfpm.pipeline.turn" in loaded
    assert loaded & {"cfpm.recall.ranking", "cfpm.context.trims.files"} == set()


def test_a_recall_does_not_load_masked_arrays() -> None:
    said = [{"role": "user", "content": "The staging port is 9443. We deploy on Monday."}]
    loaded = loaded_by(f"memory.observe({said})", "memory.recall('which port does staging use?')")
    assert "cfpm.recall.passages" in loaded
    assert "numpy.ma" not in loaded
