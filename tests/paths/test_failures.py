"""Which path an error blames (A5): the operand that it names, never a bystander."""

from __future__ import annotations

import pytest

from cfpm.paths.failure_phrases import FailureKind
from cfpm.paths.failures import failing_lines, failing_path, may_have_failure
from cfpm.paths.finder import FoundPath

MISSING, DENIED, NO_DIRECTORY = FailureKind.MISSING, FailureKind.DENIED, FailureKind.NOT_A_DIRECTORY


def blamed(line: str, command: str | None = None) -> list[tuple[str, FailureKind]]:
    blame = failing_path(line, command)
    for target, _ in blame:
        if isinstance(target, FoundPath):
            assert line[target.start : target.end] == target.path
            assert may_have_failure(line)
    return [(target if isinstance(target, str) else target.path, kind) for target, kind in blame]


@pytest.mark.parametrize(
    ("line", "path", "kind"),
    [
        ("cat: /srv/a.txt: No such file or directory", "/srv/a.txt", MISSING),
        ("ls: cannot access '/srv/a b': No such file or directory", "/srv/a b", MISSING),
        ("bash: line 3: /srv/run.sh: Permission denied", "/srv/run.sh", DENIED),
        ("/bin/bash: line 1: cd: /srv/gone: No such file or directory", "/srv/gone", MISSING),
        ("cd: not a directory: /srv/a.txt", "/srv/a.txt", NO_DIRECTORY),
        ("zsh: no such file or directory: /srv/a", "/srv/a", MISSING),
        ("tar: /srv/in: Cannot stat: No such file or directory", "/srv/in", MISSING),
        ("head: cannot open '/srv/a' for reading: No such file or directory", "/srv/a", MISSING),
        ("mkdir: cannot create directory ‘/srv/x/y’: Permission denied", "/srv/x/y", DENIED),
        ("find: ‘/srv/private’: Permission denied", "/srv/private", DENIED),
        ("fatal: cannot change to '/srv/repo': No such file or directory", "/srv/repo", MISSING),
        ("error: pathspec 'src/x.py' did not match any files", "src/x.py", MISSING),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/srv/data.csv'", "/srv/data.csv", MISSING),
        ("PermissionError: [Errno 13] Permission denied: '/srv/data.csv'", "/srv/data.csv", DENIED),
        ("NotADirectoryError: [Errno 20] Not a directory: '/srv/a.txt/b'", "/srv/a.txt/b", NO_DIRECTORY),
        ("FileNotFoundError: [WinError 3] The system cannot find the path specified: 'C:\\a b'", "C:\\a b", MISSING),
        ("python3: can't open file '/srv/x.py': [Errno 2] No such file or directory", "/srv/x.py", MISSING),
        ("Error: ENOENT: no such file or directory, open '/srv/package.json'", "/srv/package.json", MISSING),
        ("Error: EACCES: permission denied, mkdir '/srv/cache'", "/srv/cache", DENIED),
        ("Error: ENOTDIR: not a directory, scandir '/srv/a.txt'", "/srv/a.txt", NO_DIRECTORY),
        ("open /srv/conf.json: no such file or directory", "/srv/conf.json", MISSING),
        ("rg: /srv/x: No such file or directory (os error 2)", "/srv/x", MISSING),
        ("java.io.FileNotFoundException: /srv/x.txt (No such file or directory)", "/srv/x.txt", MISSING),
        (
            "Cannot find path 'C:\\Users\\John Doe\\Desktop' because it does not exist.",
            "C:\\Users\\John Doe\\Desktop",
            MISSING,
        ),
        ("Get-Content : Could not find a part of the path 'C:\\a\\b.txt'.", "C:\\a\\b.txt", MISSING),
        ("Access to the path 'C:\\Windows\\System32\\x' is denied.", "C:\\Windows\\System32\\x", DENIED),
        ("The system cannot find the path specified: C:\\data\\in.", "C:\\data\\in", MISSING),
        ("<tool_use_error>Directory does not exist: /srv/app</tool_use_error>", "/srv/app", MISSING),
        ("WARN config directory not found dir=/srv/conf level=2", "/srv/conf", MISSING),
        ("config file not found at /etc/app/x.toml", "/etc/app/x.toml", MISSING),
        ("It seems that the `/srv/in/` directory does not exist here.", "/srv/in/", MISSING),
        ("/testbed directory does not exist", "/testbed", MISSING),
        ("The file /srv/a/b.txt was not found.", "/srv/a/b.txt", MISSING),
        ("找不到路径“C:\\用户\\桌面”，因为该路径不存在。", "C:\\用户\\桌面", MISSING),
        ("系统找不到指定的路径：C:\\data\\in。", "C:\\data\\in", MISSING),
        ("ls: 无法访问 '/srv/x': 没有那个文件或目录", "/srv/x", MISSING),
        ("默认路径 C:\\Users\\ana\\Desktop 不存在，改试 D:\\Desktop", "C:\\Users\\ana\\Desktop", MISSING),
        ("桌面路径是 C:\\Users\\ana\\Desktop，但无法访问", "C:\\Users\\ana\\Desktop", DENIED),
        ("对路径“C:\\data”的访问被拒绝。", "C:\\data", DENIED),
        ("cat: /srv/a.txt: 权限不够", "/srv/a.txt", DENIED),
        ("cd: /srv/a.txt: 不是目录", "/srv/a.txt", NO_DIRECTORY),
        ("文件不存在：/home/ana/结果.txt", "/home/ana/结果.txt", MISSING),
    ],
)
def test_25_26_the_named_operand_is_blamed_with_its_kind(line: str, path: str, kind: FailureKind) -> None:
    """Reference 12, 16, 17, 25 and 26; weakness A5: permission denied is not missing."""
    assert blamed(line) == [(path, kind)]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("bash: foo: command not found", "cd /srv/app/web && foo"),
        ("sh: 1: foo: not found", "cd /srv/app/web && foo"),
        ("If /srv/a does not exist, create it", None),
        ("Creates the directory `/srv/a` if it does not exist.", None),
        ("When `/srv/a/b.txt` is missing, a default is written.", None),
        ("如果 /srv/a 不存在，就创建它", None),
        ("Does /srv/a/b.txt not exist?", None),
        ("404 not found: https://example.com/a/b", None),
        ("fatal: unable to access 'https://example.com/a/b': not found", None),
        ("Session 'abc' not found in /srv/app", None),
        ("User not found", "cat /srv/users.csv"),
        ("git@example.com: Permission denied (publickey).", None),
        ('echo "Error: /srv/a directory does not exist"', None),
        ('raise FileNotFoundError("/srv/a.txt not found")', None),
        ('log.Warn("tmp directory not found", "dir", dir)', None),
        ("ls: cannot access '/srv/*.txt': No such file or directory", None),
        ("/srv/run.sh: line 3: jq: command not found", "bash /srv/run.sh"),
        ("mv: cannot move '/srv/a' to '/data/b': Permission denied", None),
        ("the script /srv/a.sh says that nothing was not found", None),
        ("leading to a `File not found` message in /srv/a.py", None),
    ],
)
def test_a5_nothing_is_blamed(line: str, command: str | None) -> None:
    """A5 and A6: conditions, questions, code, commands, users, URLs."""
    assert blamed(line, command) == []


