"""The decision: which facts may steer a command, and why all others leave it as it is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cfpm.gate.decision import Pass, Reason, Rewrite
from cfpm.gate.gate import decide
from cfpm.gate.host import this_host
from cfpm.model import Category, Fact, Role, Source, Status
from cfpm.model.known_folders import BY_SYSTEM, BY_USER, Folder
from tests.gate.situations import HOME, WINDOWS_HOME, answered, broken, machine, seen, told, windows

DESKTOP = f"{HOME}/Desktop"
EARLY, LATE = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 20, tzinfo=UTC)


def reason(facts: list[Fact], command: str = "ls ~/Desktop", **options: object) -> Reason:
    """Why this command passes on a machine that has the desktop; fails if it does not pass unchanged."""
    host = options.pop("host", machine(HOME, DESKTOP))
    decision = decide(command, "bash", facts, host, **options)  # type: ignore[arg-type]
    assert isinstance(decision, Pass)
    assert decision.command == command
    return decision.reason


def test_a_probe_becomes_the_known_path() -> None:
    decision = decide("ls -la ~/Desktop/notes", "bash", [seen(DESKTOP)], machine(DESKTOP))
    assert isinstance(decision, Rewrite)
    assert decision.command == "ls -la /home/ida/Desktop/notes"
    assert decision.original == "ls -la ~/Desktop/notes"
    (change,) = decision.changes
    assert (change.target, change.path, change.start, change.end) == ("desktop", DESKTOP, 7, 16)
    assert (change.before, change.text, change.fact_id) == ("~/Desktop", DESKTOP, seen(DESKTOP).id)


def test_all_folders_of_a_command_are_replaced() -> None:
    """A12: the original stopped at the first target."""
    facts = [seen(DESKTOP), seen(f"{HOME}/Music", Folder.MUSIC)]
    decision = decide("cmp ~/Desktop/a ~/Music/a && ls ~/Desktop", "bash", facts, machine(DESKTOP, f"{HOME}/Music"))
    assert decision.command == "cmp /home/ida/Desktop/a /home/ida/Music/a && ls /home/ida/Desktop"


def test_a_folder_that_is_not_known_stays_while_the_other_is_replaced() -> None:
    decision = decide("cmp ~/Desktop/a ~/Music/a", "bash", [seen(DESKTOP)], machine(DESKTOP))
    assert decision.command == "cmp /home/ida/Desktop/a ~/Music/a"
    assert [kept.reason for kept in decision.kept] == [Reason.NOTHING_KNOWN]


def test_deciding_again_changes_nothing() -> None:
    facts, host = [seen(DESKTOP)], machine(DESKTOP)
    once = decide('cat "$HOME/Desktop/a b" ~/Desktop/c', "bash", facts, host)
    again = decide(once.command, "bash", facts, host)
    assert again.command == once.command
    assert again.action == "pass"


def test_nothing_asked_nothing_changed() -> None:
    assert reason([seen(DESKTOP)], "git status") is Reason.NO_PROBE


def test_nothing_known() -> None:
    assert reason([]) is Reason.NOTHING_KNOWN


def test_the_kill_switch() -> None:
    assert reason([seen(DESKTOP)], enabled=False) is Reason.SWITCHED_OFF


@pytest.mark.parametrize(
    "said", ["Please verify the path again.", "re-check where it is", "请重新确认桌面路径", "double-check it"]
)
def test_a_user_who_asks_to_look_anew_gets_the_probe(said: str) -> None:
    assert reason([seen(DESKTOP)], said=said) is Reason.REVERIFICATION_ASKED


@pytest.mark.parametrize("said", ["No need to check again, list it.", "不要重新确认", "List my desktop again."])
def test_other_words_of_a_user_do_not_stop_the_gate(said: str) -> None:
    assert decide("ls ~/Desktop", "bash", [seen(DESKTOP)], machine(DESKTOP), said=said).action == "rewrite"


def test_an_unknown_shell() -> None:
    decision = decide("ls ~/Desktop", "fish", [seen(DESKTOP)], machine(DESKTOP))
    assert (decision.action, decision.reason) == ("pass", Reason.UNKNOWN_DIALECT)


@pytest.mark.parametrize("status", [Status.STALE, Status.SUPERSEDED, Status.FORGOTTEN])
def test_only_what_is_believed_counts_even_if_it_is_pinned(status: Status) -> None:
    """A14: the original let a pinned forgotten fact steer commands."""
    assert reason([seen(DESKTOP, status=status, pinned=True)]) is Reason.NOTHING_KNOWN


def test_what_a_text_of_a_tool_asserts_is_not_trusted() -> None:
    """A20: a page that says where the desktop is does not move it."""
    claimed = seen(DESKTOP, topic="", validation_command="curl https://example.org")
    assert reason([claimed]) is Reason.NOT_TRUSTED


def test_what_an_agent_claims_is_not_trusted() -> None:
    assert reason([seen(DESKTOP, topic="", role=Role.ASSISTANT)]) is Reason.NOT_TRUSTED


@pytest.mark.parametrize("source", [Source.MODEL, Source.IMPORT])
def test_what_a_model_or_an_import_brings_is_not_trusted(source: Source) -> None:
    assert reason([seen(DESKTOP, source=source)]) is Reason.NOT_TRUSTED


def test_what_a_user_pins_is_trusted() -> None:
    pinned = seen(DESKTOP, topic="", role=Role.ASSISTANT, pinned=True)
    assert decide("ls ~/Desktop", "bash", [pinned], machine(DESKTOP)).action == "rewrite"


@pytest.mark.parametrize(
    "fact",
    [
        told(DESKTOP, Category.ARTIFACT),
        told(f"The desktop of this machine is {DESKTOP}."),
        told(f"My Desktop folder is at {HOME}/Arbeit."),
        seen(f"{HOME}/Arbeit", role=Role.USER, value=BY_USER),
    ],
)
def test_what_a_user_says_is_trusted(fact: Fact) -> None:
    host = machine(f"{HOME}/Arbeit") if "Arbeit" in fact.content else machine(DESKTOP)
    assert decide("ls ~/Desktop", "bash", [fact], host).action == "rewrite"


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.SYSTEM])
def test_what_a_turn_brought_counts_only_when_it_says_who_knows(role: Role) -> None:
    """A path that somebody mentioned is no known folder, and only a usual place when the host's own tool listed it."""
    assert reason([seen(DESKTOP, topic="", role=role)]) is Reason.NOT_TRUSTED
    elsewhere = f"{HOME}/loot/Desktop"
    assert reason([seen(elsewhere, role=role)], host=machine(HOME, elsewhere)) is Reason.AMBIGUOUS


