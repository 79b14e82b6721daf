"""What is kept beside Python's byte code gives what was compiled and parsed, and is never needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cfpm.model.bytecode import _parts, compiled

if TYPE_CHECKING:
    from pathlib import Path

_ASKED = """
from cfpm.model.bytecode import _file, compiled
from cfpm.model.tables import toml_table
found = compiled("(?P<one>[a-e]+)|(two)", 2).search("x ABE")
print(found.group("one"), found.re.groups, len(toml_table("cfpm.secrets", "vendors")["pattern"]) > 9, len(_file()._new))
"""


def _asked(folder: Path, **more: str) -> str:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder), **more}
    done = subprocess.run([sys.executable, "-c", _ASKED], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_second_process_makes_nothing_again(tmp_path: Path) -> None:
    assert _asked(tmp_path) == "ABE 2 True 2"
    assert _asked(tmp_path) == "ABE 2 True 0"
    assert len(list(tmp_path.rglob("*.kept"))) == 1


@pytest.mark.parametrize("broken", [b"", b"\xff" * 90, b"N", b"(\x02\x00\x00\x00"], ids=["empty", "odd", "none", "cut"])
def test_a_broken_file_is_made_anew(tmp_path: Path, broken: bytes) -> None:
    _asked(tmp_path)
    (file,) = tmp_path.rglob("*.kept")
    file.write_bytes(broken)
    assert _asked(tmp_path) == "ABE 2 True 2"
    assert _asked(tmp_path) == "ABE 2 True 0"


def test_nothing_is_written_where_python_writes_no_byte_code(tmp_path: Path) -> None:
    assert _asked(tmp_path, PYTHONDONTWRITEBYTECODE="1") == "ABE 2 True 2"
    assert not list(tmp_path.rglob("*.kept"))


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.VERBOSE | re.MULTILINE, re.ASCII])
@pytest.mark.parametrize("source", [r"(?P<a>\w+) (?:(b)|[^\W\d]{2,3}+)(?(2)x|y)", "(?i:é)+|[α-ω]"])
def test_a_pattern_is_the_one_that_re_compiles(source: str, flags: re.RegexFlag) -> None:
    expected, found = re.compile(source, flags), compiled(source, flags)
    assert (found, found.groupindex, found.groups) == (expected, expected.groupindex, expected.groups)
    assert _parts(source, int(flags)) == _parts(source, int(flags))


def test_patterns_of_bytes_and_of_text_are_told_apart() -> None:
    assert compiled("a+").findall("caa") == ["aa"]
    assert compiled(b"a+").findall(b"caa") == [b"aa"]
