"""Where Desktop, Documents and their like are on this machine: what a command that looked for one of them proves.

Only commands whose output can come from nothing else count, and only from the host's own tools; what a text merely says
is no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from cfpm.extractor.authorities import OwnTool
from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import Work
from cfpm.model import Category, Draft
from cfpm.model.known_folders import BY_SYSTEM, NAMES, SPECIAL, TOPIC, XDG, Folder, folder_named
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.failures import may_have_failure
from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import Flavour, flavour_of, is_absolute, is_symbolic, segments

_MAX_COMMAND = 400
"""Characters; a longer command does more than look for a folder."""

_MAX_ANSWER = 1_024
"""Characters of an output that is one path, with its line end."""

_ERROR_HEAD = 400
"""Characters of an output in which an error opens it; further down, names of files may look like one."""

_NAMES = "|".join(NAMES)
_HOME = r"(?:~|\$HOME|\$\{HOME\}|\$env:USERPROFILE|\$env:HOME|%USERPROFILE%)"
_ASKS = (
    lazy_pattern(r"xdg-user-dir\s+(?P<xdg>[A-Z]+)"),
    lazy_pattern(
        r"\(?\[(?:System\.)?Environment\]::GetFolderPath\(\s*['\"]?"
        r"(?:\[(?:System\.)?Environment\+SpecialFolder\]::)?(?P<special>\w+)['\"]?\s*\)\)?",
        re.IGNORECASE,
    ),
)
"""Commands that ask the system itself and do nothing else."""

_RESOLVES = lazy_pattern(
    rf"(?:(?:echo|printf\s+['\"]?%s(?:\\n)?['\"]?|realpath|readlink\s+-f|Write-Output|Write-Host)\s+"
    rf"|(?:cd|pushd)\s+(?=\S+\s*(?:&&|;)\s*pwd\b)|\(?Resolve-Path\s+(?:-Path\s+)?)?"
    rf"[\"']?{_HOME}[/\\](?P<name>{_NAMES})[/\\]?[\"']?(?:\)?\.Path)?(?:\s*(?:&&|;)\s*pwd(?:\s+-P)?)?",
    re.IGNORECASE,
)
"""Commands that print the folder of this name in the home folder, as the shell sees it."""

_FINDS = lazy_pattern(
    rf"(?:find\s+[^|;&`$<>]*-i?name\s+['\"]?(?P<find>{_NAMES})['\"]?[^|;&`$<>]*(?:2>\s*/dev/null)?\s*"
    r"(?:\|\s*head(?:\s+-n?\s*\d+)?)?"
    rf"|(?:Get-ChildItem|gci|dir|ls)\s+[^|;&`<>]*-Filter\s+['\"]?(?P<filter>{_NAMES})['\"]?[^;&`<>]*)",
    re.IGNORECASE,
)
_SHOWS = lazy_pattern(
    rf"(?:ls|ll|dir|tree|find|du|stat|Get-ChildItem|gci|Get-Item)\b[^|;&`<>]*?{_HOME}[/\\](?P<name>{_NAMES})\b[^|;&`<>]*"
    r"(?:2>\s*(?:/dev/null|&1)|\|\s*(?:head|tail|sort)\b[^|;&`<>]*)*",
    re.IGNORECASE,
)
"""Commands that look into the folder of this name in the home folder; some print where that is."""

_SHOWN = lazy_pattern(
    rf"^(?:\s*Directory(?: of|:)\s+(?P<windows>[A-Za-z]:\\[^\n]*?\\(?:{_NAMES}))\s*$"
    rf"|(?P<posix>/[^\n:]*?/(?:{_NAMES}))(?=[/:\n]|$))",
    re.MULTILINE,
)
_MAX_SHOWN = 2_000
"""Characters of an output in which the place stands."""

_LISTS = lazy_pattern(
    r"(?:(?:cd|pushd|Set-Location)\s+[^|;&`$<>]+\s*(?:&&|;)\s*)?(?:ls|ll|dir|tree|stat|du|test\s+-d|Get-ChildItem|gci|Get-Item|Test-Path)\b[^|;&`<>]*"
    r"(?:2>\s*(?:/dev/null|&1)|\|\s*(?:head|tail|wc|sort|Select-Object|Format-\w+|ft|fl|select|Sort-Object)\b[^|;&`<>]*)*",
    re.IGNORECASE,
)


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """The known folder whose place this call shows, if it does."""
    call, result = outcome.call, outcome.message.tool_result
    if call is None or outcome.own is None or outcome.ok is False or (result is not None and result.failed):
        return
    if outcome.work is Work.EDIT and call.path:
        yield from _written(outcome, call.path)
        return
    if outcome.own is not OwnTool.SHELL:
        return
    command = (call.command or "").strip()
    if not command or len(command) > _MAX_COMMAND or not _MENTIONS.search(command):
        return
    yield from _answered(outcome, command) or _shown(outcome, command) or _listed(outcome, command)


_MENTIONS = lazy_pattern(rf"{_NAMES}|xdg-user-dir|GetFolderPath", re.IGNORECASE)


def _answered(outcome: Outcome, command: str) -> tuple[Draft, ...]:
    """The one path that a command prints whose only purpose is to print it."""
    text = outcome.message.text
    path = text.strip()
    if not path or len(text) > _MAX_ANSWER or "\n" in path or not is_absolute(path) or is_symbolic(path):
        return ()
    for asked in _ASKS:
        if found := asked.fullmatch(command):
            names = found.groupdict()
            folder = XDG.get(names.get("xdg") or "") or SPECIAL.get((names.get("special") or "").lower())
            return (_draft(outcome, path, folder, "artifact.folder_answer", BY_SYSTEM),) if folder else ()
    resolved = _RESOLVES.fullmatch(command)
    if found := resolved or _FINDS.fullmatch(command):
        named = next((value for value in found.groupdict().values() if value), "")
        folder, answer = folder_named(named, windows=True), _folder_of(path)
        # What a shell resolves may have another name, such as a translated one, but not that of another folder.
        if folder and (answer is folder or (resolved and answer is None)):
            return (_draft(outcome, path, folder, "artifact.folder_answer"),)
    return ()


def _shown(outcome: Outcome, command: str) -> tuple[Draft, ...]:
    """The place of a folder of the home folder, as the output of a look into it names it."""
    asked = _SHOWS.fullmatch(command)
    folder = folder_named(asked["name"], windows=True) if asked else None
    if folder is None or may_have_failure(outcome.message.text[:_ERROR_HEAD]):
        return ()
    found = {match["windows"] or match["posix"] for match in _SHOWN.finditer(outcome.message.text[:_MAX_SHOWN])}
    if len(found) != 1 or _folder_of(path := found.pop()) is not folder:
        return ()
    return (_draft(outcome, path, folder, "artifact.folder_listed"),)


def _listed(outcome: Outcome, command: str) -> tuple[Draft, ...]:
    """The one absolute known folder that a listing named and found."""
    text = outcome.message.text
    if not _LISTS.fullmatch(command) or may_have_failure(text[:_ERROR_HEAD]) or text.strip().lower() == "false":
        return ()
    paths = [found.path.rstrip("/\\") for found in find_paths(command)]
    if len(paths) != 1 or not is_absolute(paths[0]) or is_symbolic(paths[0]):
        return ()
    folder = _folder_of(paths[0])
    return (_draft(outcome, paths[0], folder, "artifact.folder_listed"),) if folder else ()


def _written(outcome: Outcome, path: str) -> Iterator[Draft]:
    """The known folder of a home folder in which a write succeeded."""
    if not outcome.ok or not is_absolute(path):
        return
    windows = flavour_of(path) is not Flavour.POSIX
    found = (_WINDOWS_HOME if windows else _POSIX_HOME).match(path)
    folder = folder_named(found["name"], windows=windows) if found else None
    if found and folder:
        yield _draft(outcome, found[0].rstrip("/\\"), folder, "artifact.folder_written")


_POSIX_HOME = lazy_pattern(r"(?:/root|/home/[^/]+|/Users/[^/]+)/(?P<name>[^/]+)/(?=[^/])")
_WINDOWS_HOME = lazy_pattern(
    r"[A-Za-z]:[\\/]Users[\\/][^\\/]+[\\/](?:OneDrive[^\\/]*[\\/])?(?P<name>[^\\/]+)[\\/](?=[^\\/])", re.IGNORECASE
)


def _folder_of(path: str) -> Folder | None:
    parts = segments(path)
    windows = flavour_of(path) is not Flavour.POSIX
    return folder_named(parts[-1], windows=windows) if len(parts) > 1 else None


def _draft(outcome: Outcome, path: str, folder: Folder, rule: str, value: str = "") -> Draft:
    at = outcome.message.text.find(path)
    draft = outcome.draft(Category.ARTIFACT, path, (at, at + len(path)) if at >= 0 else (0, 0), rule, 0.85, path)
    return replace(draft, topic=TOPIC + folder, value=value)
