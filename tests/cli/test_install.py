"""`cfpm install`: what is written into the settings of agent hosts, and that it goes again to the last character."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.hosts.event import HOSTS, Host
from cfpm_adapters.hosts.install.installer import carry_out, plan
from cfpm_adapters.hosts.install.json_text import JsonTextError, Text, parse
from cfpm_adapters.hosts.install.ledger import ledger_file
from cfpm_adapters.hosts.install.wanted import Layout

from cfpm.errors import InputError
from tests.cli.conftest import Run

ODD = """{
\t// what I like
\t"model": "opus", // the best
\t"hooks": {
\t\t"Stop": [ {"hooks":[{"type":"command","command":"say done"}]} ],
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Write", "hooks": [ { "type": "command", "command": "lint" } ] }, // mine
\t\t],
\t},

\t"permissions": {"allow": ["Bash(ls:*)"], "größe": 1}   , /* behind
\ttwo lines */
}"""

SETTINGS = [
    ODD,
    ODD.replace("\n", "\r\n"),
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    "// only a comment\n{ // here\n}",
    '{"hooks": {}}',
    '{"hooks":{"PreToolUse":[]},"a":1}',
    '{\n  "hooks": {\n    "SessionStart": [\n    ]\n  }\n}\n',
    '\ufeff{\n    "a": [1, 2,\n 3]\n}',
    '{"a": 1 // last\n}',
    '{\r  "a": 1,\r  "hooks": {}\r}\r',
    '{"\\u0068ooks": {"Stop": []}}',
    '{"b": 1,"hooks": {"Stop": [ {"hooks": []} /* x */, /* y ] } */ ] /* z */ , // w\n } , /* v */ }// end',
    '{ // } "hooks": {\n "a": "/* } */" /* , } ] */\n}',
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"timeout 5 cfpm hook claude-code Stop"},],},],},}',
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"cfpm hook claude-code Stop && say done"}]}]}}',
    '{"deep": [[[{"x": "\\u00e4 // no comment"}]]], "hooks": {"Stop": [{"hooks": []}]}}',
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own, without any host."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME", "OPENCODE_CONFIG_DIR", "CFPM_DB", "CFPM_NAMESPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def tree(folder: Path) -> dict[str, bytes | None]:
    """All files with their content, and all folders, but those that keep our own data."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.relative_to(folder).parts[0] != "data"
    }


def with_comments(text: str) -> Any:
    return parse(text).value


@pytest.mark.parametrize("content", SETTINGS)
def test_removing_gives_every_byte_back(run: Run, home: Path, content: str) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(content.encode())
    file.chmod(0o600)
    before = tree(home)
    old = with_comments(content)
    assert run("install", "claude-code").code == 0
    new = with_comments(file.read_bytes().decode())
    assert {key: value for key, value in new.items() if key != "hooks"} == {
        k: v for k, v in old.items() if k != "hooks"
    }
    for event, groups in old.get("hooks", {}).items():
        assert new["hooks"][event][: len(groups)] == groups
    assert set(Host.named("claude-code").events) <= set(new["hooks"])
    assert file.stat().st_mode & 0o777 == 0o600
    assert run("install", "--remove", "claude-code").code == 0
    assert tree(home) == before


