"""Real agent hosts on a machine of their own: another home, a project, no network but the scripted model.

Where their programs are: on the path, or in the folders that CFPM_HOSTS names, between colons: of npm (its
`node_modules` is in it) or of an unpacked wheel of claude-agent-sdk.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cfpm_adapters.hosts.learners import settle

from cfpm import Memory
from tests.hosts.scripted import Model

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds for a session on a busy machine."""

_BUNDLED = {
    "claude": ["claude_agent_sdk/_bundled/claude"],
    "codex": ["node_modules/.bin/codex"],
    "gemini": ["node_modules/.bin/gemini"],
    "opencode": ["node_modules/opencode-linux-x64/bin/opencode", "node_modules/.bin/opencode"],
}
_TO_GET = {
    "claude": "python -m pip download claude-agent-sdk, unpacked",
    "codex": "npm install @openai/codex",
    "gemini": "npm install @google/gemini-cli",
    "opencode": "npm install opencode-ai",
}


def program(name: str) -> str:
    """The program, or the test is skipped by its name."""
    folders = [Path(folder) for folder in os.environ.get("CFPM_HOSTS", "").split(os.pathsep) if folder]
    places = [folder / place for folder in folders for place in _BUNDLED[name]]
    found = next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), shutil.which(name))
    if found is None:
        pytest.skip(f"{name} is not here: {_TO_GET[name]}, and CFPM_HOSTS names the folder")
    return found


@dataclass
class Machine:
    """A home with a project, a known desktop, and a host that has the memory."""

    folder: Path
    model: Model
    more: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in (self.project, self.home / "Desktop", self.bin):
            path.mkdir(parents=True)
        (self.home / "Desktop" / "plan.txt").write_text("x", encoding="utf-8")
        asked = self.bin / "xdg-user-dir"
        asked.write_text(f"#!/bin/sh\necho {self.home}/Desktop\n", encoding="utf-8")
        asked.chmod(0o755)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def database(self) -> Path:
        return self.home / ".local" / "share" / "cfpm" / "memory.db"

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(
            [str(self.bin), str(Path(shutil.which("node") or "/usr/bin/node").parent), "/usr/bin", "/bin"]
        )
        return {
            "HOME": str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "adapters"))),
            # A busy machine answers late.
            "CFPM_GATE_DEADLINE": "30",
            "CFPM_HOOK_DEADLINE": "60",
            **self.more,
        }

    def run(self, *words: str) -> str:
        """What a program prints, in the project."""
        done = subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        return done.stdout

    def install(self, host: str, *words: str) -> None:
        self.run(sys.executable, "-m", "cfpm", "install", host, "--permission", "allow", *words)

    def memory(self) -> Memory:
        """What the hooks have learnt, once the last of them is through."""
        assert settle(f"sqlite:///{self.database}", PATIENCE)
        return Memory.open(f"sqlite:///{self.database}", read_only=True)

    def failures(self) -> str:
        file = self.database.with_name("memory.db-hooks.jsonl")
        return file.read_text(encoding="utf-8") if file.is_file() else ""


class Host:
    """One host that is installed on a machine: `ask` is a session of one prompt."""

    name = ""
    start = True
    """Whether it tells the model what a start says before the first prompt."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.prepare()
        machine.install(self.name)

    def prepare(self) -> None:
        raise NotImplementedError

    def ask(self, prompt: str) -> list[str]:
        """The requests to the model of one session, each as a text."""
        before = len(self.machine.model.requests)
        self.session(prompt)
        return self.machine.model.texts()[before:]

    def session(self, prompt: str) -> None:
        raise NotImplementedError


class ClaudeCode(Host):
    name = "claude-code"

    def prepare(self) -> None:
        self.program = program("claude")
        self.machine.more = {
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "ANTHROPIC_BASE_URL": self.machine.model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def session(self, prompt: str) -> None:
        self.machine.run(self.program, "-p", prompt, "--allowedTools", "Bash", "--output-format", "json")


class Codex(Host):
    name = "codex"

    def prepare(self) -> None:
        self.program = program("codex")
        self.machine.more = {"SCRIPTED_KEY": "x"}
        folder = self.machine.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"""model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{self.machine.model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
""",
            encoding="utf-8",
        )

    def session(self, prompt: str) -> None:
        flags = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
        self.machine.run(self.program, "exec", "--skip-git-repo-check", *flags, prompt)


class Gemini(Host):
    name = "gemini"

    def prepare(self) -> None:
        self.program = program("gemini")
        self.machine.more = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": self.machine.model.url,
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
            "tools": {"shell": {"enableInteractiveShell": False}},
        }
        (self.machine.home / ".gemini").mkdir()
        text = json.dumps(settings, indent=2)
        (self.machine.home / ".gemini" / "settings.json").write_text(text, encoding="utf-8")

    def session(self, prompt: str) -> None:
        self.machine.run(self.program, "-p", prompt, "-m", "gemini-2.5-flash", "--yolo", "--skip-trust", "-o", "json")


class OpenCode(Host):
    name = "opencode"

    def prepare(self) -> None:
        self.program = program("opencode")
        self.machine.more = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        options = {"baseURL": f"{self.machine.model.url}/v1", "apiKey": "x"}
        one = {"name": "m1", "tool_call": True, "limit": {"context": 100_000, "output": 1_000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": {"m1": one}}
        config = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/m1",
            "provider": {"scripted": provider},
            "permission": {"bash": "allow"},
        }
        folder = self.machine.home / ".config" / "opencode"
        folder.mkdir(parents=True)
        (folder / "opencode.json").write_text(json.dumps(config, indent=2), encoding="utf-8")

    def session(self, prompt: str) -> None:
        # It sets words with a blank in them between quotation marks.
        self.machine.run(self.program, "run", *prompt.split(" "))


ALL = (ClaudeCode, Codex, Gemini, OpenCode)
