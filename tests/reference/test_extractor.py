"""Items 12 to 29 of the original's own tests: which paths and statements a turn yields.

Items that V1 never met (V1*: 12, 15, 16, 25) are requirements. Items that held only on the author's machine (13, 17,
27) use folders that exist on this one. Items 12 to 29 are asserted in full.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cfpm import Memory
from cfpm.model import Category, Status
from cfpm.settings import Settings
from tests.reference.transcripts import OpenMemory, agent, learnt, output, ran, reasons, the_fact, user

DESKTOP = r"C:\Users\lin\Desktop"
ONEDRIVE = r"C:\Users\lin\OneDrive\Desktop"
RESULT = r"E:\data\export\result.txt"
FOLDER = r"D:\data\export"
ON_THIS_MACHINE = Settings(check_filesystem=True)

Existing = Callable[[str], str]


@pytest.fixture
def here(open_memory: OpenMemory) -> Memory:
    """A memory that asks this machine whether known folders exist."""
    return open_memory(settings=ON_THIS_MACHINE)


def artifacts(memory: Memory) -> list[str]:
    """All artifacts that were ever stored, whatever became of them."""
    return learnt(memory, Category.ARTIFACT, None)


@pytest.mark.parametrize("where", [RESULT, f"处理完成，结果已保存到 {RESULT}"], ids=["bare path", "V1*: in a sentence"])
def test_12_a_saved_file_is_an_artifact_and_a_failed_path_is_not(here: Memory, where: str) -> None:
    """Reference 12: the result is an artifact, the date is not, and the path that failed is an invalid path only."""
    failed = f"默认路径 {DESKTOP} 不存在，改试 {ONEDRIVE}"
    here.observe([user("需要记住导出文件的路径"), agent(failed), agent(where), agent("归档日期 2026/1/3")])
    assert artifacts(here) == [RESULT]
    assert learnt(here, Category.INVALID_PATH) == [DESKTOP]


def test_12_the_same_holds_after_a_merge(here: Memory) -> None:
    """Reference 12: a further turn that tells the same changes nothing of it."""
    turn = [agent(f"默认路径 {DESKTOP} 不存在"), agent(f"处理完成，结果已保存到 {RESULT}"), agent("归档日期 2026/1/3")]
    here.observe([user("需要记住导出文件的路径"), *turn])
    here.observe([user("再说一遍"), *turn])
    assert artifacts(here) == [RESULT]
    assert learnt(here, Category.INVALID_PATH) == [DESKTOP]


def test_13_a_line_that_is_a_path_is_an_artifact(here: Memory, existing_folder: Existing) -> None:
    """Reference 13: a line that is nothing but the path of an existing folder becomes an artifact."""
    here.observe([user("Where is it?"), agent(existing_folder(ONEDRIVE))])
    assert artifacts(here) == [ONEDRIVE]


def test_13_a_known_folder_that_is_elsewhere_is_refused(here: Memory) -> None:
    """Reference 13: on a machine without that folder, the literal path is refused as artifact_known_folder_missing."""
    here.observe([user("Where is it?"), agent(ONEDRIVE)])
    assert artifacts(here) == []
    assert reasons(here)[ONEDRIVE] == "artifact_known_folder_missing"


def test_14_a_variable_is_no_artifact(here: Memory) -> None:
    """Reference 14: `$env:USERPROFILE/Desktop` in a sentence yields no artifact."""
    here.observe(
        [user("整理桌面"), agent("我会先查看 $env:USERPROFILE/Desktop 下的文件"), agent("$env:USERPROFILE/Desktop")]
    )
    assert artifacts(here) == []


@pytest.mark.parametrize("quotes", ['""', "“”", "「」"])
def test_15_a_quoted_path_loses_its_quotes_and_full_stop(memory: Memory, quotes: str) -> None:
    """Reference 15, V1*: of `结果保存到"C:\\...\\result.txt"。` the artifact has neither quote nor full stop."""
    memory.observe([user("导出结果"), agent(f"结果保存到{quotes[0]}{RESULT}{quotes[1]}。")])
    assert artifacts(memory) == [RESULT]


def test_15_so_does_a_bare_one(memory: Memory) -> None:
    """Reference 15, as it was weakened later: a bare path."""
    memory.observe([user("导出结果"), agent(RESULT)])
    assert artifacts(memory) == [RESULT]


def test_16_an_inaccessible_folder_is_no_artifact_the_actual_file_is(here: Memory, existing_folder: Existing) -> None:
    """Reference 16, V1*: "the desktop is X but cannot be accessed", "the output file is at Y。" -> Y and not X."""
    existing_folder(DESKTOP)
    here.observe(
        [user("找一下输出"), agent(f"桌面路径是 {DESKTOP}，但是无法访问"), agent(f"实际输出文件位于 {RESULT}。")]
    )
    assert artifacts(here) == [RESULT]


def test_17_of_a_noisy_output_only_the_last_path_is_an_artifact(here: Memory, existing_folder: Existing) -> None:
    """Reference 17: a note with a temporary file, a path that cannot be found, then an existing one: only that one."""
    text = (
        "[private note: output was cut, do not show tmp file C:\\Users\\lin\\AppData\\Local\\Temp\\.tmpQ7x2]\n"
        f"Cannot find path '{DESKTOP}' because it does not exist.\n"
        f"{existing_folder(ONEDRIVE)}"
    )
    here.observe([user("Where is my desktop?"), output(text)])
    assert artifacts(here) == [ONEDRIVE]


def test_18_a_temporary_file_is_no_artifact(memory: Memory) -> None:
    """Reference 18: a bare temporary file below AppData is refused."""
    temporary = r"C:\Users\lin\AppData\Local\Temp\.tmpQ7x2"
    memory.observe([user("Where is it?"), agent(temporary), output(temporary)])
    assert artifacts(memory) == []
    assert reasons(memory)[temporary] == "artifact_unhelpful"


def test_19_a_bullet_with_a_date_is_no_artifact(memory: Memory) -> None:
    """Reference 19: `- `goose` ... (2026/2/8)` yields no artifact."""
    memory.observe(
        [user("有哪些技能？"), agent("- `goose` 会话归档工具 (2026/2/8)\n- `goose` session archive (2026/2/8)")]
    )
    assert artifacts(memory) == []


@pytest.mark.parametrize(
    "line", ["| `archive` | completed, resolved to the backup |", "- `archive` - completed and verified"]
)
def test_20_a_catalogue_line_is_no_verified_action(memory: Memory, line: str) -> None:
    """Reference 20: a table row and a list of skills say nothing of what was done."""
    memory.observe([user("What can you do?"), agent(f"Here is what I have:\n{line}")])
    assert learnt(memory, Category.VERIFIED_ACTION, None) == []


@pytest.mark.parametrize("line", ["### 8. **TODO（任务管理）**", "- TODO 任务管理", "- TODO task management"])
def test_21_the_name_of_a_feature_is_no_open_item(memory: Memory, line: str) -> None:
    """Reference 21: a heading TODO and a bullet that names the task management are no open items."""
    memory.observe([user("你有哪些能力？"), agent(f"能力列表如下\n\n{line}")])
    assert learnt(memory, Category.OPEN_ITEM, None) == []


def test_22_a_remark_about_a_known_folder_is_no_artifact(memory: Memory) -> None:
    """Reference 22: "I already know your desktop is X, let me look" proves nothing."""
    memory.observe([user("看看桌面"), agent(f"我已经知道你的桌面是 {ONEDRIVE}，让我看看")])
    assert artifacts(memory) == []


def test_23_the_same_path_twice_on_a_line_is_one_artifact(memory: Memory) -> None:
    """Reference 23: tool output with one file twice on a line yields one artifact."""
    report = memory.observe([user("Where is it?"), output(f"{RESULT} {RESULT}")])
    assert artifacts(memory) == [RESULT]
    assert report.rejected_by_reason == {"duplicate": 1}


@pytest.mark.parametrize("folder", [DESKTOP, "/home/lin/desktop", "/home/lin/Documents"])
def test_24_a_known_folder_that_does_not_exist_is_no_artifact(here: Memory, folder: str) -> None:
    """Reference 24: a bare path to a desktop that is not there is refused."""
    here.observe([user("Where is it?"), agent(folder)])
    assert artifacts(here) == []


@pytest.mark.parametrize(
    "next_line", [FOLDER, f"已找到，文件保存在 {FOLDER}。"], ids=["bare path", "V1*: in a sentence"]
)
def test_25_cannot_find_path_names_the_invalid_one(memory: Memory, next_line: str) -> None:
    """Reference 25: the path that cannot be found is invalid, the one on the next line is an artifact."""
    error = f"Cannot find path '{DESKTOP}' because it does not exist."
    memory.observe([user("Where is it?"), output(error), agent(next_line)])
    assert learnt(memory, Category.INVALID_PATH) == [DESKTOP]
    assert artifacts(memory) == [FOLDER]


def test_25_also_within_one_output(memory: Memory) -> None:
    """Reference 25: the same when both lines stand in one output."""
    text = f"Cannot find path '{DESKTOP}' because it does not exist.\n{FOLDER}"
    memory.observe([user("Where is it?"), output(text)])
    assert learnt(memory, Category.INVALID_PATH) == [DESKTOP]
    assert artifacts(memory) == [FOLDER]


def test_26_the_windows_error_names_the_path_without_its_full_stop(memory: Memory) -> None:
    """Reference 26: "The system cannot find the path specified: X." -> invalid path X."""
    memory.observe([user("Where is it?"), output(f"The system cannot find the path specified: {DESKTOP}.")])
    assert learnt(memory, Category.INVALID_PATH) == [DESKTOP]


def test_27_the_command_that_found_a_path_validates_it(here: Memory, existing_folder: Existing) -> None:
    """Reference 27: a command whose answer is a bare path -> an artifact with that command as its validation."""
    command = "[Environment]::GetFolderPath('Desktop')"
    here.observe([user("Where is it?"), *ran(command, existing_folder(ONEDRIVE), exit_code=0)])
    assert artifacts(here) == [ONEDRIVE]
    assert the_fact(here, ONEDRIVE).validation_command == command


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (f'dir "{DESKTOP}"', "The system cannot find the path specified."),
        (f"Get-ChildItem '{DESKTOP}'", "系统找不到指定的路径。"),
        (f"Get-ChildItem -Path '{DESKTOP}' -Force", "Access is denied."),
    ],
)
def test_28_an_error_without_a_path_blames_the_only_operand(memory: Memory, command: str, error: str) -> None:
    """Reference 28: a command with a quoted X and an error that names no path -> invalid path X."""
    memory.observe([user("List it."), *ran(command, error, is_error=True)])
    assert learnt(memory, Category.INVALID_PATH) == [DESKTOP]


def test_29_no_artifact_ends_in_a_backtick(here: Memory, existing_folder: Existing) -> None:
    """Reference 29: of "found it! ... **`X`** (OneDrive...)" no artifact keeps a backtick."""
    folder = existing_folder(ONEDRIVE)
    here.observe([user("找桌面"), agent(f"找到了！你的桌面位于 **`{folder}`** (OneDrive 同步)")])
    assert artifacts(here) == [ONEDRIVE]
    assert the_fact(here, ONEDRIVE).status is Status.ACTIVE
