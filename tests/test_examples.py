"""Every example runs as a user would run it, and prints what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import HUNG

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent / "examples"


FRAMEWORKS = {
    "langchain": "langchain",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
    "llama_index": "llama_index",
    "smolagents": "smolagents",
    "agent_framework": "agent_framework",
    "google_adk": "google.adk",
    "crewai": "crewai",
    "autogen": "autogen_agentchat",
}
"""The framework of an example, and what it imports: without that library its test is skipped."""


def run(name: str, *arguments: str) -> str:
    root = EXAMPLES.parent
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "adapters")])}
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HUNG, env=env)
    return done.stdout


def test_every_example_is_tested() -> None:
    names = {"quickstart.py", "agent_loop.py", "review_rejections.py", "own_extractor.py"}
    frameworks = {f"{name}_agent.py" for name in FRAMEWORKS}
    assert {path.name for path in EXAMPLES.glob("*.py")} == names | frameworks | {"claude_sdk_agent.py"}


@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_an_agent_of_a_framework_knows_in_the_second_session_what_the_first_one_taught(
    name: str, tmp_path: Path
) -> None:
    pytest.importorskip(FRAMEWORKS[name])
    shown = run(f"{name}_agent.py", f"sqlite:///{tmp_path / 'memory.db'}")
    told = shown.partition("the model was told on tuesday:")[2]
    assert "ran: make test" in shown
    assert "<<<CFPM_MEMORY_V1" in told
    assert "8081" in told
    assert "Which port" not in told


def test_quickstart_shows_what_is_believed_and_what_is_not() -> None:
    shown = run("quickstart.py")
    assert "believed: goal: " in shown
    assert "believed: instruction: " in shown
    assert "not believed: " in shown
    assert "(hypothetical)" in shown
    assert "(negated)" in shown
    assert "make test" in shown


def test_a_memory_made_by_the_loop_can_be_reviewed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'loop.db'}"
    assert "facts" in run("agent_loop.py", url)
    review = run("review_rejections.py", url, "project:shop")
    assert "cand_" in review
    rejected = next(word for word in review.split() if word.startswith("cand_"))
    assert "now believed: " in run("review_rejections.py", url, "project:shop", rejected)


def test_an_extractor_of_the_user_can_be_scored() -> None:
    assert "Noor: I like mornings" in run("own_extractor.py")
    command = [sys.executable, "-m", "benchmarks", "extraction", "--set", "bundled"]
    env = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    scored = [*command, "--extractor", "own_extractor:likes"]
    done = subprocess.run(scored, capture_output=True, text=True, check=True, timeout=HUNG, env=env, cwd=EXAMPLES)
    assert "BGR@1" in done.stdout


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n", 1)[1].split("```", 1)[0]
    env = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=HUNG, env=env, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "8081" in done.stdout
