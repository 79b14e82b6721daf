"""When two paths are the same, and when one holds the other."""

from __future__ import annotations

import pytest

from cfpm.paths.comparison import canonical, contains


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("C:\\Users\\Ana\\X.txt", "c:/users/ana/x.TXT"),
        ("C:\\Users\\Ana\\", "C:\\Users\\Ana"),
        ("C:\\\\Users\\\\Ana", "C:\\Users\\Ana"),
        ("C:\\a\\.\\b\\..\\c", "C:\\a\\c"),
        ("\\\\?\\C:\\a", "C:\\a"),
        ("\\\\Host\\Share\\X", "\\\\host\\share\\x\\"),
        ("\\\\?\\UNC\\host\\share", "\\\\host\\share"),
        ("/a//b/./c/", "/a/b/c"),
        ("/a/b/../c", "/a/c"),
        ("/../a", "/a"),
        ("/home/ana/My\\ Docs", "/home/ana/My Docs"),
        ("file:///a/b", "/a/b"),
        ("file:///C:/a", "C:\\a"),
        ("./src/x.py", "src/x.py"),
        ("src\\x.py", "src/x.py"),
        ("a/../b", "b"),
        (" /a/b ", "/a/b"),
        ("~/a/", "~/a"),
    ],
)
def test_the_same_place_has_one_canonical_form(path: str, same: str) -> None:
    assert canonical(path) == canonical(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/srv/App", "/srv/app"),
        ("src/X.py", "src/x.py"),
        ("/a/b", "a/b"),
        ("../a", "a"),
        ("~/../a", "~/b"),
        ("C:\\a", "D:\\a"),
    ],
)
def test_posix_keeps_its_case_and_different_places_differ(one: str, other: str) -> None:
    """Weakness 2.5 of the original: it folded the case of POSIX paths."""
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize("path", ["/", "C:\\", "", "..", ".", "\\\\", "~", "plain words", "\x00/\ud800"])
def test_any_text_has_a_stable_canonical_form(path: str) -> None:
    assert canonical(canonical(path)) == canonical(path)


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("/a", "/a/b"),
        ("/a/", "/a"),
        ("/", "/a"),
        ("C:\\", "c:/x"),
        ("C:\\Users\\Ana", "c:\\users\\ana\\x"),
        ("src", "./src/x.py"),
    ],
)
def test_contains_at_a_segment_boundary(parent: str, child: str) -> None:
    assert contains(parent, child)


@pytest.mark.parametrize(
    ("parent", "child"), [("/a/b", "/a/bc"), ("/a/b", "/a"), ("/A", "/a/b"), ("", "/a"), ("C:\\a", "/a/b")]
)
def test_does_not_contain(parent: str, child: str) -> None:
    """Weakness of the original's rename: /a/b also hit /a/bc."""
    assert not contains(parent, child)
