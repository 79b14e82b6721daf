"""The machines that the benchmark plays: what they have, and what memory knows of their folders."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.gate.sandbox import FOLDERS, Sandbox
from cfpm.gate.host import Host
from cfpm.model import Category, Fact, Role
from cfpm.model.known_folders import BY_SYSTEM, NAMES, TOPIC
from cfpm.paths.grammar import canonical

WINDOWS_HOME = "C:\\Users\\ida"


@dataclass(frozen=True, slots=True)
class Machine:
    """A host with the facts that a memory has learnt on it."""

    host: Host
    facts: tuple[Fact, ...]


def posix(sandbox: Sandbox) -> Machine:
    """A home with all folders under their usual names, as the sandbox has them."""
    home = str(sandbox.home)
    paths = {name: f"{home}/{name}" for name in FOLDERS}
    there = set(paths.values())
    host = Host(False, home, there.__contains__, str, {"HOME": home, **sandbox.xdg()}, exists=there.__contains__)
    # Movies is what macOS calls Videos: a second place of the same folder, which only its own name means.
    return Machine(host, tuple(known(name, path, system=name != "Movies") for name, path in paths.items()))


def windows(*, onedrive: bool) -> Machine:
    """A home with all folders under their usual names; `onedrive`: Desktop, Documents and Pictures were moved there."""
    moved = {"Desktop", "Documents", "Pictures"} if onedrive else set[str]()
    paths = {
        name: f"{WINDOWS_HOME}\\OneDrive - Shop\\{name}" if name in moved else f"{WINDOWS_HOME}\\{name}"
        for name in FOLDERS
        if name != "Movies"
    }
    there = {path.lower() for path in paths.values()}
    variables = {
        "USERPROFILE": WINDOWS_HOME,
        "HOMEDRIVE": "C:",
        "SystemDrive": "C:",
        "HOMEPATH": WINDOWS_HOME[2:],
    }
    located = {NAMES[name]: path for name, path in paths.items()}
    host = Host(
        True,
        WINDOWS_HOME,
        lambda path: path.replace("/", "\\").rstrip("\\").lower() in there,
        str,
        variables,
        located.get,
    )
    return Machine(host, tuple(known(name, path, system=True) for name, path in paths.items()))


def windows_folders(machine: Machine) -> dict[str, str]:
    """Where each folder is on this machine, by its usual name."""
    return {fact.id.removeprefix("fact_"): fact.content for fact in machine.facts}


def known(name: str, path: str, *, system: bool) -> Fact:
    """The fact that a folder lies there, as the system said or as somebody saw."""
    return Fact(
        f"fact_{name}",
        "default",
        Category.ARTIFACT,
        canonical(path),
        path,
        topic=TOPIC + NAMES[name],
        value=BY_SYSTEM if system else "",
        role=Role.TOOL,
        validation_command=f"ls {path}",
    )