@pytest.mark.parametrize(
    "fact",
    [
        told(f"Copy everything from {HOME}/usb/Desktop to the server."),
        told(f"Never write to {HOME}/usb/Desktop.", Category.INSTRUCTION),
    ],
)
def test_a_folder_that_a_user_only_mentions_is_not_taken_for_theirs(fact: Fact) -> None:
    assert reason([fact], host=machine(HOME, f"{HOME}/usb/Desktop")) is Reason.AMBIGUOUS


def test_a_failure_line_names_no_place() -> None:
    """Reference 60: a sentence with failure wording is skipped, whatever its confidence."""
    line = told(f"cannot access {DESKTOP}: No such file or directory", evidence_count=10)
    assert reason([line]) is Reason.NOTHING_KNOWN
    assert decide("ls ~/Desktop", "bash", [line, seen(DESKTOP)], machine(DESKTOP)).action == "rewrite"


@pytest.mark.parametrize("path", [DESKTOP, HOME])
def test_a_path_that_is_marked_invalid_is_not_used(path: str) -> None:
    """Reference 57 and 58; a broken folder above counts too."""
    assert reason([seen(DESKTOP), broken(path)]) is Reason.MARKED_INVALID


def test_an_old_report_of_a_broken_path_no_longer_counts() -> None:
    facts = [seen(DESKTOP), broken(DESKTOP, status=Status.STALE)]
    assert decide("ls ~/Desktop", "bash", facts, machine(DESKTOP)).action == "rewrite"


def test_a_folder_that_is_not_there_now() -> None:
    assert reason([seen(DESKTOP)], host=machine(HOME)) is Reason.FOLDER_MISSING


def test_a_windows_path_never_enters_a_posix_shell() -> None:
    assert reason([seen(r"C:\Users\ida\Desktop")]) is Reason.FOREIGN_FLAVOUR


def test_a_posix_path_never_enters_cmd() -> None:
    decision = decide(r"dir %USERPROFILE%\Desktop", "cmd", [seen(DESKTOP)], machine(DESKTOP))
    assert (decision.action, decision.reason) == ("pass", Reason.FOREIGN_FLAVOUR)


