"""whitespace: the meaning of `git diff --check`, and git is the judge.

Random histories of two commits are checked by both; the places of all complaints must be the same.
"""

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import Files, record, source, tree
from release.adapters.git import GitRepository
from release.checks.whitespace import Whitespace
from release.checks.whitespace.attributes import Attributes
from release.values import Finding, Oid

FATAL = 128
Tree = Mapping[str, bytes]


class Scratch:
    """A repository whose two branches are rewritten again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run(["git", "init", "--quiet", str(path)], check=True)
        self.git = GitRepository(path)

    def history(self, before: Tree, after: Tree) -> tuple[Oid, Oid]:
        """Both as commits, the second one checked out. Returns their trees."""
        commits = b"".join(_commit(branch, files) for branch, files in ((b"a", before), (b"b", after)))
        self.run("fast-import", "--quiet", "--force", stdin=commits)
        self.run("read-tree", "--reset", "-u", "refs/heads/b")
        first, second = self.run("rev-parse", "refs/heads/a^{tree}", "refs/heads/b^{tree}").decode().split()
        return Oid(first), Oid(second)

    def gits_places(self) -> set[tuple[str, int]] | None:
        """(path, line) of each complaint of `git diff --check`; None where git gives up."""
        done = subprocess.run(
            ["git", "diff", "--check", "refs/heads/a", "refs/heads/b"], cwd=self.path, capture_output=True, check=False
        )
        if done.returncode == FATAL:
            return None
        # What follows a complaint is its line, behind a plus.
        said = [line for line in done.stdout.split(b"\n") if line and not line.startswith(b"+")]
        places = (line.rsplit(b":", 2)[:2] for line in said)
        return {(path.decode("utf-8", "surrogateescape"), int(line)) for path, line in places}

    def our_findings(self, before: Oid, after: Oid) -> list[Finding]:
        asked = tree(source=source(tree=after), records=(record(source_tree=before),))
        return list(Whitespace(self.git, Files())(asked))

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return subprocess.run(["git", *arguments], cwd=self.path, input=stdin, capture_output=True, check=True).stdout


def _commit(branch: bytes, files: Tree) -> bytes:
    head = b"commit refs/heads/%b\ncommitter A <a@example.com> 0 +0000\ndata 0\ndeleteall\n" % branch
    return head + b"".join(
        b"M %b inline %b\ndata %d\n%b\n" % (b"100644", _quoted(path), len(content), content)
        for path, content in files.items()
    )


def _quoted(path: str) -> bytes:
    return b'"%b"' % b"".join(b"\\%03o" % byte for byte in path.encode("utf-8", "surrogateescape"))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    made = Scratch(tmp_path_factory.mktemp("scratch"))
    yield made
    made.git.close()


PATHS = ["a", "b.txt", "d/a", "d/e/b.txt", "sp ace", 'qu"o\\te', "é", "d/[x]", "\udcff"]
MARKERS = [
    marker * size + end for marker in (b"<", b"=", b">", b"|") for size, end in ((7, b""), (7, b" x"), (3, b"\r"))
]
LINES = st.sampled_from(
    [
        b"", b" ", b"\t", b"x", b"y ", b"x ", b"x\t", b"\r", b"x\r", b"x \r", b" \tx", b"        x", b"\t        x",
        b"  \t  x", b"   x", b" \t \r", b"\x0b", b"x\x0c", b"+x ", b"-x ", b"@@ -1 +1 @@ ", b"diff --git a/x b/x",
        b"\\ No newline", b"=======x", b"========", *MARKERS,
    ]
)  # fmt: skip
# Longer than the block in which git compares the ends of two files.
TAILS = st.sampled_from([b"", b"", b"y \n" * 400, b"x\n\n" * 400, b"z" * 1200 + b"\n"])
WORDS = st.sampled_from(
    [
        "trailing-space", "space-before-tab", "indent-with-non-tab", "cr-at-eol", "blank-at-eol", "blank-at-eof",
        "tab-in-indent", "trail", "space", "indent", "cr", "blank-at-e", "b", "t", "tab", "tabwidth=4", "tabwidth=1",
        "tabwidth=63", "tabwidth=64", "tabwidth=0", "tabwidth=3x", "tabwidth=", "x", "", "-",
    ]
)  # fmt: skip
VALUES = st.lists(st.tuples(st.sampled_from(["", "-"]), WORDS).map("".join), max_size=4).map(",".join)
SIZES = ["3", "8", "0", "-1", "x", "3x", "+3", "4294967299", "9" * 30, "³", ""]
STATES = st.one_of(
    st.sampled_from(
        [
            "whitespace", "-whitespace", "!whitespace", "diff", "-diff", "!diff", "binary", "-binary", "!binary",
            "diff=cpp", "diff=", "mac=x", "-diff=x", "bad*name", "-", "x=y", "-text", "conflict-marker-size",
            "-conflict-marker-size",
        ]
    ),
    st.sampled_from(["mac", "-mac", "!mac", "own", "!own"]),
    VALUES.map("whitespace={}".format),
    st.sampled_from(SIZES).map("conflict-marker-size={}".format),
)  # fmt: skip
MATCHING = st.one_of(
    st.sampled_from(["*", "[attr]mac", "[attr]own"]),
    st.sampled_from(
        [
            "a", "*.txt", "/a", "d/*", "d/**", "**/b.txt", "d/", "[a-c]", "[!a]", "?", "**", "d/**/a", "!a", "*a*", "é",
            "d", "/d/e/b.txt", '"sp ace"', '"qu\\"o\\\\te"', "qu*", r"\a", "#a", r"\#a", "[attr]binary", "[attr]",
            "[attr]diff", '"[attr]own"', '"a', '"\\141"', r'"\303\251"', r"d/\[x\]", "[[:alpha:]]", "\ufeffa",
            "[attr]bad*name", " \ta", "",
        ]
    ),
)  # fmt: skip
ATTRIBUTES = st.lists(
    st.tuples(MATCHING, st.lists(STATES, max_size=3)).map(lambda line: " ".join([line[0], *line[1]])), max_size=5
)
INDEX = st.integers(0, 6)


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """One text and what becomes of it."""
    old = draw(st.lists(LINES, max_size=6))
    kept = st.sampled_from(old) if old else LINES
    cut = st.builds(lambda first, last: old[first:last], INDEX, INDEX)
    new = draw(st.one_of(st.just(old), cut, st.lists(LINES | kept, max_size=8)))
    tail = draw(TAILS)

    def text(lines: list[bytes]) -> bytes:
        head = draw(st.sampled_from([b""] * 9 + [b"\0\n"]))
        return head + b"\n".join(lines) + draw(st.sampled_from([b"\n", b"\n", b"", b"\n\n"])) + tail

    return text(old), text(new)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two trees: files that stay, change, come, go and move, and attributes at three depths."""
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True)):
        old, new = draw(texts())
        before |= {path: old} if draw(st.booleans()) else {}
        target = draw(st.sampled_from([path, path, path, "moved"]))
        after |= {target: new} if draw(st.integers(0, 5)) else {}
    for folder in draw(st.lists(st.sampled_from(["", "d/", "d/e/"]), max_size=3, unique=True)):
        lines = draw(ATTRIBUTES)
        ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
        after[f"{folder}.gitattributes"] = ending.join([*lines, ""]).encode()
    return before, after