@pytest.mark.parametrize("content", SETTINGS)
def test_what_others_change_in_between_stays(run: Run, home: Path, content: str) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(content.encode())
    run("install", "claude-code")
    text = Text(file.read_bytes().decode())
    text.put(("theirs",), {"a": 1})
    file.write_bytes(text.text.encode())
    run("install", "claude-code", "--permission", "allow")
    assert file.read_text(encoding="utf-8").count("--permission allow") == len(Host.named("claude-code").events)
    run("install", "--remove", "claude-code")
    left = with_comments(file.read_bytes().decode())
    old = with_comments(content)
    assert left.pop("theirs") == {"a": 1}
    # A list or an object that held nothing before may go with what was put into it.
    assert left == old or {k: v for k, v in left.items() if v} == _without_empty(old)


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: kept for key, found in value.items() if (kept := _without_empty(found)) not in ({}, [])}
    return value


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_every_host_is_installed_once_and_leaves_no_trace(run: Run, tmp_path: Path, host: str, scope: str) -> None:
    before = tree(tmp_path)
    first = run("install", host, scope, "--json")
    if host == "hermes" and scope == "--project":
        assert first.code == 2
        return
    assert first.document["changed"] is True
    written = tree(tmp_path)
    assert written != before
    assert run("install", host, scope, "--json").document["changed"] is False
    assert tree(tmp_path) == written
    (row,) = [row for row in run("install", "--status", host, "--json").document["hosts"] if f"--{row['for']}" == scope]
    assert row["installed"]
    run("install", "--remove", host, scope)
    assert tree(tmp_path) == before
    assert not ledger_file().exists()


@pytest.mark.parametrize("host", HOSTS)
def test_each_hook_names_an_event_that_its_table_knows(host: str, tmp_path: Path) -> None:
    from cfpm_adapters.hosts.event import Options

    layout = Layout.of(host, None)
    for event in layout.hooks(Options()):
        assert Host.named(host).events[event]


def test_a_dry_run_shows_the_difference_and_changes_nothing(run: Run, home: Path) -> None:
    before = tree(home)
    out = run("install", "codex", "--dry-run").out
    assert f"+++ {home}/.codex/hooks.json" in out
    assert "would be written" in out
    assert tree(home) == before


def test_the_difference_shows_no_secret_that_stands_beside_it(run: Run, home: Path) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    secret = "sk-ant-" + "api03-" + "q8Zr1" * 8
    file.write_text(json.dumps({"env": {"ANTHROPIC_API_KEY": secret}}, indent=1), encoding="utf-8")
    out = run("install", "claude-code").out
    assert "hooks" in out
    assert secret not in out


def test_the_settings_of_codex_get_a_table_and_keep_the_rest(run: Run, home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    text = '# mine\nmodel = "gpt-5" # good\n\n[mcp_servers.other]\ncommand = "x"'
    file.write_text(text, encoding="utf-8")
    run("install", "codex")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    assert table["model"] == "gpt-5"
    assert table["mcp_servers"]["other"] == {"command": "x"}
    assert table["mcp_servers"]["cfpm"]["args"][0] == "mcp"
    file.write_text(file.read_text(encoding="utf-8") + "\n[tui]\nx = 1\n", encoding="utf-8")
    run("install", "--remove", "codex")
    assert file.read_text(encoding="utf-8") == text + "\n[tui]\nx = 1\n"


def test_the_hooks_of_an_older_version_are_replaced(run: Run, home: Path) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    old = {"type": "command", "command": "/opt/cfpm hook claude-code", "timeout": 5}
    lint = {"type": "command", "command": "lint"}
    shared = {
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [lint, old, lint]}, {"matcher": "Bash", "hooks": [old]}]}
    }
    file.write_text(json.dumps(shared), encoding="utf-8")
    run("hook", "install", "claude-code")
    text = file.read_text(encoding="utf-8")
    assert "/opt/cfpm" not in text
    assert json.loads(text)["hooks"]["PreToolUse"][0] == {"matcher": "*", "hooks": [lint, lint]}
    run("hook", "uninstall", "claude-code")
    left = json.loads(file.read_text(encoding="utf-8"))
    assert left == {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [lint, lint]}]}}


def test_the_command_is_the_same_from_every_folder(run: Run, home: Path, tmp_path: Path) -> None:
    run("install", "claude-code", "--db", "my memory.db", "--permission", "allow")
    settings = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    (group,) = settings["hooks"]["PreToolUse"]
    words = shlex.split(group["hooks"][0]["command"])
    assert Path(words[0]).is_absolute()
    assert words[-6:-4] == ["--db", str(tmp_path / "my memory.db")]
    assert words[-2:] == ["--permission", "allow"]


