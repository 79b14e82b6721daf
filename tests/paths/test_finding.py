"""What is found in a text and what is not: one path grammar, by flavour."""

from __future__ import annotations

import pytest

from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import Flavour


def found(text: str) -> list[str]:
    paths = find_paths(text)
    for path in paths:
        assert text[path.start : path.end] == path.path
    assert [path.start for path in paths] == sorted(path.start for path in paths)
    return [path.path for path in paths]


@pytest.mark.parametrize(
    ("text", "flavour"),
    [
        ("/srv/app/main.py", Flavour.POSIX),
        ("/tmp", Flavour.POSIX),
        ("~/notes/today.md", Flavour.POSIX),
        ("src/main.rs", Flavour.RELATIVE),
        ("./run.sh", Flavour.RELATIVE),
        ("../shared/data.csv", Flavour.RELATIVE),
        (".github/workflows/ci.yml", Flavour.RELATIVE),
        ("packages/core/index", Flavour.RELATIVE),
        ("docs/guides/setup/", Flavour.RELATIVE),
        ("node_modules/@types/node/index.d.ts", Flavour.RELATIVE),
        ("app/(auth)/page.tsx", Flavour.RELATIVE),
        ("app/[slug]/page.tsx", Flavour.RELATIVE),
        ("src\\core\\main.cpp", Flavour.RELATIVE),
        ("C:\\Users\\ana\\result.txt", Flavour.WINDOWS),
        ("C:/Users/ana/result.txt", Flavour.WINDOWS),
        ("D:\\Ergebnisse\\größe.csv", Flavour.WINDOWS),
        ("\\\\server\\share\\plan.docx", Flavour.UNC),
        ("/home/ana/项目/说明.md", Flavour.POSIX),
        ("/home/o'neil/x.txt", Flavour.POSIX),
        ("/home/ana/My\\ Docs/x.txt", Flavour.POSIX),
        ("/data/day=2026-01-03/part.parquet", Flavour.POSIX),
        ("/var/log/run-2026-02-20T16:01:14.log", Flavour.POSIX),
    ],
)
def test_a_path_of_each_flavour_is_found_whole(text: str, flavour: Flavour) -> None:
    for line in (text, f"see {text} for more", f"`{text}`", f"({text})", f"Wrote {text}.", f"Is it {text}?"):
        assert found(line) == [text]
        assert find_paths(line)[0].flavour is flavour


@pytest.mark.parametrize(
    "text",
    [
        "and/or",
        "UI/UX",
        "AI/Agent",
        "client/server",
        "1/2",
        "24/7",
        "n/a",
        "v1.3/v2.4",
        "Node.js/Express.js",
        "README.md/CHANGELOG.md",
        ".js/.ts",
        "e.g./i.e.",
        "text/plain",
        "application/json",
        "origin/main",
        "feature/new-login",
        "@scope/pkg",
        "@scope/pkg/dist/index.js",
        "actions/checkout@v4",
        "github.com/org/repo/pkg/file.go",
        "golang.org/x/text",
        "encoding/json",
        "kit v3.4.0/go.mod",
        "TestParser/empty_input",
        "12.5 MB/s",
    ],
)
def test_33_pairs_of_words_refs_and_packages_are_no_paths(text: str) -> None:
    """Reference 33, and A19: `AI/Agent`, `client/server`, `Node.js/Express.js`."""
    assert found(f"We use {text} here.") == []
    assert found(text) == []


@pytest.mark.parametrize("text", ["/think", "/clear", "/review the change", "type /help or /exit"])
def test_34_slash_commands_are_no_paths(text: str) -> None:
    assert found(text) == []


def test_35_a_project_relative_file_is_a_path() -> None:
    assert found("src/main.rs") == ["src/main.rs"]


@pytest.mark.parametrize("date", ["2024/7/19", "2026-1-3", "2026/2/8", "19/7/2024", "7/19/2024"])
def test_37_a_date_beside_a_path_is_no_path(date: str) -> None:
    """Reference 37, 12, 14 and 19: an archive date is never an artifact."""
    assert found(f"Saved to /srv/out/result.txt on {date}") == ["/srv/out/result.txt"]
    assert found(f"- `tool` archived ({date})") == []


@pytest.mark.parametrize(
    "text",
    [
        "404 not found: https://example.com/a/b",
        "https://example.com/docs/a.md?x=/home/ana/b.txt#/etc/passwd",
        "[page](https://example.com/a/b.html)",
        "git@github.com:org/repo.git",
        "scp notes.txt host:~/inbox/",
        "rsync -a backup:/srv/data .",
        "ana@host:/srv/data/x.csv",
        "example.com:/srv/data/x.csv",
        "http://localhost:8080/static/app.js",
        "localhost:8080/static/app.js",
        "127.0.0.1:8000/docs/index.html",
        "s3://bucket/key/file.csv",
        "data:image/png;base64,/9j/4AAQSkZJRg/x",
        "GET /users/list",
        "the `/orders/open` endpoint",
        "/api/v1/users",
        "[home](/about/team)",
        "app.get('/orders/open', list)",
        '<link href="/shop.css">',
    ],
)
def test_addresses_are_recognised_first_and_never_read_as_paths(text: str) -> None:
    """A6: no fragment of a URL, no remote file, no route of a web server."""
    assert found(text) == []


