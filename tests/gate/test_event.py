"""The message that shows a decision: what it says, when it is silent, and that it is recognised when it comes back."""

from __future__ import annotations

import json
from typing import Any

from cfpm.gate.decision import Change, Pass, Rewrite
from cfpm.gate.event import SHOWN, gate_message
from cfpm.gate.reasons import Reason
from cfpm.model import Message, Origin, Role
from cfpm.model.markers import GATE_PREFIX
from cfpm.transcript import mark_origins

DESKTOP = Change("desktop", "/home/ann/Schreibtisch", 3, 12, "~/Desktop", "/home/ann/Schreibtisch", "fact_1")
MUSIC = Change("music", "/srv/music", 13, 20, "~/Music", "/srv/music", "fact_2")
ORIGINAL, REWRITTEN = "ls ~/Desktop ~/Music", "ls /home/ann/Schreibtisch /srv/music"
REWRITE = Rewrite(ORIGINAL, REWRITTEN, "bash", (DESKTOP, MUSIC))
PASS = Pass("make test", "bash", Reason.NO_PROBE)


def document(text: str | None) -> Any:
    assert text is not None
    assert text.startswith(GATE_PREFIX)
    return json.loads(text.removeprefix(GATE_PREFIX))


def test_a_rewrite_shows_the_first_change_and_all_of_them() -> None:
    assert document(gate_message(REWRITE, "Bash", "brief")) == {
        "version": "v1",
        "verbosity": "brief",
        "action": "rewrite_known_folder_probe",
        "tool": "Bash",
        "target": "desktop",
        "path": "/home/ann/Schreibtisch",
        "originalCommand": ORIGINAL,
        "rewrittenCommand": REWRITTEN,
        "changes": [
            {"target": "desktop", "path": "/home/ann/Schreibtisch", "start": 3, "end": 12},
            {"target": "music", "path": "/srv/music", "start": 13, "end": 20},
        ],
    }


def test_nothing_is_said_when_it_is_off() -> None:
    assert gate_message(REWRITE, "Bash", "off") is None
    assert gate_message(PASS, "Bash", "off") is None


def test_a_pass_is_said_in_debug_only() -> None:
    assert gate_message(PASS, "Bash", "brief") is None
    assert document(gate_message(PASS, "Bash", "debug")) == {
        "version": "v1",
        "verbosity": "debug",
        "action": "pass",
        "reason": "no_probe",
        "tool": "Bash",
        "originalCommand": "make test",
    }


def test_advice_is_part_of_it() -> None:
    advised = Pass("cat /old/a", "bash", Reason.INVALID_PATH_NAMED, advice="Use /new/a.")
    assert document(gate_message(advised, "Bash", "debug"))["advice"] == "Use /new/a."


def test_long_commands_are_cut() -> None:
    long = Rewrite(ORIGINAL + " " * 500, REWRITTEN + " " * 500, "bash", (DESKTOP,))
    shown = document(gate_message(long, "Bash", "brief"))
    assert len(shown["originalCommand"]) == len(shown["rewrittenCommand"]) == SHOWN


def test_it_is_one_line_and_is_not_learnt_when_it_comes_back() -> None:
    decision = Rewrite("ls ~/Desktop\n", "ls '/home/ann/a\nb'\n", "bash", (DESKTOP,))
    text = gate_message(decision, "Bash", "brief")
    assert text is not None
    assert "\n" not in text
    assert [part.origin for part in mark_origins(Message(Role.USER, text))] == [Origin.HOST_NOTICE]
