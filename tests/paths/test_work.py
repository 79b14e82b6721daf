"""The work grows with the text and no faster. Counted in function calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from cfpm.paths.failures import failing_lines, failing_path, may_have_failure
from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import canonical

pytestmark = pytest.mark.slow


def calls_of(work: Callable[[], object]) -> int:
    count = 0

    def one_more(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    work()
    before = sys.getprofile()
    sys.setprofile(one_more)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


LINES: dict[str, Callable[[int], str]] = {
    "posix": lambda n: " ".join(f"/srv/app/module_{i}/file.py" for i in range(n)),
    "windows with spaces": lambda n: " ".join(f"C:\\Data {i % 7}\\dir one\\file.txt" for i in range(n)),
    "unclosed quotes": lambda n: ' "/srv/app dir/file' * n,
    "one token": lambda n: ":/usr/bin" * n,
    "no spaces": lambda n: "/a'b(c)" * n,
    "escaped spaces": lambda n: "/a\\ b" * n,
    "capitals": lambda n: "/Ab Cd" * n,
    "urls": lambda n: "https://example.com/a/b " * n,
    "chinese": lambda n: "/srv/数据已保存" * n,
    "markup": lambda n: "</a>**/b/**" * n,
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_finding_is_linear_in_the_length_of_a_line(line: Callable[[int], str]) -> None:
    """10.2: the original took 52 times as long for 16 times the paths on a line."""
    short, long = line(250), line(2_000)
    assert calls_of(lambda: find_paths(long)) <= 9 * calls_of(lambda: find_paths(short)) + 500


FAILURES: dict[str, Callable[[int], str]] = {
    "lines": lambda n: "\n".join(f"cat: /srv/file_{i}: No such file or directory" for i in range(n)),
    "one line": lambda n: "/srv/a: no such file or directory " * n,
    "without paths": lambda n: "x not found " * n,
    "chinese": lambda n: "文件不存在" * n,
}


@pytest.mark.parametrize("text", FAILURES.values(), ids=FAILURES.keys())
def test_blaming_is_linear(text: Callable[[int], str]) -> None:
    def blame(said: str) -> object:
        return [failing_path(line, "cd /srv && x") for _, _, line in failing_lines(said)]

    short, long = text(100), text(800)
    assert calls_of(lambda: blame(long)) <= 9 * calls_of(lambda: blame(short)) + 500


def test_a_megabyte_without_a_separator_is_not_read_at_all() -> None:
    text = "word " * 200_000
    assert calls_of(lambda: find_paths(text)) < 10
    assert calls_of(lambda: may_have_failure(text)) < 100


def test_a_megabyte_without_spaces_gives_nothing_and_ends() -> None:
    assert find_paths("/" + "a" * 1_000_000) == []
    assert find_paths("a/" * 500_000) == []
    assert find_paths("a" * 500_000 + "\\" + "b" * 500_000) == []
    assert canonical("\\" * 500_000) == "/"