def test_a_file_url_holds_a_path() -> None:
    assert found("open file:///home/ana/x.txt and file:///C:/data/y.csv") == ["/home/ana/x.txt", "C:/data/y.csv"]


@pytest.mark.parametrize(
    "text",
    [
        "src/**/*.ts",
        "/srv/logs/*.log",
        "**/data/x",
        "/srv/{a,b}/c.txt",
        "/users/{id}/photo.png",
        "$HOME/data/x.csv",
        "${ROOT}/src/app.py",
        '"$DIR"/src/app.py',
        "$env:USERPROFILE/Desktop",
        "%USERPROFILE%\\Desktop",
        "%s/data/out.csv",
        "<project>/src/app.py",
        "/srv/<name>/x.txt",
        "C:\\...\\Desktop",
        "/srv/.../x.txt",
        "go test ./...",
        "/path/to/model.bin",
        "~/sessions/YYYY/MM/DD/",
        "@@ -1,7 +1,9 @@ reads /srv/app/pack",
        "s/old.py/new.py/",
        "/fo+.*bar$/gi",
        "/token/gi",
        "</div> <br/> </tmp>",
        "// a comment",
        '"done\\n"',
        '"a.go\\nb.go"',
        "\\bword\\b",
        "HKLM:\\SOFTWARE\\Vendor",
    ],
)
def test_patterns_variables_and_code_are_no_concrete_paths(text: str) -> None:
    """Reference 14: a symbolic reference is no artifact; nor is a glob, a template, a tag, or an escape."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("PATH=/usr/bin:/opt/shop/bin:~/bin", ["/usr/bin", "/opt/shop/bin", "~/bin"]),
        ("docker run -v /srv/data:/data/in x", ["/srv/data", "/data/in"]),
        ("gcc -I/usr/include -o out/main.o", ["/usr/include", "out/main.o"]),
        ("--config=/etc/app.toml", ["/etc/app.toml"]),
        ("ls 2>/dev/null", ["/dev/null"]),
        ("#!/usr/bin/env bash", ["/usr/bin/env"]),
        ("INFO started dir=/srv/app cache=/srv/cache x=1", ["/srv/app", "/srv/cache"]),
        ("src/x.go:97:// Reads the file", ["src/x.go"]),
        ("--- a/src/x.py", ["src/x.py"]),
        ("diff --git a/lib/x.py b/lib/y.py", ["lib/x.py", "lib/y.py"]),
        ("<path>/srv/x</path> <b>/srv/y</b>", ["/srv/x", "/srv/y"]),
        ("| src/a.py | docs/b.md |", ["src/a.py", "docs/b.md"]),
        ("**/srv/app/x.py** and *docs/b.md*", ["/srv/app/x.py", "docs/b.md"]),
        ("    12→import './theme.css'", ["./theme.css"]),
        ('{"file": "C:\\\\Users\\\\ana\\\\x.txt\\n"}', ["C:\\\\Users\\\\ana\\\\x.txt"]),
        ('print("saved /srv/x.txt\\nnext")', ["/srv/x.txt"]),
        ("the same /srv/a.txt twice: /srv/a.txt", ["/srv/a.txt", "/srv/a.txt"]),
    ],
)
def test_paths_are_found_in_the_lines_of_tools(text: str, paths: list[str]) -> None:
    assert found(text) == paths


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("pkg/x.go:97:12: undefined", "pkg/x.go", 97),
        ("/srv/app.py:12", "/srv/app.py", 12),
        ("Error in C:\\src\\a.cs(40,7): bad", "C:\\src\\a.cs", 40),
        ("[code](docs/a.md#L12)", "docs/a.md", 12),
        ("src/main.go-182-\treturn nil", "src/main.go", 182),
        ("tests/x.py::test_a", "tests/x.py", None),
    ],
)
def test_a_line_number_is_told_and_cut_off(text: str, path: str, line: int | None) -> None:
    (only,) = find_paths(text)
    assert (only.path, only.line_number) == (path, line)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('"', '"'),
        ("'", "'"),
        ("`", "`"),
        ("**`", "`**"),
        ("“", "”"),
        ("「", "」"),
        ("（", "）"),
        ("(", ")."),
        ("", "。"),
        ("", "，"),
    ],
)
def test_29_quotes_and_punctuation_around_a_path_are_not_in_it(left: str, right: str) -> None:
    """Reference 29, 15 and 26: no backtick, no quote and no full stop, ASCII or Chinese."""
    assert found(f"{left}C:\\data\\result.txt{right}") == ["C:\\data\\result.txt"]
    assert found(f"{left}/srv/out/result.txt{right}") == ["/srv/out/result.txt"]


def test_a_quoted_path_says_so() -> None:
    quoted, bare = find_paths("`/srv/a.txt` /srv/b.txt")
    assert quoted.quoted
    assert not bare.quoted
