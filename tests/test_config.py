"""The configuration: every complaint names its key, and all complaints come together."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import SOURCE, oid
from release.config import GivenConfig, TagConfig, has_config, parse, read
from release.errors import UsageError
from release.ports import SourceItem
from release.values import Config, Mode, Newline, Oid, RepoType, Sha256, Visibility

SMALL = 'repo = "acme/model"\nfiles = ["*"]\n'
WHOLE = f"""
repo = "acme/model"
repo-type = "dataset"
visibility = "public"
message = "Version {{tag}}"
files = ["README.md", "data/**"]
engines = ["transformers", "llama.cpp-raw"]

[[file]]
source = "templates/card.md"
name = "CARD.md"

[[template]]
source = "templates/one"
name = "chat_template"
fixtures = "tests/one"

[[upstream]]
repo = "Qwen/Qwen3.5-27B"
repo-type = "model"
revision = "{"a" * 40}"
path = "chat_template.jinja"
sha256 = "{"b" * 64}"
name = "stock.jinja"
newline = "plus-one"

[[waiver]]
sha256 = "{"c" * 64}"
reason = "a documented example"
"""


def complaints(text: str) -> list[str]:
    """All that is said about this release.toml; the key of each is before its colon."""
    with pytest.raises(UsageError) as caught:
        read(text.encode(), "release.toml")
    return list(caught.value.complaints)


def test_the_smallest_configuration_is_a_repository_and_its_files() -> None:
    made = read(SMALL.encode(), "release.toml")
    assert (made.repo, made.files, made.repo_type, made.visibility, made.message) == (
        "acme/model",
        ("*",),
        RepoType.MODEL,
        Visibility.PRIVATE,
        "Release {tag}",
    )


def test_the_largest_configuration_is_read_whole() -> None:
    made = read(WHOLE.encode(), "release.toml")
    assert (made.repo_type, made.visibility, made.message) == (RepoType.DATASET, Visibility.PUBLIC, "Version {tag}")
    assert (made.file[0].name, made.template[0].fixtures) == ("CARD.md", "tests/one")
    assert (made.upstream[0].newline, made.waiver[0].reason) == (Newline.PLUS_ONE, "a documented example")
    assert made.engines == ("transformers", "llama.cpp-raw")


def test_the_engines_that_are_always_there_are_required_unless_others_are_named() -> None:
    assert read(SMALL.encode(), "release.toml").engines == ("transformers", "jinja2")


def test_a_configuration_knows_where_it_stood_and_its_bytes() -> None:
    made = read(SMALL.encode(), "release.toml", overridden=True)
    assert (made.read_from, made.sha256, made.overridden) == ("release.toml", Sha256.of(SMALL.encode()), True)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("x = 1", "x: unknown key"),
        ("Files = []", "Files: unknown key"),
        ("repo-type = 'table'", "repo-type: 'table': one of model, dataset, space"),
        ("repo-type = 1", "repo-type: a string belongs here, not a number"),
        ("visibility = 'secret'", "visibility: 'secret': one of public, private"),
        ("message = ''", "message: '': the message is one printable line"),
        ('message = "a\\u001b"', "message: 'a\\x1b': the message is one"),
        ('message = "a\\nb"', "message: 'a\\nb': the message is one"),
        ('message = "a\\u202eb"', "message: 'a\\u202eb': the message is one"),
        ("message = 2026-01-02", "message: a string belongs here, not a date"),
        ("file = 1", "file: tables belong here, as [[file]], not a number"),
        ("file = [1]", "file[0]: a table belongs here, not a number"),
        ("[file]", "file: tables belong here, as [[file]], not a table"),
        ("[[file]]", "file[0].source: missing"),
        ("[[file]]\nname = 'a'\nsource = '../x'", "file[0].source: '../x': a part"),
        ("[[file]]\nname = '.git/config'\nsource = 'a'", "file[0].name: '.git/config': '.git' is"),
        ("[[file]]\nname = 'a'\nsource = 'a'\nmode = 1", "file[0].mode: unknown key"),
        (
            "[[template]]\nname = 'a.jinja'\nsource = 'a'",
            "template[0].name: 'a.jinja': a template's name has no ending",
        ),
        ("[[template]]\nname = 'con'\nsource = 'a'", "template[0].name: 'con'"),
        (f"[[template]]\nname = '{'n' * 245}'\nsource = 'a'", f"template[0].name: '{'n' * 245}': a part"),
        ("[[template]]\nname = 'a'\nsource = 'b'\nfixtures = '/c'", "template[0].fixtures: '/c': the path is absolute"),
        ("[[upstream]]", "upstream[0].sha256: missing"),
        ("[[upstream]]\nrevision = 'main'", "upstream[0].revision: 'main': a revision is pinned by its 40 hex digits"),
        (
            f"[[upstream]]\nrevision = '{'a' * 64}'",
            f"upstream[0].revision: '{'a' * 64}': a revision is pinned by its 40",
        ),
        (
            f"[[upstream]]\nrevision = '{'A' * 40}'",
            f"upstream[0].revision: '{'A' * 40}': a revision is pinned by its 40",
        ),
        (
            f"[[upstream]]\nrevision = '{'a' * 39}'",
            f"upstream[0].revision: '{'a' * 39}': a revision is pinned by its 40",
        ),
        ("[[upstream]]\nsha256 = 'x'", "upstream[0].sha256: 'x': a sha256 is 64"),
        ("[[upstream]]\nnewline = 'two'", "upstream[0].newline: 'two': one of identical, plus-one, minus-one"),
        ("engines = []", "engines: a list of strings belongs here, with at least one"),
        ("engines = ['jinja2', 'Llama CPP']", "engines[1]: 'Llama CPP': an engine's name belongs here"),
        ("[[waiver]]\nreason = ' '", "waiver[0].reason: ' ': say why"),
    ],
)
def test_a_wrong_value_is_a_complaint_under_its_key(line: str, complaint: str) -> None:
    assert any(one.startswith(complaint) for one in complaints(SMALL + line)), complaints(SMALL + line)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "files: missing"),
        ("files = []", "files: a list of strings belongs here, with at least one"),
        ("files = 'a'", "files: a list of strings belongs here, with at least one"),
        ("files = ['a', 1]", "files: a list of strings belongs here, with at least one"),
        ("files = ['a', '../b']", "files[1]: '../b': no part of a pattern"),
        ("files = ['/etc/*']", "files[0]: '/etc/*': the pattern is absolute"),
        ("files = ['[z-a]']", "files[0]: '[z-a]': the range"),
    ],
)
def test_a_wrong_allow_list_is_a_complaint(line: str, complaint: str) -> None:
    assert [one.startswith(complaint) for one in complaints(f'repo = "a/b"\n{line}')] == [True]


def test_all_complaints_come_together() -> None:
    """One run shows everything that has to be mended."""
    said = complaints("x = 1\nrepo = 'one'\nfiles = ['..']\n[[file]]\nsource = '/'\n[[upstream]]\nrevision = 'main'\n")
    keys = [one.partition(":")[0] for one in said]
    assert keys == [
        "x",
        "repo",
        "files[0]",
        "file[0].source",
        "file[0].name",
        *(f"upstream[0].{key}" for key in ("repo", "revision", "path", "sha256")),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "[[file]]\nsource='a'\nname='x'\n[[file]]\nsource='b'\nname='x'",
            "file[1].name: 'x' is published by file[0].name",
        ),
        ("[[file]]\nsource='a'\nname='t.jinja'\n[[template]]\nsource='b'\nname='t'", "template[0].name: 't.jinja' is"),
        (
            "[[file]]\nsource='a'\nname='t_oneline.txt'\n[[template]]\nsource='b'\nname='t'",
            "template[0].name: 't_oneline.txt'",
        ),
        ("[[template]]\nsource='a'\nname='t'\n[[template]]\nsource='b'\nname='t'", "template[1].name: 't.jinja' is"),
        (
            "[[template]]\nsource='a'\nname='a/t'\n[[template]]\nsource='b'\nname='b/t'",
            "template[1].name: the archive would",
        ),
        (
            "[[file]]\nsource='/'\nname='x'\n" + "[[file]]\nsource='a'\nname='x'\n" * 2,
            "file[2].name: 'x' is published by file[1]",
        ),
    ],
)
def test_a_name_that_two_rules_publish_is_a_complaint(text: str, complaint: str) -> None:
    assert any(one.startswith(complaint) for one in complaints(SMALL + text)), complaints(SMALL + text)


SCALARS = st.sampled_from(
    [
        "1", "1.5", "true", "2026-01-02", "12:00:00", "''", "'a'", "'a/b'", "'..'", "'*'", "'é'", '"\\u0000"',
        "'acme/model'", "'public'", f"'{'a' * 40}'", f"'{'b' * 64}'", "[]", "['*']", "[1]", "[[]]", "{}", "{a = 1}",
    ]
)  # fmt: skip
KEYS = st.sampled_from(
    [
        "repo", "repo-type", "visibility", "files", "message", "file", "template", "upstream", "waiver", "name",
        "source", "fixtures", "revision", "path", "sha256", "newline", "x", '"a\\nb"', '""', "tool", "tool.release",
    ]
)  # fmt: skip
LINES = st.one_of(
    st.tuples(KEYS, SCALARS).map(" = ".join),
    KEYS.map(lambda key: f"[{key}]"),
    KEYS.map(lambda key: f"[[{key}]]"),
    st.sampled_from(["files = ['*']", "repo = 'acme/model'"]),
)


def _config_or_refused(content: bytes, name: str) -> Config | None:
    try:
        return read(content, name)
    except UsageError:
        return None


@given(st.lists(LINES, max_size=10).map("\n".join), st.sampled_from(["release.toml", "pyproject.toml"]))
@settings(max_examples=500)
def test_any_toml_is_a_configuration_or_a_usage_error(text: str, name: str) -> None:
    made = _config_or_refused(text.encode(), name)
    assert made is None or (made.repo.count("/"), bool(made.files)) == (1, True)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"a = " + b"[" * 20_000)
@example(b"a = " + b"1" * 5_000)
@example(b"\xff")
def test_any_bytes_are_a_configuration_or_a_usage_error(content: bytes) -> None:
    assert _config_or_refused(content, "release.toml") is None
    assert has_config(content) in (True, False)


@pytest.mark.parametrize("text", ["tool = 3", "tool = 'release'", "[tool]\nrelease = 1", "[tool]", "[[tool]]", ""])
def test_a_pyproject_without_a_proper_table_is_a_complaint(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text.encode(), "pyproject.toml", table=("tool", "release"))
    assert caught.value.complaints


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[tool.release]\n", True),
        ("[tool]\nrelease = 1\n", True),
        ("[tool.other]\n", False),
        ("tool = 'release'\n", False),
        ("tool = 3\n", False),
        ("[project]\nname = 'release'\n", False),
        ("[tool.release\n", True),
        ("[tool.other\n", False),
    ],
)
def test_a_pyproject_is_asked_whether_it_speaks_of_releases(text: str, found: bool) -> None:
    """One that cannot be read is taken to: its author should hear what is wrong with it."""
    assert has_config(text.encode()) is found


class _OneTree:
    """A tag that holds these files; only what `TagConfig` asks for."""

    def __init__(self, files: dict[str, tuple[Mode, bytes]]) -> None:
        self._files = files

    def listing(self, tree: Oid) -> Iterator[SourceItem]:
        return (SourceItem(path, mode, oid(index)) for index, (path, (mode, _)) in enumerate(self._files.items()))

    def object(self, wanted: Oid) -> tuple[str, bytes]:
        return "blob", [content for _, content in self._files.values()][int(wanted[0])]


def _from_tag(files: Sequence[tuple[str, str]], mode: Mode = Mode.REGULAR) -> Config:
    tag = _OneTree({path: (mode, text.encode()) for path, text in files})
    return TagConfig(tag)(SOURCE)[0]  # type: ignore[arg-type]


PYPROJECT = '[tool.release]\nrepo = "acme/of-pyproject"\nfiles = ["*"]\n'


@pytest.mark.parametrize(
    ("files", "repo"),
    [
        ([("release.toml", SMALL)], "acme/model"),
        ([("pyproject.toml", PYPROJECT)], "acme/of-pyproject"),
        ([("pyproject.toml", PYPROJECT), ("release.toml", SMALL)], "acme/of-pyproject"),
        ([("pyproject.toml", "[project]\n"), ("release.toml", SMALL)], "acme/model"),
    ],
)
def test_pyproject_comes_first_where_it_has_the_table(files: list[tuple[str, str]], repo: str) -> None:
    assert _from_tag(files).repo == repo


@pytest.mark.parametrize("files", [[], [("pyproject.toml", "[project]\n")], [("sub/release.toml", SMALL)]])
def test_a_tag_without_a_configuration_says_how_to_get_one(files: list[tuple[str, str]]) -> None:
    with pytest.raises(UsageError, match="holds no configuration"):
        _from_tag(files)


@pytest.mark.parametrize("mode", [Mode.SYMLINK, Mode.SUBMODULE])
def test_a_link_or_a_submodule_is_no_configuration(mode: Mode) -> None:
    with pytest.raises(UsageError, match="holds no configuration"):
        _from_tag([("release.toml", SMALL)], mode)


def test_a_configuration_from_elsewhere_is_marked_as_such() -> None:
    made, content = GivenConfig(SMALL.encode(), "fix.toml", overridden=True)(SOURCE)
    assert (made.read_from, made.overridden, content) == ("fix.toml", True, SMALL.encode())
