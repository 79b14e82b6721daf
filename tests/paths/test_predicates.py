"""Questions about one text that may be a path."""

from __future__ import annotations

import pytest

from cfpm.paths.grammar import Flavour, flavour_of, is_absolute, is_date, is_symbolic, name
from cfpm.paths.predicates import is_clean_path_line, is_known_folder, is_path_like, is_project_relative, is_temporary


@pytest.mark.parametrize("path", ["/srv", "/srv/x", "C:\\x", "c:/x", "C:\\", "\\\\host\\share", "\\\\?\\C:\\x"])
def test_absolute(path: str) -> None:
    assert is_absolute(path)


@pytest.mark.parametrize("path", ["src/x.py", "~/x", "$HOME/x", "%USERPROFILE%\\x", "x", "", "C:x"])
def test_not_absolute(path: str) -> None:
    assert not is_absolute(path)


@pytest.mark.parametrize(
    "path",
    [
        "~/x",
        "~",
        "~\\Desktop",
        "$HOME/x",
        "${HOME}/x",
        "$env:USERPROFILE\\Desktop",
        "%USERPROFILE%\\Desktop",
        "%HOMEPATH%",
        "[Environment]::GetFolderPath('Desktop')",
        '"$HOME/x"',
    ],
)
def test_symbolic(path: str) -> None:
    """Reference 14 and 63: only a shell knows what these mean."""
    assert is_symbolic(path)


@pytest.mark.parametrize("path", ["/home/ana", "C:\\x", "src/x.py", "a~b/c", "100%/x", ""])
def test_not_symbolic(path: str) -> None:
    assert not is_symbolic(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/main.rs",
        "packages/core/index",
        "docs/a.md",
        "README.md",
        "Makefile",
        "pyproject.toml",
        "lib/x",
        "`src/x.py`",
    ],
)
def test_project_relative(path: str) -> None:
    assert is_project_relative(path)


@pytest.mark.parametrize(
    "path",
    [
        "AI/Agent",
        "client/server",
        "UI/UX",
        "Node.js/Express.js",
        "v1.3/v2.4",
        "/srv/x.py",
        "~/x.py",
        "notes",
        "and/or",
        "",
    ],
)
def test_not_project_relative(path: str) -> None:
    """Reference 33 and A19."""
    assert not is_project_relative(path)


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\ana\\Desktop",
        "C:\\Users\\ana\\OneDrive - Contoso\\Documents\\",
        "/home/ana/downloads",
        "~/Desktop",
        "/Users/ana/Documents/",
    ],
)
def test_known_folder(path: str) -> None:
    assert is_known_folder(path)


@pytest.mark.parametrize("path", ["/home/ana/Desktop-backup", "/home/ana/Desktop/x.txt", "Desktop", "/srv/mydownloads"])
def test_not_a_known_folder(path: str) -> None:
    assert not is_known_folder(path)


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/x",
        "/private/tmp/x",
        "/var/folders/ab/T/x",
        "C:\\Users\\ana\\AppData\\Local\\Temp\\.tmpA1b2",
        "C:\\Users\\ana\\AppData\\Local\\Temp\\x.txt",
        "/srv/data.tmp",
        "%TEMP%\\x",
    ],
)
def test_18_temporary_files_are_known(path: str) -> None:
    """Reference 18 and 17: a bare temporary file is no artifact."""
    assert is_temporary(path)


@pytest.mark.parametrize("path", ["/srv/tmp/x", "/home/ana/template.txt", "C:\\Temporal\\x", "/tmpfiles/x"])
def test_not_temporary(path: str) -> None:
    assert not is_temporary(path)


@pytest.mark.parametrize("text", ["2024/7/19", "2026-1-3", "2026.01.03", "19/7/2024", "7/19/2024", " 2026/2/8 "])
def test_date(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize("text", ["2024/13/45", "1/2", "1.2.3.4", "2024/7-19", "src/1/2", "9999/1/1", ""])
def test_not_a_date(text: str) -> None:
    assert not is_date(text)


@pytest.mark.parametrize(
    "text",
    [
        "/srv/x",
        "/tmp",
        "C:\\a b\\c.txt",
        "src/main.rs",
        "README.md",
        "'/srv/my data/x.csv'",
        "~/x",
        "\\\\host\\share\\x",
        "/srv/表.csv",
    ],
)
def test_path_like(text: str) -> None:
    assert is_path_like(text)


@pytest.mark.parametrize(
    "text",
    [
        "/think",
        "AI/Agent",
        "client/server",
        "2024/7/19",
        "$env:USERPROFILE/Desktop",
        "https://example.com/a/b",
        "see /srv/x",
        "/srv/x，包含以下文件",
        "/srv/x\n/srv/y",
        "/srv/" + "x" * 400,
        "",
        "//",
        "a|b/c.md",
    ],
)
def test_not_path_like(text: str) -> None:
    """Reference 30, 33 and 34."""
    assert not is_path_like(text)


@pytest.mark.parametrize(
    "line",
    [
        "/srv/x.txt",
        "  - /srv/x.txt",
        "* **`/srv/x.txt`**",
        "1. `src/main.rs`",
        "C:\\Users\\John Doe\\Desktop",
        '"/srv/my data/x.csv".',
        "src/a.py, src/b.py",
        "`/srv/a` `/srv/b`",
        "README.md",
        "“D:\\用户\\桌面”。",
        "src/a.py:12",
    ],
)
def test_a_line_that_is_nothing_but_paths(line: str) -> None:
    """Reference 13, 17, 23, 27, and A19: bulleted and bold lines count too."""
    assert is_clean_path_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "-",
        "Saved to /srv/x.txt",
        "/srv/x.txt contains the data",
        "12 files",
        "/think",
        "- `tool` (2026/2/8)",
        "/srv/x，包含以下文件",
    ],
)
def test_a_line_that_says_more(line: str) -> None:
    assert not is_clean_path_line(line)


def test_one_segment_below_the_root_is_a_path_when_a_tool_names_it() -> None:
    assert is_path_like("/testbed", named=True)
    assert not is_path_like("/testbed")
    assert not is_path_like("/two words", named=True)


def test_flavours_and_names() -> None:
    assert flavour_of("/a") is Flavour.POSIX
    assert flavour_of("~/a") is Flavour.POSIX
    assert flavour_of("C:/a") is Flavour.WINDOWS
    assert flavour_of("%TEMP%\\a") is Flavour.WINDOWS
    assert flavour_of("\\\\host\\share") is Flavour.UNC
    assert flavour_of("a/b") is Flavour.RELATIVE
    assert name("/a/b/c.txt") == "c.txt"
    assert name("C:\\a\\b c\\") == "b c"
    assert name("x") == "x"
    assert name("/home/ana/My\\ Docs") == "My Docs"
