"""Source → Tree: the same bytes on every machine, from git objects alone."""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from examples import record
from release.adapters.workspace import Workspace
from release.errors import Unavailable, UsageError
from release.values import Entry, Mode, Origin, Sha256, TagName, Tree, git_blob_id
from release.values.manifest import Manifest
from steps.built import build
from support import SourceRepository

ALL = 'repo = "acme/model"\nfiles = ["**"]\n'


def released(source: SourceRepository, settings: str, files: Mapping[str, str | bytes]) -> Tree:
    """The tree of a tag with these files and this configuration."""
    source.commit({"release.toml": settings, **files})
    source.tag("v1")
    return build(source.path)[0]


def entries(tree: Tree) -> dict[str, tuple[str, str]]:
    return {entry.path: (entry.origin.value, entry.source) for entry in tree.entries}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_matches_is_copied_and_the_rest_stays_home(source: SourceRepository) -> None:
    settings = 'repo = "acme/model"\nfiles = ["*.txt", "d/**"]\n'
    tree = released(source, settings, {"a.txt": "1\n", "d/b": "2\n", "secret": "3\n", "d/.hidden": "4\n"})
    assert entries(tree) == {"SHA256SUMS": ("sums", ""), "a.txt": ("copied", "a.txt"), "d/b": ("copied", "d/b")}
    assert (tree.unmatched, tree.idle) == (("d/.hidden", "release.toml", "secret"), ())


def test_every_fact_of_a_file_is_that_of_its_bytes(source: SourceRepository) -> None:
    content = b"\0\xff\r\n" * 1000
    tree = released(source, ALL, {"a": content})
    assert tree.by_path["a"] == Entry(
        "a", Mode.REGULAR, Origin.COPIED, "a", len(content), Sha256.of(content), git_blob_id(content)
    )


def test_the_exec_bit_is_kept_as_the_mode(source: SourceRepository) -> None:
    source.write({"run.sh": "#!/bin/sh\n"})
    (source.path / "run.sh").chmod(0o755)
    assert released(source, ALL, {}).by_path["run.sh"].mode is Mode.EXECUTABLE


def test_the_checksums_are_accepted_by_the_usual_command(source: SourceRepository) -> None:
    source.commit({"release.toml": ALL, "a b": "1\n", "d/é": "2\n", "e/f/g": ""})
    source.tag("v1")
    tree, space = build(source.path)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=space.tree, check=True)
    assert (space.tree / "SHA256SUMS").read_bytes() == tree.sums == space.load("SHA256SUMS")


def test_a_pattern_that_matches_nothing_is_told(source: SourceRepository) -> None:
    tree = released(source, 'repo = "acme/model"\nfiles = ["*", "nowhere/**"]\n', {})
    assert tree.idle == ("nowhere/**",)


# Whatever the machine.


@pytest.fixture
def strange_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = os.umask(0o077)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    monkeypatch.setenv("LC_ALL", "tr_TR.ISO-8859-9")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    time.tzset()
    yield
    os.umask(before)
    monkeypatch.undo()
    time.tzset()


ATTRIBUTES = (
    "* text=auto eol=crlf ident export-subst working-tree-encoding=UTF-16\nsecret export-ignore\n*.bin filter=lfs\n"
)
ODD_FILES = {
    ".gitattributes": ATTRIBUTES.encode(),
    "lf.txt": b"one\ntwo\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "ident.txt": b"$Id$ $Id: 0123$ $Format:%H%d$\n",
    "secret": b"ignored by git archive\n",
    "a.bin": b"\0\r\n\xff",
    "é/ü ö.txt": b"names\n",
    "empty": b"",
}


