"""Where the known folders are: which commands prove it, and which outputs are only text."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfpm import Memory
from cfpm.model import Category, Fact
from tests.reference.transcripts import ran, user, wrote


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory.open(f"sqlite:///{tmp_path / 'memory.db'}")


def folders(memory: Memory, command: str, text: str) -> list[Fact]:
    """The facts about known folders after a shell ran this command with this output."""
    memory.observe(
        [user("Look for it, please."), *ran(command, text, at=f"2026-11-21T09:0{len(memory.candidates())}:00Z")]
    )
    return [fact for fact in memory.facts(category=Category.ARTIFACT) if fact.topic.startswith("folder:")]


@pytest.mark.parametrize(
    ("command", "text", "path", "topic"),
    [
        ("xdg-user-dir DESKTOP", "/home/ida/Schreibtisch\n", "/home/ida/Schreibtisch", "folder:desktop"),
        ("xdg-user-dir DOWNLOAD", "/home/ida/Downloads\n", "/home/ida/Downloads", "folder:downloads"),
        (
            "[Environment]::GetFolderPath('MyDocuments')",
            "C:\\Users\\ida\\OneDrive\\Dokumente\r\n",
            "C:\\Users\\ida\\OneDrive\\Dokumente",
            "folder:documents",
        ),
    ],
)
def test_what_the_system_answers_is_known_as_such(
    memory: Memory, command: str, text: str, path: str, topic: str
) -> None:
    (fact,) = folders(memory, command, text)
    assert (fact.content, fact.topic, fact.value) == (path, topic, "system")
    assert fact.validation_command == command


@pytest.mark.parametrize(
    ("command", "text", "path"),
    [
        ("ls -la /home/ida/Desktop", "total 4\n-rw-r--r-- 1 ida ida 12 notes.txt\n", "/home/ida/Desktop"),
        ("ls '/home/ida bo/Desktop' | head -5", "notes.txt\n", "/home/ida bo/Desktop"),
        ("ls /home/ida/Desktop", "", "/home/ida/Desktop"),
        ("ls -d ~/Desktop", "/home/ida/Desktop\n", "/home/ida/Desktop"),
        ("echo $HOME/Music", "/home/ida/Music\n", "/home/ida/Music"),
        ("cd ~/Pictures && pwd", "/home/ida/Pictures\n", "/home/ida/Pictures"),
        ("realpath ~/Desktop", "/data/ida/Desktop\n", "/data/ida/Desktop"),
        ("find ~/Desktop -maxdepth 1", "/home/ida/Desktop\n/home/ida/Desktop/a.txt\n", "/home/ida/Desktop"),
        ("find / -type d -name Desktop 2>/dev/null | head -1", "/home/ida/Desktop\n", "/home/ida/Desktop"),
        (
            "Get-ChildItem $env:USERPROFILE\\Desktop",
            "\r\n    Directory: C:\\Users\\ida\\Desktop\r\n\r\nMode  Name\r\n-a--  a.txt\r\n",
            "C:\\Users\\ida\\Desktop",
        ),
        (
            "dir %USERPROFILE%\\Desktop",
            " Directory of C:\\Users\\ida\\Desktop\r\n\r\n a.txt\r\n",
            "C:\\Users\\ida\\Desktop",
        ),
    ],
)
def test_a_look_into_a_folder_shows_where_it_is(memory: Memory, command: str, text: str, path: str) -> None:
    (fact,) = folders(memory, command, text)
    assert (fact.content, fact.value) == (path, "")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("curl https://example.org/where", "/home/eve/Desktop\n"),
        ("cat notes.txt", "/home/eve/Desktop\n"),
        ("xdg-user-dir DESKTOP; cat notes.txt", "/home/eve/Desktop\n"),
        ("echo $(cat notes.txt)/Desktop", "/home/eve/Desktop\n"),
        ("ls /home/ida/Desktop", "ls: cannot access '/home/ida/Desktop': No such file or directory\n"),
        ("ls /home/ida/Desktop /home/ida/Music", "a.txt\n"),
        ("ls /home/ida/project", "a.txt\n"),
        ("ls /home/ida/desktop-old", "a.txt\n"),
        ("ls ~/Desktop", "a.txt\n"),
        ("find / -name Desktop", "/home/ida/Desktop\n/home/bo/Desktop\n"),
        ("Test-Path C:\\Users\\ida\\Desktop", "False\r\n"),
        ("xdg-user-dir DESKTOP", "$HOME/Desktop\n"),
        ("xdg-user-dir NOWHERE", "/home/ida\n"),
    ],
)
def test_what_proves_no_place_is_no_place(memory: Memory, command: str, text: str) -> None:
    assert folders(memory, command, text) == []


def test_a_failed_call_proves_nothing(memory: Memory) -> None:
    memory.observe([user("Go."), *ran("ls /home/ida/Desktop", "a.txt", is_error=True)])
    assert memory.facts(category=Category.ARTIFACT) == []


def test_a_write_that_succeeded_shows_the_folder(memory: Memory) -> None:
    memory.observe([user("Write it."), *wrote("/home/ida/Desktop/a.txt")])
    assert "/home/ida/Desktop" in [fact.content for fact in memory.facts(category=Category.ARTIFACT) if fact.topic]


def test_a_user_may_say_where_a_folder_is(memory: Memory) -> None:
    memory.observe([user("My Videos folder is at /data/ida/Filme. Put the clips there.")])
    assert [f.topic for f in memory.facts(category=Category.ARTIFACT)] == ["folder:videos"]


def test_what_the_system_said_outlasts_a_later_look(memory: Memory) -> None:
    folders(memory, "xdg-user-dir DESKTOP", "/home/ida/Desktop\n")
    (fact,) = folders(memory, "ls /home/ida/Desktop", "a.txt\n")
    assert (fact.value, fact.evidence_count) == ("system", 2)
