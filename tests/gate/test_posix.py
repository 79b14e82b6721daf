"""Which expressions of a POSIX shell are probes, and how a path is written in their place."""

from __future__ import annotations

import pytest

from cfpm.gate.probe import Dialect, Effect, How, Reading
from cfpm.gate.shells.posix.quoting import bare, double_quoted
from cfpm.gate.shells.posix.reader import read
from cfpm.model.known_folders import Folder
from tests.gate.posix_reading import only_probe, rewritten

POSIX = (Dialect.BASH, Dialect.SH, Dialect.DASH, Dialect.ZSH)
SPACED = "/data/my files"


@pytest.mark.parametrize("dialect", POSIX)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls ~/Desktop", "ls '/data/my files'"),
        ('ls "$HOME/Desktop/a b.txt"', 'ls "/data/my files/a b.txt"'),
        ('ls "${HOME}/Desktop"', 'ls "/data/my files"'),
        ('ls "$HOME"/Desktop/*.txt', "ls '/data/my files'/*.txt"),
        ('ls "$HOME/"Desktop', "ls '/data/my files'"),
        ('ls ~/"Desktop/a b"', "ls '/data/my files'\"/a b\""),
        ("ls ~/'Desktop/a b'", "ls '/data/my files''/a b'"),
        ('ls "$HOME"/"Desktop"', "ls '/data/my files'"),
        ('ls "${XDG_DESKTOP_DIR}/x"', 'ls "/data/my files/x"'),
        ('ls "$(xdg-user-dir DESKTOP)/x"', 'ls "/data/my files/x"'),
        ('D="$(xdg-user-dir DESKTOP 2>/dev/null)"', 'D="/data/my files"'),
    ],
)
def test_every_form_in_every_shell(dialect: Dialect, command: str, expected: str) -> None:
    assert rewritten(command, SPACED, dialect) == expected