@pytest.mark.usefixtures("strange_machine")
def test_a_strange_machine_with_a_dirty_worktree_builds_the_same_bytes(
    source: SourceRepository, tmp_path: Path
) -> None:
    """Two clones: umask, time zone, locale, autocrlf, attributes, a later HEAD, replacements, uncommitted changes."""
    # Git must not apply its attributes while the files are added; what is tagged are these bytes.
    source.git("config", "core.attributesFile", "/dev/null")
    source.write({"release.toml": ALL, **ODD_FILES})
    for path in ["release.toml", *ODD_FILES]:
        blob = subprocess.run(
            ["git", "hash-object", "-w", "--no-filters", "--", path], cwd=source.path, capture_output=True, check=True
        )
        source.git("update-index", "--add", "--cacheinfo", f"100644,{blob.stdout.decode().strip()},{path}")
    source.git("commit", "--quiet", "-m", "As it is")
    source.tag("v1")
    os.umask(0o002)
    first, space = build(source.path)
    clone = SourceRepository(tmp_path / "clone")
    clone.git("fetch", "--quiet", "--tags", str(source.path))
    clone.git("config", "core.autocrlf", "true")
    clone.git("config", "core.eol", "crlf")
    clone.git("replace", clone.git("rev-parse", "v1:lf.txt"), clone.git("rev-parse", "v1:crlf.txt"))
    clone.commit({"lf.txt": "a later commit\n", "release.toml": "repo = 1\n"})
    clone.write({"crlf.txt": "not committed\n", ".gitattributes": "* -text filter=evil\n", "new": "x\n"})
    os.umask(0o077)
    second, other = build(clone.path)
    assert contents(space.tree) == contents(other.tree)
    unpublished = {".gitattributes": ATTRIBUTES.encode()}
    assert (contents(other.tree) | unpublished).items() >= ODD_FILES.items()
    assert (first.entries, first.sums) == (second.entries, second.sums)
    assert space.load("manifest.json") == other.load("manifest.json")


def test_building_again_gives_the_same(source: SourceRepository) -> None:
    released(source, ALL, {"a": "1\n", "d/b": "2\n"})
    first, space = build(source.path)
    manifest = space.load("manifest.json")
    (space.tree / "left over").write_text("x")
    second, space = build(source.path)
    assert (second, space.load("manifest.json"), space.present()) == (first, manifest, set(first.by_path))


def test_a_sha256_repository_gives_the_ids_that_the_hub_computes(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(tmp_path / "source")], check=True)
    tree = released(SourceRepository(tmp_path / "source"), ALL, {"a": "1\n"})
    assert (tree.by_path["a"].blob, len(tree.source.commit)) == (git_blob_id(b"1\n"), 64)


# Mappings, templates and pins.


def test_a_mapping_publishes_under_another_name_and_wins_over_a_pattern(source: SourceRepository) -> None:
    settings = ALL + '[[file]]\nsource = "card.md"\nname = "README.md"\n'
    tree = released(source, settings, {"README.md": "of the project\n", "card.md": "of the model\n"})
    assert entries(tree)["README.md"] == ("copied", "card.md")
    assert tree.by_path["README.md"].sha256 == Sha256.of(b"of the model\n")


def test_what_a_mapping_takes_the_place_of_is_named_as_staying_home(source: SourceRepository) -> None:
    settings = 'repo = "acme/model"\nfiles = ["README.md"]\n[[file]]\nsource = "card.md"\nname = "README.md"\n'
    assert released(source, settings, {"README.md": "1\n", "card.md": "2\n"}).unmatched == ("README.md", "release.toml")


def test_sources_that_the_tag_does_not_hold_are_complained_of_together(source: SourceRepository) -> None:
    settings = ALL + "".join(
        f'[[{kind}]]\nsource = "{name}"\nname = "{name}-published"\n'
        for kind, name in (("file", "one"), ("file", "a"), ("file", "two"), ("template", "three"))
    )
    with pytest.raises(UsageError, match="does not fit the tag") as caught:
        released(source, settings, {"a": "1\n"})
    assert [one.partition(":")[0] for one in caught.value.complaints] == [
        "file[0].source",
        "file[2].source",
        "template[0].source",
    ]


TEMPLATE = '[[template]]\nsource = "t.jinja"\nname = "chat_template"\n'


def test_a_template_becomes_four_files(source: SourceRepository) -> None:
    settings = 'repo = "acme/model"\nfiles = ["a"]\n' + TEMPLATE
    tree = released(source, settings, {"a": "1\n", "t.jinja": "{{ x }}"})
    made = {path: origin for path, (origin, where) in entries(tree).items() if where == "t.jinja"}
    assert made == {
        "chat_template.jinja": "built",
        "chat_template_v1.jinja": "built",
        "chat_template_oneline.txt": "oneline",
        "chat_template_v1_oneline.txt": "oneline",
    }
    assert tree.unmatched == ("release.toml",)


