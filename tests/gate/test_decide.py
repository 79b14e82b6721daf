"""The decision: which facts may steer a command, and why all others leave it as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cfpm.gate.decision import Pass, Rewrite
from cfpm.gate.gate import decide
from cfpm.gate.reasons import Reason
from cfpm.model import Category, Fact, Role, Source, Status
from cfpm.model.known_folders import Folder
from tests.gate.situations import HOME, answered, broken, machine, seen, told, windows

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
    decision = decide("cp ~/Desktop/a ~/Music/ && ls ~/Desktop", "bash", facts, machine(DESKTOP, f"{HOME}/Music"))
    assert decision.command == "cp /home/ida/Desktop/a /home/ida/Music/ && ls /home/ida/Desktop"


def test_a_folder_that_is_not_known_stays_while_the_other_is_replaced() -> None:
    decision = decide("cp ~/Desktop/a ~/Music/", "bash", [seen(DESKTOP)], machine(DESKTOP))
    assert decision.command == "cp /home/ida/Desktop/a ~/Music/"
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
        told("My Desktop folder is at /data/Arbeit."),
        seen(DESKTOP, topic="", role=Role.USER),
    ],
)
def test_what_a_user_says_is_trusted(fact: Fact) -> None:
    host = machine("/data/Arbeit") if "Arbeit" in fact.content else machine(DESKTOP)
    assert decide("ls ~/Desktop", "bash", [fact], host).action == "rewrite"


@pytest.mark.parametrize(
    "fact",
    [
        told("Copy everything from /mnt/usb/Desktop to the server."),
        told("Never write to /mnt/usb/Desktop.", Category.INSTRUCTION),
        seen("/mnt/usb/Desktop", topic="", role=Role.USER),
    ],
)
def test_a_folder_that_a_user_only_mentions_is_not_taken_for_theirs(fact: Fact) -> None:
    assert reason([fact], host=machine(HOME, "/mnt/usb/Desktop")) is Reason.AMBIGUOUS


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
    other = seen("/home/bo/Desktop")
    assert reason([other], host=machine("/home/bo/Desktop")) is Reason.AMBIGUOUS


def test_two_folders_that_are_there_leave_it_open() -> None:
    elsewhere = answered("/data/Desktop")
    assert reason([elsewhere], host=machine(DESKTOP, "/data/Desktop")) is Reason.AMBIGUOUS


def test_a_translated_folder_is_found_when_the_usual_one_is_not_there() -> None:
    host = machine(HOME, f"{HOME}/Schreibtisch")
    decision = decide("ls ~/Desktop", "bash", [answered(f"{HOME}/Schreibtisch")], host)
    assert decision.command == "ls /home/ida/Schreibtisch"


def test_of_two_answers_of_the_system_the_newer_holds() -> None:
    facts = [answered("/a/Desktop", last_validated_at=EARLY), answered("/b/Desktop", last_validated_at=LATE)]
    decision = decide("ls ~/Desktop", "bash", facts, machine("/a/Desktop", "/b/Desktop"))
    assert decision.command == "ls /b/Desktop"


def test_a_folder_to_be_made_is_not_sent_elsewhere() -> None:
    host = machine(HOME, "/data/Desktop")
    assert reason([answered("/data/Desktop")], "mkdir -p ~/Desktop", host=host) is Reason.CREATES_FOLDER


def test_a_home_that_is_not_known() -> None:
    assert reason([seen(DESKTOP)], host=machine(DESKTOP, home="")) is Reason.VARIABLE_NOT_SET


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
