"""Puts the hook into a settings file of Claude Code, and takes it out again. Touches nothing else in it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from cfpm.cli.location import database_url, sqlite_file
from cfpm.errors import InputError
from cfpm_adapters.claude_code.event import SHELLS, Options

Settings = dict[str, Any]

SHELL_TOOLS = "|".join(SHELLS)
LEARNT_TOOLS = "|".join((*SHELLS, "Write", "Edit", "MultiEdit", "NotebookEdit"))
"""What is learnt from: tools whose results show where things are, or that made them."""

GATE_TIMEOUT = 5
"""Seconds after which the host ends the hook before a call; the hook itself takes a quarter of one at most."""

LEARN_TIMEOUT = 60
"""Seconds for the hook after a call, which waits for other writers; the host does not wait for it."""

_HOST = ("hook", "claude-code")
_REMEDY = "Correct the file, or name another one with --settings"


def user_settings() -> Path:
    """The settings of this user, for all projects."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "settings.json"


def project_settings() -> Path:
    """The settings of the project in the working directory."""
    return Path.cwd() / ".claude" / "settings.json"


def hook_command(options: Options) -> str:
    """The command for the settings file, quoted for a shell, the same from any working directory."""
    words = [*_program(), *_HOST]
    if options.db is not None:
        words += ["--db", _absolute(options.db)]
    if options.namespace != Options().namespace:
        words += ["--namespace", options.namespace]
    if options.permission != Options().permission:
        words += ["--permission", options.permission]
    return shlex.join(words)


def install(path: Path, command: str) -> bool:
    """Puts the hooks into a settings file, made if there is none; True if that changed it. Raises InputError."""
    text = _text_of(path)
    settings, changed = _parsed(text, path), _parsed(text, path)
    for event, group in _groups(command).items():
        _place(_event_groups(changed, event, path), group)
    return _write(path, changed, text) if changed != settings else False


def uninstall(path: Path) -> bool:
    """Takes the hooks out of a settings file; True if that changed it. Raises InputError."""
    text = _text_of(path)
    settings, changed = _parsed(text, path), _parsed(text, path)
    hooks = _hooks_of(changed, path) if "hooks" in changed else {}
    for event in _groups(""):
        if event in hooks and _drop(_event_groups(changed, event, path)):
            del hooks[event]
    if changed != settings and not hooks:
        del changed["hooks"]
    return _write(path, changed, text) if changed != settings else False


def _groups(command: str) -> dict[str, Settings]:
    def group(matcher: str, **more: object) -> Settings:
        return {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}

    learn = {"timeout": LEARN_TIMEOUT, "async": True}
    return {
        "PreToolUse": group(SHELL_TOOLS, timeout=GATE_TIMEOUT),
        "PostToolUse": group(LEARNT_TOOLS, **learn),
        "PostToolUseFailure": group(LEARNT_TOOLS, **learn),
    }


def _program() -> list[str]:
    script = Path(sys.executable).with_name("cfpm.exe" if os.name == "nt" else "cfpm")
    if script.is_file():
        return [str(script)]
    # -P: the hook runs in the user's project, whose files must not be imported.
    return [sys.executable, "-P", "-m", "cfpm"]


def _absolute(db: str) -> str:
    url = database_url(db)
    file = sqlite_file(url)
    return str(file.absolute()) if file is not None else url


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    at = next((n for n in range(len(words) - 1) if tuple(words[n : n + 2]) == _HOST), 0)
    return at > 0 and Path(words[at - 1].replace("\\", "/")).stem == "cfpm"


def _hooks_of(settings: Settings, path: Path) -> Settings:
    hooks = settings.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise InputError(str(path), f"`hooks` is a {type(hooks).__name__}, not an object", _REMEDY)
    return hooks


def _event_groups(settings: Settings, event: str, path: Path) -> list[Settings]:
    groups = _hooks_of(settings, path).setdefault(event, [])
    fits = isinstance(groups, list) and all(isinstance(g, dict) and isinstance(g.get("hooks"), list) for g in groups)
    if not fits:
        raise InputError(str(path), f"`hooks.{event}` is no list of objects with `hooks`", _REMEDY)
    found: list[Settings] = groups
    return found


def _place(groups: list[Settings], group: Settings) -> None:
    """Our own entry where it stands already, else at the end; it stands there once."""
    (ours,) = group["hooks"]
    for found in groups:
        for place, hook in enumerate(found["hooks"]):
            if _is_ours(hook):
                if len(found["hooks"]) == 1:
                    found["matcher"] = group["matcher"]
                found["hooks"][place] = ours
                _drop(groups, but=ours)
                return
    groups.append(group)


def _drop(groups: list[Settings], *, but: object = None) -> bool:
    """Takes our entries out, and the groups that held nothing else; True if no group is left because of that."""
    emptied = []
    for found in groups:
        kept = [hook for hook in found["hooks"] if hook is but or not _is_ours(hook)]
        if found["hooks"] and not kept:
            emptied.append(found)
        found["hooks"] = kept
    groups[:] = [found for found in groups if not any(found is empty for empty in emptied)]
    return bool(emptied) and not groups


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"not UTF-8 (byte {error.start})", _REMEDY) from error


def _parsed(text: str, path: Path) -> Settings:
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"not valid JSON ({error})", _REMEDY) from error
    if not isinstance(value, dict):
        raise InputError(str(path), f"a {type(value).__name__} instead of an object", _REMEDY)
    return value


def _write(path: Path, settings: Settings, before: str) -> bool:
    """The whole file or nothing, with the mode and the ends of lines that it had. A linked file stays a link."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(settings, ensure_ascii=False, indent=2) + ("\n" if before.endswith("\n") or not before else "")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        # A lone half of a character, written as an escape, is the one text that UTF-8 has no bytes for.
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text.replace("\n", "\r\n") if "\r\n" in before else text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return True