def test_a_folder_of_somebody_else_is_not_mine() -> None:
    for other in (seen("/home/bo/Desktop"), answered("/home/bo/Desktop"), told("/home/bo/Desktop", Category.ARTIFACT)):
        assert reason([other], host=machine("/home/bo/Desktop")) is Reason.OUTSIDE_HOME


@pytest.mark.parametrize(
    "path",
    ["/etc", "/", "/home", HOME, "/home/ida2", "/root", "/data/Desktop", f"{HOME}/../bo/Desktop", f"{HOME}/.ssh",
     f"{HOME}/.config/Desktop", f"{HOME}/Library/Desktop"],
)  # fmt: skip
@pytest.mark.parametrize("rank", ["system", "user", "pinned", "written"])
def test_no_rank_sends_a_command_out_of_the_home(path: str, rank: str) -> None:
    """With no ~/Desktop, `cat ~/Desktop/*` became `cat /etc/*`."""
    facts = {
        "system": answered(path),
        "user": seen(path, role=Role.USER, value=BY_USER),
        "pinned": seen(path, pinned=True, value=BY_SYSTEM),
        "written": told(f"My Desktop folder is at {path}"),
    }
    assert decide("cat ~/Desktop/*", "bash", [facts[rank]], machine(HOME, path)).action == "pass"
    assert decide("cat $(xdg-user-dir DESKTOP)/*", "bash", [facts[rank]], machine(HOME, path)).action == "pass"


def test_a_folder_that_the_system_names_now_may_lie_elsewhere() -> None:
    moved = "/data/ida/Desktop"
    now = {Folder.DESKTOP: moved}
    decision = decide("ls ~/Desktop", "bash", [answered(moved)], machine(HOME, moved, located=now))
    assert decision.command == f"ls {moved}"
    assert reason([answered(moved)], host=machine(HOME, moved)) is Reason.OUTSIDE_HOME
    for never in ("/", "/etc/ida", "/home/bo/Desktop", "/home", "/Desktop", "/data/.secret/Desktop"):
        host = machine(HOME, never, located={Folder.DESKTOP: never})
        assert decide("ls ~/Desktop", "bash", [answered(never)], host).action == "pass"


def test_a_home_that_can_be_nobodys_has_no_folders() -> None:
    for home in ("/", "/home", "/etc"):
        assert (
            decide("ls ~/Desktop", "bash", [seen(f"{home}/x/Desktop")], machine(f"{home}/x/Desktop", home=home)).action
            == "pass"
        )


@pytest.mark.parametrize(
    "path",
    ["C:\\Windows\\Desktop", "C:\\", "C:\\Users", WINDOWS_HOME, "C:\\Users\\bo\\Desktop", "D:\\Desktop",
     f"{WINDOWS_HOME}\\AppData\\Roaming\\Desktop", f"{WINDOWS_HOME}\\.aws"],
)  # fmt: skip
def test_nor_on_windows(path: str) -> None:
    decision = decide(r"type %USERPROFILE%\Desktop\*", "cmd", [answered(path)], windows(path))
    assert decision.reason in (Reason.OUTSIDE_HOME, Reason.NOTHING_KNOWN)


def test_a_link_that_leads_out_of_the_home_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, outside = tmp_path / "home" / "ida", tmp_path / "outside"
    (home / "Arbeit").mkdir(parents=True)
    outside.mkdir()
    (home / "Desktop").symlink_to(outside)
    (home / "Schreibtisch").symlink_to(home / "Arbeit")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    assert reason([answered(str(home / "Desktop"))], host=this_host()) is Reason.OUTSIDE_HOME
    (home / "Desktop").unlink()
    decision = decide("ls ~/Desktop", "bash", [answered(str(home / "Schreibtisch"))], this_host())
    assert decision.command == f"ls {home}/Schreibtisch"


