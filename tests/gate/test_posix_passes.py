"""What looks like a probe in a POSIX shell and is left alone, with the reason."""

from __future__ import annotations

import pytest

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect
from cfpm.gate.shells.posix.reader import read
from tests.gate.posix_reading import only_probe, passed, rewritten


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("ls ~/Desktop-backup", Reason.LONGER_NAME),
        ("ls ~/Desktop\\ x", Reason.LONGER_NAME),
        ("ls ~/Desktop{,.bak}", Reason.LONGER_NAME),
        ("ls ~/Desktop*", Reason.LONGER_NAME),
        ('ls "$HOME/Desktop2"', Reason.LONGER_NAME),
        ("ls $HOME/Desktop$x", Reason.LONGER_NAME),
        ("ls ~/Desktop\u00a0x", Reason.LONGER_NAME),
        ('ls "$HOME/Desktop"é', Reason.LONGER_NAME),
        ("ls '~/Desktop'", Reason.STRING_LITERAL),
        ('ls "~/Desktop"', Reason.STRING_LITERAL),
        ("ls $'~/Desktop'", Reason.STRING_LITERAL),
        ("echo '$HOME/Desktop'", Reason.STRING_LITERAL),
        ('echo "saved in $HOME/Desktop"', Reason.STRING_LITERAL),
        ('echo " $HOME/Desktop"', Reason.STRING_LITERAL),
        ("echo \\$HOME/Desktop", Reason.STRING_LITERAL),
        ("ls foo~/Desktop", Reason.STRING_LITERAL),
        ("ls \u00a0~/Desktop", Reason.STRING_LITERAL),
        ('ls ~/x ~"/Desktop"', Reason.STRING_LITERAL),
        ("tool --out=~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("tool OUT=~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("ls # ~/Desktop", Reason.COMMENT),
        ("cat <<EOF\n$HOME/Desktop\nEOF", Reason.HERE_DOCUMENT),
        ("cat <<'EOF'\n~/Desktop\nEOF", Reason.HERE_DOCUMENT),
        ("cat <<< $HOME/Desktop", Reason.HERE_DOCUMENT),
        ('bash -c "$HOME/Desktop/run.sh"', Reason.NESTED_LANGUAGE),
        ("bash -lc 'ls ~/Desktop'", Reason.NESTED_LANGUAGE),
        ("python3 -c \"open('$HOME/Desktop')\"", Reason.NESTED_LANGUAGE),
        ("find . -exec sh -c 'cp \"$1\" ~/Desktop' _ {} +", Reason.NESTED_LANGUAGE),
        ("watch ls ~/Desktop", Reason.NESTED_LANGUAGE),
        ("scp a host:~/Desktop/", Reason.REMOTE_HOST),
        ("scp a bob@host.example:$HOME/Desktop", Reason.REMOTE_HOST),
        ("ssh host ls ~/Desktop", Reason.REMOTE_HOST),
        ("ssh host 'ls ~/Desktop'", Reason.REMOTE_HOST),
        ("sudo ssh host ls ~/Desktop", Reason.REMOTE_HOST),
        ("docker exec box ls ~/Desktop", Reason.REMOTE_HOST),
        ("docker run image ls ~/Desktop", Reason.REMOTE_HOST),
        ("kubectl exec pod -- ls ~/Desktop", Reason.REMOTE_HOST),
        ("adb shell ls ~/Desktop", Reason.REMOTE_HOST),
        ("wsl ls ~/Desktop", Reason.REMOTE_HOST),
        ("su bob -c 'ls ~/Desktop'", Reason.REMOTE_HOST),
        ("sudo -i ls ~/Desktop", Reason.REMOTE_HOST),
        ("case $x in ~/Desktop) ls;; esac", Reason.PATTERN),
        ("[[ $x == ~/Desktop ]]", Reason.PATTERN),
        ("[[ $x =~ $HOME/Desktop ]]", Reason.PATTERN),
        ('grep "$HOME/Desktop" log', Reason.PATTERN),
        ('grep -A 3 "$HOME/Desktop"', Reason.PATTERN),
        ('find / -path "$HOME/Desktop"', Reason.PATTERN),
        ("rsync --exclude=$HOME/Desktop a b", Reason.PATTERN),
        ("ls {~/Desktop,x}", Reason.STRING_LITERAL),
        ("echo $((HOME/Desktop)) ${x:-$HOME/Desktop}", Reason.UNSUPPORTED_PLACE),
        ("ls ${HOME:-/root}/Desktop", Reason.UNSUPPORTED_PLACE),
        ("ls ${XDG_DESKTOP_DIR:-$HOME/Desktop}", Reason.UNSUPPORTED_PLACE),
        ('[ "$x" = ~/Desktop ]', Reason.UNSUPPORTED_PLACE),
        ("PATH=$PATH:$HOME/Desktop", Reason.UNSUPPORTED_PLACE),
        ("a[1]=~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("export a=~/Desktop/{b,c}", Reason.UNSUPPORTED_PLACE),
        ("a+=~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("xdg-user-dir DESKTOP", Reason.UNSUPPORTED_PLACE),
        ("f() { ls ~/Desktop; }", Reason.UNSUPPORTED_PLACE),
        ("f() { x; }; f ~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("echo `ls ~/Desktop`", Reason.UNSUPPORTED_PLACE),
        ("$run ls ~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("ls > log ~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("rm -rf ~/Desktop", Reason.UNSUPPORTED_PLACE),
        ("find ~/Desktop -delete", Reason.UNSUPPORTED_PLACE),
        ("ls ~/Desktop 'unfinished", Reason.CANNOT_PARSE),
        ("ls ~/Desktop )", Reason.CANNOT_PARSE),
        ("ls ~/Desktop \x00", Reason.CANNOT_PARSE),
        ("ls ~/Desktop \udc80", Reason.CANNOT_PARSE),
        ("ls ~/Desktop\r\n", Reason.CANNOT_PARSE),
        ("ls ~/Desktop " + "x" * 200_000, Reason.TOO_LONG),
    ],
)
def test_reason(command: str, reason: Reason) -> None:
    assert passed(command) == [reason]


@pytest.mark.parametrize(
    "command",
    [
        "HOME=/x; ls ~/Desktop",
        "HOME=/x ls ~/Desktop",
        "ls ~/Desktop; export HOME=/x",
        "unset HOME; ls ~/Desktop",
        "read -r HOME; ls ~/Desktop",
        "printf -v HOME x; ls ~/Desktop",
        "for HOME in a b; do ls ~/Desktop; done",
        ": ${HOME:=/x}; ls ~/Desktop",
        'declare "HOME=/x"; ls ~/Desktop',
        "export $(cat .env); ls ~/Desktop",
        "source env.sh; ls ~/Desktop",
        ". ./env.sh && ls ~/Desktop",
        'builtin eval "$x"; ls ~/Desktop',
        "env -i HOME=/x sh; ls ~/Desktop",
        "command . ./env.sh; ls ~/Desktop",
        "alias ls=x; ls ~/Desktop",
        "XDG_MUSIC_DIR=/m; ls $XDG_MUSIC_DIR",
        "xdg-user-dir() { echo /x; }; ls $(xdg-user-dir MUSIC)",
        "XDG_CONFIG_HOME=/c; ls $(xdg-user-dir MUSIC)",
    ],
)
def test_a_command_that_changes_what_its_probe_hangs_on(command: str) -> None:
    assert set(passed(command)) == {Reason.HOME_CHANGED}


def test_other_variables_may_change() -> None:
    assert only_probe("JAVA_HOME=/x XDG_MUSIC_DIR=/m ls ~/Desktop").name == "Desktop"


@pytest.mark.parametrize("dialect", [Dialect.SH, Dialect.DASH])
@pytest.mark.parametrize(
    "command", ["a=(~/Desktop)", "[[ -d ~/Desktop ]]", "cat <(ls ~/Desktop)", "ls ~/Desktop $'a\\'b'"]
)
def test_what_only_bash_and_zsh_understand_is_not_read_for_others(dialect: Dialect, command: str) -> None:
    assert passed(command, dialect) == [Reason.CANNOT_PARSE]


def test_a_tilde_in_export_is_expanded_by_bash_and_zsh_only() -> None:
    assert rewritten("export D=~/Desktop", dialect=Dialect.ZSH) == "export D=/data/D"
    assert passed("export D=~/Desktop", Dialect.DASH) == [Reason.UNSUPPORTED_PLACE]
    assert passed("export D=~/Desktop", Dialect.SH) == [Reason.UNSUPPORTED_PLACE]


def test_zsh_reads_a_colon_after_a_variable_as_a_modifier() -> None:
    assert passed("ls $XDG_MUSIC_DIR:h", Dialect.ZSH) == [Reason.UNSUPPORTED_PLACE]


def test_here_documents_whose_end_is_in_doubt_are_not_read() -> None:
    assert passed("cat <<E$x\na\nE$x\nls ~/Desktop") == [Reason.CANNOT_PARSE]


def test_quotes_are_not_nested() -> None:
    assert rewritten('cat "$HOME/Desktop/a b"', "/my files") == 'cat "/my files/a b"'


def test_a_quote_in_the_path_is_written_the_posix_way() -> None:
    assert rewritten("cat ~/Desktop/a", "/home/o'neil") == "cat '/home/o'\\''neil'/a"


def test_a_dollar_in_the_path_stays() -> None:
    assert rewritten('cat ~/Desktop/a "$HOME/Desktop"', "/home/$user") == "cat '/home/$user'/a \"/home/\\$user\""


def test_prose_is_not_touched() -> None:
    command = "git commit -m 'move things from ~/Desktop to ~/Documents'"
    assert passed(command) == [Reason.STRING_LITERAL, Reason.STRING_LITERAL]


def test_the_second_target_is_replaced_too() -> None:
    reading = read("cp ~/Desktop/a ~/Documents/ && ls '~/Music'", Dialect.BASH)
    assert [probe.name for probe in reading.probes] == ["Desktop", "Documents"]
    assert [seen.reason for seen in reading.seen] == [Reason.STRING_LITERAL]