@pytest.mark.parametrize("dialect", POSIX)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls $HOME/Desktop/a.txt", "ls /data/D/a.txt"),
        ("ls ${HOME}/Desktop", "ls /data/D"),
        ('ls $HOME"/Desktop/a b"', 'ls /data/D"/a b"'),
        ("ls $XDG_DESKTOP_DIR/x", "ls /data/D/x"),
        ("ls $(xdg-user-dir DESKTOP)/x", "ls /data/D/x"),
        ("ls `xdg-user-dir DESKTOP`", "ls /data/D"),
    ],
)
def test_a_value_that_the_shell_splits_is_written_only_when_it_stays_whole(
    dialect: Dialect, command: str, expected: str
) -> None:
    """With a blank in it, `ls $HOME/Desktop` looks into two folders: written as one it would mean another."""
    assert rewritten(command, "/data/D", dialect) == expected
    for path in (SPACED, "/data/D*", "/data/[D]", "/data/D\u3000x"):
        assert rewritten(command, path, dialect) == command


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("~/Desktop/run.sh --fast", "/data/D/run.sh --fast"),
        ("cd ~/Desktop && ls -la", "cd /data/D && ls -la"),
        ("cat ~/Desktop/a | wc -l; (cd ~/Desktop)", "cat /data/D/a | wc -l; (cd /data/D)"),
        ("echo hi > ~/Desktop/a.txt 2>&1", "echo hi > /data/D/a.txt 2>&1"),
        ("sort <~/Desktop/a>>$HOME/Desktop/b", "sort </data/D/a>>/data/D/b"),
        (
            "cat > ~/Desktop/a <<'EOF'\n~/Desktop\nEOF\nls ~/Desktop",
            "cat > /data/D/a <<'EOF'\n~/Desktop\nEOF\nls /data/D",
        ),
        ("cat <<EOF > ~/Desktop/a\nhi\nEOF", "cat <<EOF > /data/D/a\nhi\nEOF"),
        ("D=~/Desktop", "D=/data/D"),
        ('D="$HOME/Desktop" E=$HOME/Desktop run', 'D="/data/D" E=/data/D run'),
        ("export D=~/Desktop E=$HOME/Desktop", "export D=/data/D E=/data/D"),
        ("dirs=(~/Desktop a)", "dirs=(/data/D a)"),
        ("tool --out=$HOME/Desktop/x", "tool --out=/data/D/x"),
        ('tool --out="$HOME/Desktop"', 'tool --out="/data/D"'),
        ('tool "--out=$HOME/Desktop"', 'tool "--out=/data/D"'),
        ("dd of=$HOME/Desktop/disk.img", "dd of=/data/D/disk.img"),
        ("docker run -v ~/Desktop:/data:ro image", "docker run -v /data/D:/data:ro image"),
        ('for d in ~/Desktop "$HOME/Desktop"; do ls "$d"; done', 'for d in /data/D "/data/D"; do ls "$d"; done'),
        ("if [ -d ~/Desktop ]; then ls ~/Desktop; fi", "if [ -d /data/D ]; then ls /data/D; fi"),
        ('[[ -d "$HOME/Desktop" && ! -e ~/Desktop/x ]]', '[[ -d "/data/D" && ! -e /data/D/x ]]'),
        ("[ ! -d ~/Desktop -o -f x ]", "[ ! -d /data/D -o -f x ]"),
        ("test -d ~/Desktop", "test -d /data/D"),
        ("while ! ls ~/Desktop; do sleep 1; done", "while ! ls /data/D; do sleep 1; done"),
        ("case $x in a) ls ~/Desktop;; esac", "case $x in a) ls /data/D;; esac"),
        ('echo "$(ls "$HOME/Desktop")"', 'echo "$(ls "/data/D")"'),
        ("diff <(ls ~/Desktop) b", "diff <(ls /data/D) b"),
        ("grep -rn needle ~/Desktop", "grep -rn needle /data/D"),
        ("sed -n '1p' ~/Desktop/a", "sed -n '1p' /data/D/a"),
        ("find ~/Desktop -name '*.png'", "find /data/D -name '*.png'"),
        ("scp ~/Desktop/a host:/tmp", "scp /data/D/a host:/tmp"),
        ("sudo -u bob ls ~/Desktop/", "sudo -u bob ls /data/D/"),
        ("ls ~/Desktop/{a,b} ~/Desktop/*", "ls /data/D/{a,b} /data/D/*"),
        ("echo ü “x” ~/Desktop 日本", "echo ü “x” /data/D 日本"),
        ('ls "$HOME/Desktop/a\u202fb"', 'ls "/data/D/a\u202fb"'),
    ],
)
def test_places_where_a_probe_is_replaced(command: str, expected: str) -> None:
    assert rewritten(command) == expected
    assert [p.name for p in read(expected, Dialect.BASH).probes] == []


