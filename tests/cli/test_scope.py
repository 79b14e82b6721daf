"""A memory knows its project where `auto` is the namespace: one project's facts are never in another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cfpm import Memory, Settings, UsageError
from cfpm.settings import Settings as PlainSettings
from tests.cli.conftest import Run
from tests.paths.test_project import remote, repository


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", remote("git@example.org:ann/shop.git"))


@pytest.fixture
def kiln(tmp_path: Path) -> Path:
    return repository(tmp_path / "kiln", remote("git@example.org:ann/kiln.git"))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def say_in(run: Run, folder: Path, db: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "session.json").write_text(json.dumps([{"role": "user", "content": text}]))
    assert run("observe", "session.json", "--db", db).code == 0


def test_facts_of_one_project_are_never_in_another(
    run: Run, db: Path, shop: Path, kiln: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFPM_NAMESPACE", "auto")
    say_in(run, shop, db, "We use port 8080 for staging. Always run the linter first.", monkeypatch)
    say_in(run, kiln, db, "We use port 9090 for staging. Never fire above cone 6.", monkeypatch)
    for folder, own, other in ((shop, "8080", "9090"), (kiln, "9090", "8080")):
        monkeypatch.chdir(folder)
        for argv in (("brief",), ("recall", "Which port is staging on?"), ("facts", "--json"), ("export",)):
            out = run(*argv, "--db", db).out
            assert own in out
            assert (other in out) is (argv == ("export",))
    monkeypatch.chdir(tmp_path)
    assert run("facts", "--db", db, "--json").document == []
    with Memory.open(db, namespace="project:example.org/ann/shop") as memory:
        assert any("8080" in fact.content for fact in memory.facts())


def test_what_holds_for_the_user_is_told_in_all_projects(
    run: Run, db: Path, shop: Path, kiln: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFPM_NAMESPACE", "auto")
    rule = ("remember", "Answer in short sentences", "--category", "instruction", "--namespace", "user")
    assert run(*rule, "--db", db).code == 0
    for folder in (shop, kiln):
        say_in(run, folder, db, "We use port 8080 for staging.", monkeypatch)
        assert "Answer in short sentences" in run("brief", "--db", db).out
        assert "Answer in short sentences" in run("recall", "Which port is staging on?", "--db", db).out
        assert "Answer in short sentences" not in run("facts", "--db", db).out
    named = run("brief", "--db", db, "--namespace", "project:example.org/ann/shop").out
    assert "8080" in named
    assert "Answer in short sentences" not in named


def test_a_rule_of_the_user_that_is_edited_in_a_project_is_theirs_everywhere(
    run: Run, db: Path, shop: Path, kiln: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFPM_NAMESPACE", "auto")
    run("remember", "Answer in short sentences", "--category", "instruction", "--namespace", "user", "--db", db)
    say_in(run, shop, db, "We use port 8080 for staging.", monkeypatch)
    assert run("brief", "--write", "AGENTS.md", "--db", db).code == 0
    text = (shop / "AGENTS.md").read_text("utf-8")
    (shop / "AGENTS.md").write_text(text.replace("Answer in short sentences", "Answer in one sentence"))
    run("brief", "--write", "AGENTS.md", "--db", db)
    say_in(run, kiln, db, "We use port 9090 for staging.", monkeypatch)
    out = run("brief", "--db", db).out
    assert "Answer in one sentence" in out
    assert "short sentences" not in out


def test_the_settings_file_says_so_as_well_and_the_option_comes_first(
    run: Run, db: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "cfpm.toml").write_text('namespace = "auto"\n')
    say_in(run, shop, db, "We use port 8080 for staging.", monkeypatch)
    assert "8080" in run("facts", "--db", db, "--namespace", "project:example.org/ann/shop").out
    assert run("facts", "--db", db, "--namespace", "default", "--json").document == []
    (shop / "cfpm.toml").write_text("namespace = 3\n")
    assert (run("facts", "--db", db).code, "namespace" in run("facts", "--db", db).err) == (2, True)
    (shop / "cfpm.toml").write_text("namespace = \n")
    result = run("facts", "--db", db)
    assert (result.code, "cfpm.toml" in result.err) == (2, True)


def test_without_a_word_of_it_all_is_as_it_was(run: Run, db: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CFPM_NAMESPACE", raising=False)
    say_in(run, shop, db, "We use port 8080 for staging.", monkeypatch)
    with Memory.open(db) as memory:
        assert any("8080" in fact.content for fact in memory.facts())
    assert run("facts", "--db", db, "--namespace", "").code == 2


def test_auto_on_the_command_line(run: Run, db: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CFPM_NAMESPACE", raising=False)
    monkeypatch.chdir(shop)
    run("remember", "The shop opens at nine", "--category", "note", "--namespace", "auto", "--db", db)
    with Memory.open(db, namespace="project:example.org/ann/shop") as memory:
        assert [fact.content for fact in memory.facts()] == ["The shop opens at nine"]


def test_the_hook_learns_into_the_project_of_its_event(
    run: Run, db: Path, shop: Path, kiln: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cfpm_adapters.hosts.event import Host, Options
    from cfpm_adapters.hosts.hook import answer

    monkeypatch.delenv("CFPM_NAMESPACE", raising=False)
    monkeypatch.chdir(tmp_path)

    def write(folder: Path, options: Options) -> None:
        event = {
            "hook_event_name": "PostToolUse",
            "session_id": "s1",
            "cwd": str(folder),
            "tool_name": "Write",
            "tool_use_id": f"t{folder.name}",
            "tool_input": {"file_path": f"/srv/{folder.name}/main.py", "content": "x"},
            "tool_response": {"filePath": f"/srv/{folder.name}/main.py", "type": "create"},
        }
        found = answer(json.dumps(event).encode(), Host.named("claude-code"), "", options)
        assert found.then is not None
        found.then()

    def sessions(namespace: str) -> list[str]:
        with Memory.open(db, namespace=namespace) as memory:
            return memory.store.log.sessions(namespace)

    write(shop, Options(str(db), "auto"))
    assert [sessions(f"project:example.org/ann/{name}") for name in ("shop", "kiln")] == [["s1"], []]
    monkeypatch.setenv("CFPM_NAMESPACE", "auto")
    write(kiln, Options(str(db)))
    assert [sessions(f"project:example.org/ann/{name}") for name in ("shop", "kiln")] == [["s1"], ["s1"]]
    monkeypatch.delenv("CFPM_NAMESPACE")
    write(shop, Options(str(db)))
    assert sessions("default") == ["s1"]


def test_the_hook_follows_the_project_unless_another_namespace_is_configured(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    install = ("install", "claude-code", "--project")
    run(*install)
    assert "--namespace auto" in settings.read_text()
    monkeypatch.setenv("CFPM_NAMESPACE", "user:kim")
    run(*install)
    assert "--namespace user:kim" in settings.read_text()
    run(*install, "--namespace", "default")
    assert "--namespace" not in settings.read_text()


def test_a_project_whose_settings_name_a_namespace_keeps_it(
    db: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cfpm_adapters.hosts.event import Event, Host, Options, of_project

    monkeypatch.delenv("CFPM_NAMESPACE", raising=False)
    (shop / "cfpm.toml").write_text('namespace = "user:kim"\n', encoding="utf-8")
    event = Event.of(Host.named("codex"), {"cwd": str(shop)})
    assert of_project(Options(str(db), "auto"), event).namespace == "user:kim"


def test_the_setting_is_one_of_the_settings(tmp_path: Path) -> None:
    assert Settings.load({}, tmp_path).namespace == "default"
    assert Settings.load({"CFPM_NAMESPACE": "auto"}, tmp_path).namespace == "auto"
    with pytest.raises(UsageError, match="namespace"):
        PlainSettings(namespace=3)  # type: ignore[arg-type]
