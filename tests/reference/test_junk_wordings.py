"""Junk in other words than the benchmark has: none of these sentences outlives the moment, through the front door."""

from __future__ import annotations

import pytest

from cfpm import Memory

JUNK = [
    "The fan just got really loud.",
    "I'm typing this from the tram.",
    "My coffee is getting cold.",
    "It says 3 minutes remaining.",
    "I've got the browser open on the second monitor.",
    "Still no response from the server.",
    "The lights flickered just now.",
    "风扇突然很响。",
    "服务器还没响应。",
    "验证码邮件还没收到。",
    "现在显示登录页了。",
    "我换台电脑试试。",
    "网络恢复了。",
    "屏幕闪了一下。",
    "Maybe one day we'll have an office in Oslo.",
    "If only our team had a designer.",
    "Provided that the grant comes through, we hire two people.",
    "Should the tests fail, we roll back to version 3.",
    "It might be that our license covers 20 seats.",
    "Worst case we lose the Tuesday slot.",
    "要是有设计师就好了。",
    "拨款下来的话我们再招两个人。",
    "可能我们的许可证只有二十个席位。",
    "万一测试失败，我们就回滚到第三版。",
    "With a bigger budget we would rent the hall in Leeds.",
    "假设我们在广州开了分店，租金要多少？",
    "要不以后我们都用飞书？",
    "如果预算够，我们会租下那个场地。",
    "It's not that I dislike tea, I just had too much of it.",
    "I never said that we use Oracle.",
]

KEPT = [
    "We're still using Java 8 on the tills.",
    "The website is down every Sunday night for maintenance.",
    "With a team of five we run 40 events a year.",
    "Great work. We launched the shop in Riga on 3 May.",
    "Sure, but our linter only accepts two spaces.",
    "我们还在用Java 8。",
    "网站每周日晚上停机维护。",
]


def remembered(text: str) -> list[str]:
    turns = [("user", "Let us go on."), ("assistant", "Okay."), ("user", text)]
    with Memory.open("sqlite:///:memory:") as memory:
        memory.observe([{"role": role, "content": said} for role, said in turns], session="s")
        return [fact.content for fact in memory.facts() if fact.content in text]


@pytest.mark.parametrize("text", JUNK)
def test_what_is_said_for_the_moment_is_not_kept(text: str) -> None:
    assert remembered(text) == []


@pytest.mark.parametrize("text", KEPT)
def test_what_lasts_is_kept_in_like_words(text: str) -> None:
    assert remembered(text)