def _all_kinds(attributes: str) -> tuple[Tree, Tree]:
    """A file with something of everything, under these attributes."""
    content = b"x \n \tx\n        x\nx\r\n=======\n===\n\n\n"
    return {}, {"a": content, "d/b": content, ".gitattributes": attributes.encode()}


@given(histories())
@example(({"a": b"y \n" * 600}, {"a": b"y \n" * 601}))
@example(({"a": b"\0\n"}, {"a": b"x \n"}))
@example(({"a": b"x \n"}, {"moved": b"x \n"}))
@example(({"a": b"x\n\ny\n"}, {"a": b"x\n\n"}))
@example(({}, {"a": b"\n"}))
@example(({}, {"a": b"\n\n"}))
@example(({}, {"a": b"  \n"}))
@example(_all_kinds("[attr]mac -diff\n* mac\n"))
@example(_all_kinds("[attr]mac -diff\n* mac\n* !mac\n"))
@example(_all_kinds("[attr]mac -diff\n* diff mac\n"))
@example(_all_kinds("[attr]mac -diff\n* mac diff\n"))
@example(_all_kinds("[attr]one two\n[attr]two one -whitespace\n* one\n"))
@example(_all_kinds("[attr]binary diff\n* binary\n"))
@example(_all_kinds("* binary\na -binary diff\n"))
@example(_all_kinds("* whitespace\n" + "a" * 2040 + " -whitespace\n* -whitespace " + " " * 2050 + "\n"))
@example(_all_kinds("\ufeff* -whitespace\n"))
@example(_all_kinds("[attr]bad*name -diff\n[attr]mac\n* mac\n"))
@example(_all_kinds("* whitespace=-,blank\nd/* whitespace=,-blank-at-eol\n"))
@example(_all_kinds("* whitespace=indent-with-non-tab,tabwidth=4\n"))
@example(_all_kinds("* whitespace=tab-in-indent,indent-with-non-tab\n"))
@settings(max_examples=250)
def test_the_places_of_all_complaints_are_gits(scratch: Scratch, history: tuple[Tree, Tree]) -> None:
    """Where git gives up, over rules that contradict each other, we say so."""
    before, after = scratch.history(*history)
    findings, places = scratch.our_findings(before, after), scratch.gits_places()
    if places is None:
        assert "whitespace/contradiction" in {finding.rule for finding in findings}
    else:
        assert {(finding.path, finding.line) for finding in findings} == places


