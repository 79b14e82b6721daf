"""Secrets that somebody tells in passing, found by what was learnt of such sentences."""

from pathlib import Path

import pytest

from cfpm import Memory
from cfpm.secrets import redact
from cfpm.secrets.told import LONGEST, values


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Side note, the wifi at the boathouse is Ruderboot-2017, the network is called Steg_5G.", "Ruderboot-2017"),
        ("To get into the shed punch in 5518 and pull hard.", "5518"),
        ("The little safe behind the books opens with 14-32-08, start to the left.", "14-32-08"),
        ("For the demo box log in with tester2/Walnut_77q.", "Walnut_77q"),
        ("爷爷的保险柜密码是 735518，别告诉别人。", "735518"),
        ("WiFi密码换成了 hupan_6620，路由器在书房。", "hupan_6620"),
    ],
)
def test_a_secret_told_in_passing_is_taken_out(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The gate at platform 8823 opens at noon.",
        "Room 4471 has a door to the garden, seat 14-32 is by the window.",
        "Error code 860314 came back from the login page, see ticket 5518.",
        "The API listens on port 8081 and needs a key, ask Tom for it.",
        "The password must have 12 characters and one digit.",
        "The fact is pinned, the user can forget it: cfpm forget fact_8552b7154fa1db4a4aaf",
        "错误代码是 860314，登录页面打不开。",
        "Yes, please cancel the reservation K7QX2M and keep the other one.",
        '   41→      "requestId": "req_048GHwTq2LmZx7RvB9nKcD3",\n   42→      "type": "message",',
        '\t\t\tname:     "mixed case",\n\t\t\tinput:    "qRs4T5",\n\t\t\texpected: "QRS4T5",',
        "PASS: TestWatcher_Renamed (0.02s) in /tmp/TestWatcher_Renamed2093847561/002",
        "The bank stretches to 48,500 and not a cent more.",
        "我们公司的 k8s 不让装这个插件,先用别的。",
        "软著下来了，登记号 2026SR0417730",
        "The registration number is 2026SR0417730, the seal comes by post.",
        "仓库的人回了:WX20260914-0031 那张单子重复了,留金额小的。",
        "My notes live in /tmp/tmp.Qr7TzK2mVx/notes",
        "My notes live in C:\\Users\\ida\\AppData\\Local\\Temp\\tmpq8_k2v9a\\notes",
        "My notes live in /var/folders/9x/k3v_0q7z4m1b8t_r6y2w5n9c0000gn/T/notes",
    ],
)
def test_numbers_and_names_that_are_no_secret_stay(text: str) -> None:
    assert redact(text).text == text


def test_what_a_value_may_be() -> None:
    text = "the gate at 10:30 on 2026-02-09, v2.1, 3rd floor, ada@example.org: 4471, 24 6 32 or B7-kelp"
    assert [text[start:end] for start, end in values(text)] == ["4471", "24 6 32", "B7-kelp"]


def test_long_outputs_are_not_read_for_what_somebody_tells() -> None:
    text = "the shed: punch in 5518 and pull. " + "x " * LONGEST
    assert redact(text).text == text


def test_no_told_secret_reaches_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.observe([{"role": "user", "content": "To get into the shed punch in 5518 and pull hard."}])
    assert b"5518" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