def test_the_users_own_configuration_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, disk = tmp_path / "home" / "ida", tmp_path / "disk" / "Arbeit"
    (home / ".config").mkdir(parents=True)
    disk.mkdir(parents=True)
    (home / ".config" / "user-dirs.dirs").write_text(f'XDG_DESKTOP_DIR="{disk}"\n', encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.delenv("XDG_DESKTOP_DIR", raising=False)
    if this_host().located(Folder.DESKTOP) != str(disk):
        pytest.skip("this system does not keep its folders there")
    assert decide("ls ~/Desktop", "bash", [answered(str(disk))], this_host()).command == f"ls {disk}"
    assert reason([answered(str(disk), Folder.MUSIC)], "ls ~/Music", host=this_host()) is Reason.OUTSIDE_HOME


def test_two_folders_that_are_there_leave_it_open() -> None:
    elsewhere = answered(f"{HOME}/data/Desktop")
    assert reason([elsewhere], host=machine(DESKTOP, f"{HOME}/data/Desktop")) is Reason.AMBIGUOUS


def test_a_translated_folder_is_found_when_the_usual_one_is_not_there() -> None:
    host = machine(HOME, f"{HOME}/Schreibtisch")
    decision = decide("ls ~/Desktop", "bash", [answered(f"{HOME}/Schreibtisch")], host)
    assert decision.command == "ls /home/ida/Schreibtisch"


def test_of_two_answers_of_the_system_the_newer_holds() -> None:
    old, new = f"{HOME}/a/Desktop", f"{HOME}/b/Desktop"
    facts = [answered(old, last_validated_at=EARLY), answered(new, last_validated_at=LATE)]
    decision = decide("ls ~/Desktop", "bash", facts, machine(old, new))
    assert decision.command == f"ls {new}"


@pytest.mark.parametrize(
    "command", ["cd ~/Desktop", "D=~/Desktop", "cd ~/Desktop && ls", 'for f in ~/Desktop/*; do cat "$f"; done']
)
def test_what_later_commands_work_on_is_not_sent_elsewhere(command: str) -> None:
    """`rm -rf *` may be the next command in the same shell."""
    there = f"{HOME}/Schreibtisch"
    assert reason([answered(there)], command, host=machine(HOME, there)) is Reason.OUTLASTS_COMMAND
    decision = decide(command, "bash", [answered(DESKTOP)], machine(HOME, DESKTOP))
    assert decision.command == command.replace("~/Desktop", DESKTOP)


@pytest.mark.parametrize(
    "command",
    ["mv ~/Desktop/* /srv/old/", "cp ~/Desktop/a b", "rm -rf ~/Desktop", "rsync -a ~/Desktop/ b", "ln -s ~/Desktop/a b",
     "cat a | tee ~/Desktop/b", "dd if=a of=$HOME/Desktop/b", "git -C ~/Desktop clean -fd", "busybox ls ~/Desktop",
     "sudo ls ~/Desktop", "env ls ~/Desktop", "ls ~/Desktop | xargs rm", "find ~/Desktop -exec rm {} +",
     "find ~/Desktop -delete", "sort -ro b ~/Desktop/a", "ls > b ~/Desktop", "cat ~/Desktop/a > b",
     "cd ~/Desktop; rm *",
     "mkdir ~/Desktop", "touch ~/Desktop/a", "chmod 700 ~/Desktop", "~/Desktop/run.sh", "frobnicate ~/Desktop",
     "ls ~/Desktop & frobnicate", "echo $(rm a) ~/Desktop", "PATH=. ls ~/Desktop", "ls() { rm a; }; ls ~/Desktop",
     "sed -i s/a/b/ ~/Desktop/a", "awk '{system($0)}' ~/Desktop/a", "sort $options ~/Desktop/a", "./ls ~/Desktop"],
)  # fmt: skip
def test_a_command_that_may_do_more_than_read_is_not_changed(command: str) -> None:
    for dialect in ("bash", "dash", "zsh"):
        decision = decide(command, dialect, [answered(DESKTOP)], machine(HOME, DESKTOP))
        assert (decision.action, decision.command) == ("pass", command)


@pytest.mark.parametrize(
    ("dialect", "command"),
    [
        ("powershell", 'Remove-Item "$HOME\\Desktop\\a.txt"'),
        ("powershell", 'gci "$HOME\\Desktop" | % Delete'),
        ("powershell", 'gci "$HOME\\Desktop" | % { $_.Delete() }'),
        ("powershell", 'gci "$HOME\\Desktop" 2>err.txt'),
        ("powershell", 'gc "$HOME\\Desktop\\a" > b'),
        ("powershell", 'gc "$HOME\\Desktop\\a"; $env:PATH = "x"'),
        ("powershell", '& "$HOME\\Desktop\\a.exe"'),
        ("powershell", 'cd "$HOME\\Desktop"; del *'),
        ("cmd", 'del "%USERPROFILE%\\Desktop\\a"'),
        ("cmd", 'type "%USERPROFILE%\\Desktop\\a" > b'),
        ("cmd", 'cd "%USERPROFILE%\\Desktop" & del /q *'),
        ("cmd", 'if exist "%USERPROFILE%\\Desktop\\a" del b'),
        ("cmd", 'dir "%USERPROFILE%\\Desktop" & %X%'),
        ("cmd", 'x\\dir.exe "%USERPROFILE%\\Desktop"'),
    ],
)
def test_nor_one_of_windows(dialect: str, command: str) -> None:
    desktop = f"{WINDOWS_HOME}\\Desktop"
    assert decide(command, dialect, [answered(desktop)], windows(desktop)).reason is Reason.NOT_READ_ONLY


def test_a_home_that_is_not_known() -> None:
    assert reason([seen(DESKTOP)], host=machine(DESKTOP, home="")) is Reason.OUTSIDE_HOME


def test_a_variable_counts_only_when_it_is_set() -> None:
    command = 'ls "$XDG_DESKTOP_DIR"'
    assert reason([seen(DESKTOP)], command) is Reason.VARIABLE_NOT_SET
    host = machine(DESKTOP, XDG_DESKTOP_DIR=DESKTOP)
    assert decide(command, "bash", [seen(DESKTOP)], host).command == 'ls "/home/ida/Desktop"'
    assert reason([seen(DESKTOP)], command, host=machine(DESKTOP, XDG_DESKTOP_DIR="/x")) is Reason.AMBIGUOUS


def test_what_the_system_would_answer_is_what_it_answered() -> None:
    command = 'ls "$(xdg-user-dir DESKTOP)"/a'
    assert decide(command, "bash", [answered(DESKTOP)], machine(DESKTOP)).action == "rewrite"
    assert reason([seen(DESKTOP)], command) is Reason.NOT_TRUSTED
    now = {Folder.DESKTOP: f"{HOME}/Schreibtisch"}
    moved = machine(DESKTOP, f"{HOME}/Schreibtisch", located=now)
    assert reason([answered(DESKTOP)], command, host=moved) is Reason.AMBIGUOUS


def test_onedrive_moves_the_desktop() -> None:
    """Reference 51: the executed meaning, not its nested quotes."""
    path = r"C:\Users\ida\OneDrive - Shop\Desktop"
    command = r'Get-ChildItem "$env:USERPROFILE\Desktop" | Select-Object Name'
    decision = decide(command, "powershell", [seen(path)], windows(path))
    assert decision.command == rf'Get-ChildItem "{path}" | Select-Object Name'


def test_folders_of_several_systems_do_not_disturb_each_other() -> None:
    facts = [seen(r"C:\Users\ida\Desktop"), seen(DESKTOP)]
    assert decide("ls ~/Desktop", "bash", facts, machine(DESKTOP)).command == f"ls {DESKTOP}"


def test_a_file_in_the_folder_is_not_the_folder() -> None:
    """Reference 53."""
    file = seen(f"{DESKTOP}/notes.txt", topic="", role=Role.USER)
    assert reason([file]) is Reason.NOTHING_KNOWN


def test_advice_for_a_path_that_is_known_to_be_broken() -> None:
    facts = [
        broken("/srv/app/conf/app.toml", last_validated_at=EARLY),
        told("/srv/app/config/app.toml", Category.ARTIFACT, last_validated_at=LATE),
    ]
    command = "cat /srv/app/conf/app.toml"
    decision = decide(command, "bash", facts, machine("/srv/app/config/app.toml"))
    assert (decision.action, decision.reason, decision.command) == ("pass", Reason.INVALID_PATH_NAMED, command)
    assert decision.advice == (
        "/srv/app/conf/app.toml was reported as not usable; memory knows /srv/app/config/app.toml, which is there now."
    )


@pytest.mark.parametrize(
    "there",
    [("/srv/app/conf/app.toml", "/srv/app/config/app.toml"), ()],
    ids=["the broken path is back", "the right one is gone too"],
)
def test_no_advice_that_is_not_true_now(there: tuple[str, ...]) -> None:
    facts = [broken("/srv/app/conf/app.toml"), told("/srv/app/config/app.toml", Category.ARTIFACT)]
    decision = decide("cat /srv/app/conf/app.toml", "bash", facts, machine(*there))
    assert (decision.reason, decision.advice) == (Reason.NO_PROBE, "")
