"""Paths with spaces (A4): whole, or not at all. A truncated path is a wrong path."""

from __future__ import annotations

import pytest

from cfpm.paths.finder import find_paths

SPACED = [
    "C:\\Users\\John Doe\\Desktop",
    "C:\\Program Files (x86)\\Vendor\\tool.exe",
    "C:\\Users\\ana\\OneDrive - Contoso\\Documents",
    "/home/bob/My Docs/file.txt",
    "/Users/ana/Library/Application Support/Code/settings.json",
    "/home/bob/My Docs",
]


def found(text: str) -> list[str]:
    return [path.path for path in find_paths(text)]


@pytest.mark.parametrize("path", SPACED)
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "'{}'",
        '"{}"',
        "`{}`",
        "“{}”",
        "Saved to: {}",
        "Cannot find path '{}' because it does not exist.",
        "Cannot open {} because it is locked",
        "{} does not exist",
        "{}: No such file or directory",
        "- `{}`",
        "The file is at {}.",
        "文件已保存到“{}”。",
    ],
)
def test_a4_a_path_with_spaces_is_found_whole(path: str, frame: str) -> None:
    """A4: neither `C:\\Users\\John` nor `/home/bob/My` is ever the path."""
    assert found(frame.format(path)) == [path]


@pytest.mark.parametrize(
    "text",
    [
        '"/home/bob/my docs/file one.txt"',
        "'C:\\work dir\\a b\\c'",
        "`docs/user guide.md`",
        "“/srv/new data (old)/x.csv”",
        '"My Docs/file.txt"',
    ],
)
def test_quotes_make_any_spaces_safe(text: str) -> None:
    assert found(text) == [text[1:-1]]


@pytest.mark.parametrize(
    "text",
    [
        "I compared /home/bob/my docs/file.txt",
        "in C:\\Users\\John Doe\\My stuff now",
        "open C:\\Data\\New thing please",
        '"bin/run src/x y.py"',
    ],
)
def test_an_uncertain_end_gives_no_path_and_no_fragment(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cp /srv/a docs/b.md", ["/srv/a", "docs/b.md"]),
        ("$ /usr/bin/python scripts/run.py", ["/usr/bin/python", "scripts/run.py"]),
        ("`/usr/bin/env python`", ["/usr/bin/env"]),
        ("`git add src/a.ts docs/b.md`", ["src/a.ts", "docs/b.md"]),
        ("see /etc/hosts for the names", ["/etc/hosts"]),
        ("/srv/app/main.py Main module", ["/srv/app/main.py"]),
        ("/Users/ana/App INFO started", ["/Users/ana/App"]),
        ("C:\\data\\Out looks fine", ["C:\\data\\Out"]),
        ("C:\\Users\\ana\\Desktop Microsoft", ["C:\\Users\\ana\\Desktop"]),
        ("C:\\data C:\\out", ["C:\\data", "C:\\out"]),
        ("/srv/Data  12 files", ["/srv/Data"]),
        ('"the file /srv/data is gone"', ["/srv/data"]),
        ("/home/bob/report (1).pdf", ["/home/bob/report (1).pdf"]),
    ],
)
def test_words_after_a_path_are_not_taken_in(text: str, paths: list[str]) -> None:
    assert found(text) == paths