def test_a_server_of_the_same_name_that_is_not_ours_is_left(run: Run, home: Path) -> None:
    file = home / ".claude.json"
    theirs = '{"mcpServers": {"cfpm": {"command": "other"}}}'
    file.write_text(theirs, encoding="utf-8")
    run("install", "claude-code")
    assert file.read_text(encoding="utf-8") == theirs
    run("install", "--remove", "claude-code")
    assert file.read_text(encoding="utf-8") == theirs


def test_a_page_that_was_changed_by_hand_is_left(run: Run, home: Path) -> None:
    page = home / ".claude" / "skills" / "cfpm-memory" / "SKILL.md"
    run("install", "claude-code")
    page.write_text("mine", encoding="utf-8")
    assert "left as it is" in run("install", "claude-code").out
    assert "left as it is" in run("install", "--remove", "claude-code").out
    assert page.read_text(encoding="utf-8") == "mine"
    assert run("install", "claude-code").code == 1


def test_a_linked_file_stays_a_link(run: Run, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(real)
    run("install", "claude-code")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "hooks" in real.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"7",
        b"\xff",
        b"{} {}",
        b"{'a': 1}",
        b'{"hooks": []}',
        b'{"hooks": 7}',
        b'{"hooks": {"PreToolUse": {}}}',
        b'{"a": 1 "b": 2}',
        b'{"a": }',
        b"[" * 5_000,
        b'{"a": "x\n"}',
    ],
)
def test_what_is_no_settings_file_is_named_and_left(run: Run, home: Path, content: bytes) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(content)
    before = tree(home)
    result = run("install", "claude-code")
    assert (result.code, result.out) == (1, "")
    assert "settings.json" in result.err
    assert tree(home) == before


def test_broken_toml_is_named_and_left(run: Run, home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    for content in ("model = ", 'mcp_servers = { other = { command = "x" } }\n'):
        file.write_text(content, encoding="utf-8")
        result = run("install", "codex")
        assert result.code == 1
        assert "config.toml" in result.err
        assert file.read_text(encoding="utf-8") == content


def test_a_lost_or_broken_ledger(run: Run, home: Path, tmp_path: Path) -> None:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(ODD, encoding="utf-8")
    run("install", "claude-code")
    ledger_file().write_text("{", encoding="utf-8")
    result = run("install", "--remove", "claude-code")
    assert result.code == 1
    assert "installed.json" in result.err
    ledger_file().unlink()
    run("install", "--remove", "claude-code")
    assert with_comments(file.read_text(encoding="utf-8")) == with_comments(ODD)
    assert "// mine" in file.read_text(encoding="utf-8")


def test_wrong_usage(run: Run) -> None:
    assert run("install").code == 2
    assert run("install", "emacs").code == 2
    assert run("install", "claude-code", "--user", "--project").code == 2
    assert run("install", "claude-code", "--permission", "deny").code == 2


def test_the_places_of_a_text() -> None:
    root = parse('{"a": [1, {"b": "x"}], /* c */ "d": null}')
    assert root.value == {"a": [1, {"b": "x"}], "d": None}
    found = root.at("a", 1, "b")
    assert found is not None
    assert found.value == "x"
    assert root.at("a", 7) is None
    with pytest.raises(JsonTextError, match="line 2"):
        parse('{"a": 1,\n "b" 2}')


def test_a_plan_changes_nothing_until_it_is_carried_out(home: Path, tmp_path: Path) -> None:
    from cfpm_adapters.hosts.event import Options

    before = tree(home)
    changes = plan(Layout.of("gemini", None), Options(), remove=False, server=True)
    assert tree(home) == before
    carry_out(changes)
    text = (home / ".gemini" / "settings.json").read_text(encoding="utf-8")
    assert set(json.loads(text)) == {"hooks", "mcpServers"}
    page = home / ".codex" / "skills" / "cfpm-memory" / "SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text("theirs", encoding="utf-8")
    with pytest.raises(InputError, match="another file"):
        plan(Layout.of("codex", None), Options(), remove=False, server=True)
