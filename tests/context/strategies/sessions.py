"""Small sessions of our own as message lists, for the tests of compaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Dict = dict[str, Any]


def user(text: str) -> Dict:
    return {"role": "user", "content": text}


def agent(text: str) -> Dict:
    return {"role": "assistant", "content": text}


def called(name: str, arguments: Mapping[str, object], output: str, number: int = 1, text: str = "") -> list[Dict]:
    """A call with its result, in the form of OpenAI."""
    call_id = f"call-{number}"
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": text or None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": call_id, "content": output},
    ]


def shop_session(rounds: int = 12) -> list[Dict]:
    """A user who wants a shop's loader mended, and an agent that reads, edits and tests."""
    messages = [
        user("Please make the loader of our shop read CSV files. Never change the public API. Keep Python 3.11."),
        agent("I will look at the loader first."),
    ]
    for number in range(rounds):
        source = f"class CsvLoader_{number}:\n    def load_rows_{number}(self): return parse_row(self.text)\n" * 8
        messages += called("Read", {"file_path": f"/srv/shop/src/loader_{number}.py"}, source, 3 * number)
        edit = {
            "file_path": "/srv/shop/src/loader.py",
            "old_string": f"old_{number}",
            "new_string": f"load_rows_{number}",
        }
        done = "The file /srv/shop/src/loader.py has been updated successfully."
        messages += called("Edit", edit, done, 3 * number + 1, "We use csv.DictReader instead of a hand-made parser.")
        tests = {"command": "cd /srv/shop && pytest tests/test_loader.py -q"}
        output = "1 failed, 3 passed in 0.12s\nE  ValueError: bad row" if number % 2 else "4 passed in 0.10s"
        messages += called("Bash", tests, output, 3 * number + 2)
    return messages
