"""Which project a folder belongs to: by the files of real repositories, and by configurations as people have them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cfpm.paths.project import NO_PROJECT, configured_namespace, namespace_of, project_of

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *argv: str) -> None:
    named = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *named, *argv], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, config: str = "") -> Path:
    """A repository as far as it is looked at."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(config)
    return folder


def remote(url: str, name: str = "origin") -> str:
    return f'[remote "{name}"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/{name}/*\n'


SAME = [
    "https://github.com/ann/shop.git",
    "https://github.com/ann/shop",
    "https://GitHub.com/ann/shop/",
    "https://ann:ghp_0123456789abcdefABCDEF0123456789abcd@github.com/ann/shop.git",
    "https://github.com:443/ann/shop.git?x=1",
    "git@github.com:ann/shop.git",
    "github.com:ann/shop",
    "ssh://git@github.com:22/ann/shop.git",
    "git://github.com/ann/shop",
    '"https://github.com/ann/shop.git"',
    "https://github.com/ann/shop.git ; ours",
    "https://github.com/ann/shop.git # ours",
]


@pytest.mark.parametrize("url", SAME)
def test_all_ways_to_write_a_remote_are_one_project(tmp_path: Path, url: str) -> None:
    assert namespace_of(repository(tmp_path / "a", remote(url))) == "project:github.com/ann/shop"


def test_a_token_in_the_url_is_no_part_of_the_name(tmp_path: Path) -> None:
    assert "ghp_" not in namespace_of(repository(tmp_path / "a", remote(SAME[3])))


def test_folders_below_belong_to_the_project(tmp_path: Path) -> None:
    repository(tmp_path / "shop", remote(SAME[0]))
    below = tmp_path / "shop" / "src" / "cart"
    below.mkdir(parents=True)
    assert namespace_of(below) == "project:github.com/ann/shop"
    (tmp_path / "link").symlink_to(below)
    assert namespace_of(tmp_path / "link") == "project:github.com/ann/shop"


def test_the_innermost_repository_counts(tmp_path: Path) -> None:
    repository(tmp_path / "outer", remote("git@example.org:ann/outer.git"))
    inner = repository(tmp_path / "outer" / "vendor" / "inner", remote("git@example.org:ann/inner.git"))
    assert namespace_of(inner) == "project:example.org/ann/inner"


def test_origin_comes_before_other_remotes(tmp_path: Path) -> None:
    both = remote("git@example.org:bob/shop.git", "aaa") + remote("git@example.org:ann/shop.git")
    assert namespace_of(repository(tmp_path / "a", both)) == "project:example.org/ann/shop"
    others = remote("git@example.org:zoe/shop.git", "zoe") + remote("git@example.org:bob/shop.git", "bob")
    assert namespace_of(repository(tmp_path / "b", others)) == "project:example.org/bob/shop"


def test_without_a_remote_the_path_tells_projects_of_one_name_apart(tmp_path: Path) -> None:
    first = namespace_of(repository(tmp_path / "one" / "shop"))
    second = namespace_of(repository(tmp_path / "two" / "shop"))
    assert first.startswith("project:shop-")
    assert second.startswith("project:shop-")
    assert first != second
    assert namespace_of(tmp_path / "one" / "shop") == first


def test_a_remote_on_this_machine_is_named_by_its_path(tmp_path: Path) -> None:
    origin = tmp_path / "srv" / "shop.git"
    names = {
        namespace_of(repository(tmp_path / "a", remote(str(origin)))),
        namespace_of(repository(tmp_path / "b", remote("../srv/shop.git"))),
        namespace_of(repository(tmp_path / "c", remote(f"file://{origin}"))),
    }
    assert names == {f"project:{tmp_path}/srv/shop"}


@pytest.mark.parametrize(
    "config",
    [
        "",
        '[core]\n\tbare = false\n[branch "main"]\n\tremote = origin\n',
        '[remote "origin"]\n\tfetch = x\n',
        '[remote "origin"\n\turl',
        "\x00\xff[[[",
        '[remote "origin"]\n\turl =\n',
        '[submodule "x"]\n\turl = git@example.org:ann/x.git\n',
    ],
)
def test_a_configuration_without_a_remote(tmp_path: Path, config: str) -> None:
    assert namespace_of(repository(tmp_path / "shop", config)).startswith("project:shop-")


def test_a_folder_in_no_repository(tmp_path: Path) -> None:
    assert (project_of(tmp_path), namespace_of(tmp_path)) == (None, NO_PROJECT)
    (tmp_path / ".git").mkdir()
    assert project_of(tmp_path) is None
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".git").write_text("no link\n")
    assert project_of(tmp_path / "b") is None


def test_a_repository_of_the_whole_home_is_no_project_of_what_is_below(tmp_path: Path) -> None:
    repository(tmp_path, remote("git@example.org:ann/dotfiles.git"))
    (tmp_path / "letters").mkdir()
    shop = repository(tmp_path / "shop", remote(SAME[0]))
    assert project_of(tmp_path / "letters", home=tmp_path) is None
    assert project_of(tmp_path, home=tmp_path) is not None
    assert project_of(shop, home=tmp_path) is not None


def test_a_name_that_is_strange_or_long_is_made_plain(tmp_path: Path) -> None:
    named = namespace_of(repository(tmp_path / "a", remote("git@example.org:ann/my shop\u202e.git")))
    assert named == "project:example.org/ann/my-shop-"
    long = namespace_of(repository(tmp_path / "b", remote(f"git@example.org:{'x' * 900}.git")))
    assert len(long) < 200
    assert long != namespace_of(repository(tmp_path / "c", remote(f"git@example.org:{'x' * 901}.git")))


@needs_git
@pytest.mark.parametrize("with_remote", [True, False])
def test_all_worktrees_share_one_namespace(tmp_path: Path, with_remote: bool) -> None:
    main = tmp_path / "shop"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    if with_remote:
        git(main, "remote", "add", "origin", SAME[5])
    git(main, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "feature"), "-b", "feature")
    (tmp_path / "elsewhere" / "feature" / "src").mkdir()
    expected = namespace_of(main)
    assert expected.startswith("project:github.com/ann/shop" if with_remote else "project:shop-")
    assert namespace_of(tmp_path / "elsewhere" / "feature" / "src") == expected
    shutil.rmtree(main / ".git" / "worktrees" / "feature")
    assert namespace_of(tmp_path / "elsewhere" / "feature") == expected


@needs_git
def test_worktrees_of_a_bare_repository_and_a_submodule(tmp_path: Path) -> None:
    bare = tmp_path / "shop.git"
    bare.mkdir()
    git(bare, "init", "-q", "--bare")
    git(tmp_path, "clone", "-q", str(bare), "work")
    git(tmp_path / "work", "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path / "work", "push", "-q", "origin", "HEAD:refs/heads/main")
    git(bare, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    assert namespace_of(tmp_path / "tree").startswith("project:shop-")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(bare), "libs/shop")
    assert namespace_of(outer / "libs" / "shop") == f"project:{tmp_path}/shop"
    assert namespace_of(outer / "libs").startswith("project:outer-")


def test_what_is_configured(tmp_path: Path) -> None:
    assert configured_namespace({}, tmp_path) == NO_PROJECT
    (tmp_path / "cfpm.toml").write_text('namespace = "auto"\n')
    assert configured_namespace({}, tmp_path) == "auto"
    assert configured_namespace({"CFPM_NAMESPACE": "project:shop"}, tmp_path) == "project:shop"
    (tmp_path / "cfpm.toml").write_text("namespace = ")
    with pytest.raises(ValueError, match="Invalid"):
        configured_namespace({}, tmp_path)