SPECIAL = "ab/*?[]!^-\\\\**/[:"
PIECES = st.sampled_from(
    [
        "**", "*", "a", "b", "/", "?", "-", "[ab]", "[!a]", "[a-b]", "[[:alpha:]]", "[]-]", "[^]a]", r"\*", r"[\]]",
        "[a/b]", "[[:bogus:]]", "[[:a]", "[b-a]", "[a", "**/", "/**", "/**/", "a**", "[-a]", "[a-]", "[--a]", r"[\--b]",
        "[[:punct:]]",
    ]
)  # fmt: skip
PATTERNS = st.text(alphabet=SPECIAL, min_size=1, max_size=9) | st.lists(PIECES, min_size=1, max_size=5).map("".join)
NAMES = st.lists(st.text(alphabet="ab-]*\\^!", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)


@given(PATTERNS, st.lists(NAMES, min_size=1, max_size=12))
@example("x/a**", ["x/a/b", "x/ab"])
@example("a**/b", ["ab", "a/b", "axx/b"])
@example("a/**/b", ["a/b", "a/a/a/b"])
@example("a\\", ["a", "a\\"])
@example("[/]", ["a", "a/b"])
@settings(max_examples=400)
def test_a_pattern_matches_the_paths_that_git_matches(scratch: Scratch, pattern: str, paths: list[str]) -> None:
    line = f"{pattern} -diff\n".encode()
    (scratch.path / ".gitattributes").write_bytes(line)
    asked = "\0".join(paths).encode()
    told = scratch.run("check-attr", "--stdin", "-z", "diff", stdin=asked).decode().split("\0")[:-1]
    ours = Attributes({".gitattributes": line})
    assert {path: ours.rules(path).is_binary is True for path in paths} == {
        path: state == "unset" for path, state in zip(told[::3], told[2::3], strict=True)
    }
