"""Paths in Chinese sentences, which put no space around them."""

from __future__ import annotations

import pytest

from cfpm.paths.finder import find_paths


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("处理完成，结果已保存到 E:\\归档\\结果.txt。", "E:\\归档\\结果.txt"),
        ("文件保存到/home/ana/x.txt已完成", "/home/ana/x.txt"),
        ("路径C:\\Users\\ana\\Desktop不存在", "C:\\Users\\ana\\Desktop"),
        ("C:\\Users\\ana\\桌面不存在", "C:\\Users\\ana\\桌面"),
        ("请看src/main.rs", "src/main.rs"),
        ("输出文件在“/home/ana/结果.txt”。", "/home/ana/结果.txt"),
        ("路径：/srv/数据/表.csv；请检查", "/srv/数据/表.csv"),
        ("找到了！桌面在 **`D:\\用户\\桌面`**（OneDrive）", "D:\\用户\\桌面"),
        ("/home/ana/项目/说明.md已更新", "/home/ana/项目/说明.md"),
        ("`/srv/导出/最终版`", "/srv/导出/最终版"),
    ],
)
def test_a_path_ends_where_the_sentence_goes_on(text: str, path: str) -> None:
    """Reference 12, 15, 16, 25 and 29 in shape."""
    assert [found.path for found in find_paths(text)] == [path]


@pytest.mark.parametrize("text", ["是/否", "读/写权限", "上/下午", "2026年1/3"])
def test_pairs_of_chinese_words_are_no_paths(text: str) -> None:
    assert find_paths(text) == []


def test_an_ascii_name_with_unknown_letters_glued_to_it_is_not_guessed() -> None:
    assert find_paths("/srv/data报") == []