def test_a5_a_missing_file_does_not_blame_its_directory() -> None:
    assert blamed("notes.txt not found in /srv/bob/project") == [("/srv/bob/project/notes.txt", MISSING)]
    assert blamed("could not find `Cargo.toml` in `/srv/app`") == [("/srv/app/Cargo.toml", MISSING)]


def test_a5_only_the_operand_in_the_message_is_blamed() -> None:
    line = "cp: cannot stat '/srv/a.txt': No such file or directory"
    assert blamed(line, "cp /srv/a.txt /srv/b.txt") == [("/srv/a.txt", MISSING)]


def test_a_relative_operand_is_joined_when_the_directory_is_certain() -> None:
    line = "cat: notes.txt: No such file or directory"
    assert blamed(line, "cd /srv/app && cat notes.txt") == [("/srv/app/notes.txt", MISSING)]
    assert blamed(line, "cd '/srv/my app' && cat notes.txt") == [("/srv/my app/notes.txt", MISSING)]
    assert blamed("Could not find file 'notes.txt'.", "cd /d C:\\app && type notes.txt") == [
        ("C:\\app\\notes.txt", MISSING)
    ]


@pytest.mark.parametrize(
    "command",
    [None, "cat notes.txt", "cd app && cat notes.txt", "cd /srv && cd app && cat notes.txt", "cd /srv; cat notes.txt"],
)
def test_else_it_is_blamed_as_said(command: str | None) -> None:
    assert blamed("cat: notes.txt: No such file or directory", command) == [("notes.txt", MISSING)]


@pytest.mark.parametrize(
    ("line", "command", "path"),
    [
        ("The system cannot find the path specified.", 'dir "C:\\Users\\ana\\My Docs"', "C:\\Users\\ana\\My Docs"),
        ("No such file or directory", "cat /srv/a.txt", "/srv/a.txt"),
        ("Error: File does not exist.", "/srv/a.txt", "/srv/a.txt"),
        ("路径不存在", 'Get-ChildItem "C:\\data\\in" | Select-Object Name', "C:\\data\\in"),
        ("系统找不到指定的路径。", "type C:\\data\\x.txt", "C:\\data\\x.txt"),
        ("No such file or directory (os error 2)", "ls /testbed", "/testbed"),
    ],
)
def test_28_an_error_without_a_path_blames_the_only_operand(line: str, command: str, path: str) -> None:
    """Reference 28."""
    assert blamed(line, command) == [(path, MISSING)]


@pytest.mark.parametrize(
    "command",
    ["cp /srv/a /srv/b", "cat notes.txt", "cd /srv/app && make", "/usr/bin/make", "cat /testbed /srv/a.txt", ""],
)
def test_an_error_without_a_path_blames_nothing_when_it_is_not_certain(command: str) -> None:
    assert blamed("No such file or directory", command) in ([], [("/usr/bin/make", MISSING)])


def test_one_path_named_twice_is_blamed_once_with_its_more_specific_kind() -> None:
    assert blamed("ls: cannot access '/srv/x': No such file or directory") == [("/srv/x", MISSING)]
    assert blamed("The `/srv/a` folder doesn't exist, and `/srv/b` is missing") == [
        ("/srv/a", MISSING),
        ("/srv/b", MISSING),
    ]


def test_failing_lines_are_found_in_a_text_with_their_offsets() -> None:
    text = "ok\ncat: /srv/a: No such file or directory\r\n\nfine İ\n/srv/b: Permission denied"
    lines = list(failing_lines(text))
    assert [line.strip() for _, _, line in lines] == [
        "cat: /srv/a: No such file or directory",
        "/srv/b: Permission denied",
    ]
    assert all(text[start:end] == line for start, end, line in lines)


def test_a_text_without_failures_is_left_early() -> None:
    assert not may_have_failure("all 12 tests passed in /srv/app")
    assert list(failing_lines("all 12 tests passed in /srv/app")) == []