def test_a_template_wins_over_a_pattern(source: SourceRepository) -> None:
    tree = released(source, ALL + TEMPLATE, {"chat_template.jinja": "old", "t.jinja": "{{ new }}"})
    assert entries(tree)["chat_template.jinja"] == ("built", "t.jinja")


def test_a_template_that_meets_a_file_is_listed_without_bytes(source: SourceRepository) -> None:
    tree = released(source, ALL + TEMPLATE, {"Chat_template.jinja": "1\n", "t.jinja": "{{ 1 }}"})
    assert [entry.path for entry in tree.entries if not entry.has_bytes] == ["chat_template.jinja"]


def test_a_template_that_cannot_be_built_is_a_problem_of_the_tree(source: SourceRepository) -> None:
    """The other files are built, so that the checks can speak of them too."""
    tree = released(source, ALL + TEMPLATE, {"a": "1\n", "t.jinja": b"\xff"})
    assert ([path for path, _ in tree.problems], "a" in tree.by_path) == (["chat_template.jinja"], True)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ('[[file]]\nsource = "a"\nname = "chat_template_v1.jinja"\n', "chat_template_v1.jinja"),
        ('[[template]]\nsource = "t.jinja"\nname = "chat_template_v1"\n', "chat_template_v1.jinja"),
    ],
)
def test_a_name_that_only_the_tag_makes_twice_is_a_usage_error(source: SourceRepository, rule: str, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        released(source, ALL + TEMPLATE + rule, {"a": "1\n", "t.jinja": "{{ 1 }}"})
    assert name in " ".join(caught.value.complaints)


def test_a_name_that_is_too_long_with_the_tag_is_a_usage_error(source: SourceRepository) -> None:
    settings = ALL + TEMPLATE.replace("chat_template", "n" * 242)
    with pytest.raises(UsageError) as caught:
        released(source, settings, {"t.jinja": "{{ 1 }}"})
    assert "255 bytes" in caught.value.complaints[0]


def _pin(name: str, newline: str = "identical", path: str = "up.jinja") -> str:
    sha256 = Sha256.of(path.encode())
    return (
        f'[[upstream]]\nrepo = "up/stream"\nrevision = "{"a" * 40}"\npath = "{path}"\nsha256 = "{sha256}"\n'
        f'name = "{name}"\nnewline = "{newline}"\n'
    )


def pinned(source: SourceRepository, settings: str, pins: Mapping[str, bytes], **files: str) -> tuple[Tree, Workspace]:
    source.commit({"release.toml": ALL + settings, **files})
    source.tag("v1")
    return build(source.path, "v1", pins)


@pytest.mark.parametrize(("newline", "published"), [("identical", b"up"), ("plus-one", b"up\n")])
def test_a_pin_is_published_in_its_relation_to_the_upstream_bytes(
    source: SourceRepository, newline: str, published: bytes
) -> None:
    tree, space = pinned(source, _pin("stock.jinja", newline), {"up.jinja": b"up"})
    where = f"up/stream@{'a' * 40}:up.jinja"
    assert (entries(tree)["stock.jinja"], (space.tree / "stock.jinja").read_bytes()) == (("pinned", where), published)


def test_a_pin_without_the_newline_to_take_away_is_a_problem_of_the_tree(source: SourceRepository) -> None:
    tree, _ = pinned(source, _pin("stock.jinja", "minus-one"), {"up.jinja": b"up"})
    assert ([path for path, _ in tree.problems], "stock.jinja" in tree.by_path) == (["stock.jinja"], False)


def test_a_pin_without_a_published_name_is_not_fetched(source: SourceRepository) -> None:
    tree, _ = pinned(source, _pin("x").replace('name = "x"\n', ""), {})
    assert set(tree.by_path) == {"release.toml", "SHA256SUMS"}


def test_a_pin_that_nobody_has_is_unavailable(source: SourceRepository) -> None:
    with pytest.raises(Unavailable, match="nobody has it"):
        pinned(source, _pin("stock.jinja"), {})


def test_a_pin_wins_over_a_pattern(source: SourceRepository) -> None:
    tree, _ = pinned(source, _pin("a"), {"up.jinja": b"up"}, a="1\n")
    assert entries(tree)["a"][0] == "pinned"


# What must not leave.


def test_links_and_submodules_are_listed_without_bytes(source: SourceRepository) -> None:
    source.commit({"release.toml": ALL, "a": "1\n"})
    (source.path / "link").symlink_to("/etc/passwd")
    source.git("add", "link")
    source.git("update-index", "--add", "--cacheinfo", f"160000,{'9' * 40},sub")
    source.git("commit", "--quiet", "-m", "Odd")
    source.tag("v1")
    tree, space = build(source.path)
    assert {(entry.path, entry.mode) for entry in tree.entries if not entry.has_bytes} == {
        ("link", Mode.SYMLINK),
        ("sub", Mode.SUBMODULE),
    }
    assert (space.present(), space.load("manifest.json")) == ({"a", "release.toml", "SHA256SUMS"}, None)


@pytest.mark.parametrize("path", ["con", "a\nb", "a\x1b[31m", "x/con/y", "a\u202eb", "back\\slash", "a ", "\udcff"])
def test_a_file_with_an_unsafe_name_is_listed_without_bytes(source: SourceRepository, path: str) -> None:
    tree = released(source, ALL, {path: "1\n"})
    assert [entry.path for entry in tree.entries if not entry.has_bytes] == [path]


@pytest.mark.parametrize(("one", "other"), [("README.md", "readme.md"), ("d/x", "D/y"), ("\u00e9", "e\u0301")])
def test_of_names_that_meet_only_the_first_is_written(source: SourceRepository, one: str, other: str) -> None:
    tree = released(source, ALL, {one: "1\n", other: "2\n"})
    later = max(one, other, key=str.encode)
    assert [entry.path for entry in tree.entries if not entry.has_bytes] == [later]


@pytest.mark.parametrize("path", ["sha256sums", "SHA256SUMS/x"])
def test_a_name_that_meets_the_checksums_is_not_written(source: SourceRepository, path: str) -> None:
    tree = released(source, ALL, {path: "1\n"})
    assert [entry.path for entry in tree.entries if not entry.has_bytes] == [path]


@pytest.mark.parametrize("settings", ["", '[[file]]\nsource = "a"\nname = "SHA256SUMS"\n', _pin("SHA256SUMS")])
def test_nobody_else_writes_the_checksums(source: SourceRepository, settings: str) -> None:
    files: dict[str, str] = {"a": "1\n"} | ({} if settings else {"SHA256SUMS": "mine\n"})
    tree, space = pinned(source, settings, {"up.jinja": b"up"}, **files)
    assert [path for path, _ in tree.problems] == ["SHA256SUMS"]
    assert (space.tree / "SHA256SUMS").read_bytes() == tree.sums


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n", True),
        (b"version https://git-lfs.github.com/spec/v1\n" + b"x" * 2000, False),
        (b"about version https://git-lfs.github.com/spec/v1\n", False),
    ],
)
def test_a_pointer_to_a_large_file_is_noted(source: SourceRepository, content: bytes, pointer: bool) -> None:
    assert released(source, ALL, {"a.bin": content}).by_path["a.bin"].pointer is pointer


# What is kept for later.


def test_records_of_the_tag_are_read_and_broken_ones_told(source: SourceRepository) -> None:
    made = record(tag=TagName("v0"))
    files = {
        "archive/records/v0.json": made.to_json(),
        "archive/records/x.json": b"{",
        "archive/records/v0.md": "notes\n",
    }
    tree = released(source, ALL, files)
    assert (tree.records, [path for path, _ in tree.broken_records]) == ((made,), ["archive/records/x.json"])


def test_what_was_built_and_from_what_is_kept(source: SourceRepository) -> None:
    tree = released(source, ALL, {"a": "1\n"})
    space = Workspace(source.path, TagName("v1"))
    assert space.load("config.toml") == ALL.encode()
    assert Manifest.from_json(space.load("manifest.json") or b"") == Manifest.of(tree, "0.1")