@pytest.mark.parametrize(
    ("expression", "folder", "name", "how", "variables"),
    [
        ("~/Documents", Folder.DOCUMENTS, "Documents", How.HOME, ("HOME",)),
        ("$HOME/Movies", Folder.VIDEOS, "Movies", How.HOME, ("HOME",)),
        ("$XDG_PUBLICSHARE_DIR", Folder.PUBLIC, "PUBLICSHARE", How.VARIABLE, ("XDG_PUBLICSHARE_DIR",)),
        ("$(xdg-user-dir DOWNLOAD)", Folder.DOWNLOADS, "DOWNLOAD", How.SYSTEM, ("HOME",)),
    ],
)
def test_what_a_probe_says_of_itself(
    expression: str, folder: Folder, name: str, how: How, variables: tuple[str, ...]
) -> None:
    probe = only_probe(f"ls {expression}/x")

    assert (probe.folder, probe.name, probe.how, probe.variables) == (folder, name, how, variables)
    assert (probe.start, probe.end) == (3, 3 + len(expression))


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("ls -la ~/Desktop | head -3 2>/dev/null", Effect.READS),
        ("cat ~/Desktop/a | sort -k2 -n | wc -l", Effect.READS),
        ("if [ -d ~/Desktop ]; then find ~/Desktop -name '*.png'; fi", Effect.READS),
        ("sed -n '1,20p' ~/Desktop/a; awk -F: '{print $1}' ~/Desktop/b", Effect.READS),
        ("diff <(ls ~/Desktop) <(ls ~/Music) || echo other", Effect.READS),
        ("LC_ALL=C ls ~/Desktop && cat <<'E'\nrm x\nE", Effect.READS),
        ("cd ~/Desktop && ls", Effect.OUTLASTS),
        ('export D="$HOME/Desktop"', Effect.OUTLASTS),
        ("IFS=: ; ls ~/Desktop", Effect.ACTS),
        ("path=(~/Desktop); ls", Effect.ACTS),
        ("sort -\\o x ~/Desktop/a", Effect.ACTS),
        ('sort -"$x" ~/Desktop/a', Effect.ACTS),
        ("sort * ~/Desktop/a", Effect.ACTS),
        ("sort > /dev/null -o x ~/Desktop/a; ls ~/Music", Effect.ACTS),
        ("cat <<E -n x\nE\nls ~/Desktop", Effect.ACTS),
        ("cat ~/Desktop/a > >(cat)", Effect.ACTS),
        ("ls ~/Desktop >& x", Effect.ACTS),
        (": ${x:=1}; ls ~/Desktop", Effect.ACTS),
        ("echo $((x++)); ls ~/Desktop", Effect.ACTS),
        ("'ls' ~/Desktop", Effect.ACTS),
        ("echo ${x/a/`rm y`} ~/Desktop", Effect.ACTS),
        ('echo "${x/a/$(rm y)}" ~/Desktop', Effect.ACTS),
        ("echo \"a `ls` $(ls) $((1 + 2))\" '`rm x`' ~/Desktop # $(rm x)", Effect.READS),
        ("ls ~/Desktop; ls {PATH}</dev/null", Effect.ACTS),
        ("ls ~/Desktop; cat < /dev/tcp/host/80", Effect.ACTS),
        ('sort < "$HOME/Desktop/a"', Effect.READS),
        ("[[ 'a[$(rm x)]' -eq 0 ]]; ls ~/Desktop", Effect.ACTS),
        ("printf '%d' 'a[$(rm x)]' ~/Desktop", Effect.ACTS),
        ('echo $((x)) "${x:y}" ~/Desktop', Effect.ACTS),
        ('echo $((1 + 2)) "${x:-y}" ~/Desktop', Effect.READS),
        ("grep -E '^[a-z]+[.]txt$' ~/Desktop/a", Effect.READS),
        ("/tmp/bin/ls ~/Desktop", Effect.ACTS),
    ],
)
def test_what_a_command_does_besides_printing(command: str, effect: Effect) -> None:
    assert read(command, Dialect.BASH).effect is effect


def test_a_usual_command_has_nothing_to_read() -> None:
    assert read("git status --short | head -20", Dialect.BASH) == Reading()
    assert read("ls ~/projects $HOME/src ~/desktop", Dialect.BASH) == Reading()


@pytest.mark.parametrize(
    ("path", "word", "string"),
    [
        ("/home/bob/Desktop", "/home/bob/Desktop", "/home/bob/Desktop"),
        ("/home/o'neil/D", "'/home/o'\\''neil/D'", "/home/o'neil/D"),
        ('/a"b$c`d\\e', "'/a\"b$c`d\\e'", '/a\\"b\\$c\\`d\\\\e'),
        ("/wow!", "'/wow!'", None),
        ("/a\nb", None, None),
        ("/a\u202eb", None, None),
        ("/a\udc80b", None, None),
        ("relative/path", None, None),
        ("C:\\Users\\bob", None, None),
        ("", None, None),
    ],
)
def test_quoting(path: str, word: str | None, string: str | None) -> None:
    assert bare(path) == word
    assert double_quoted(path) == string


def test_a_path_with_a_colon_is_not_written_where_colons_part_paths() -> None:
    assert only_probe("docker run -v ~/Desktop/x:/data image").write("/a:b") is None
    assert only_probe("ls ~/Desktop").write("/a:b") == "'/a:b'"


def test_an_exclamation_mark_is_not_written_inside_double_quotes_around_a_substitution() -> None:
    assert only_probe('echo "$(ls ~/Desktop)"').write("/wow!") is None
