"""Text from outside that became a name: nothing gets in that could hurt, and git is asked where git decides."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from release.values import Oid, RepoId, RepoPath, Sha256, TagName, git_blob_id, path_faults

# What a path could be made of by somebody who means harm.
NASTY = st.sampled_from(
    [
        "", ".", "..", "...", ".git", ".GIT", ".Git ", ".git.", "git~1", "GIT~1", ".g\u200cit",
        ".git::$INDEX_ALLOCATION", ".git:x", ".gitmodules", "con", "NUL.txt", "aux", "com1", "LPT³", "a ", "a.", " a",
        "~", "-rf", "C:", "c:x", "\\", "..\\x", "\x00", "\x1b[31m", "\n", "\x7f", "\x85", "\u202e", "\u2066", "\ufeff",
        "\U000e0041", "e\u0301", "\u00e9", "\udcff", "\ud800", ".cache",
        ".Cache", ".gitattributes", "x" * 256, "é" * 128, "ok", "a.txt", "SHA256SUMS", "#", "'", '"', "$(x)", "*",
    ]
)  # fmt: skip
PATHS = st.lists(NASTY | st.text(max_size=6), min_size=1, max_size=4).map("/".join)


def _is_path(text: str) -> bool:
    try:
        RepoPath(text)
    except ValueError:
        return False
    return True


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("playground")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scratch")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@given(PATHS)
@settings(max_examples=300)
def test_what_a_path_accepts_stays_inside_its_folder(playground: Path, text: str) -> None:
    """And comes back under the same name."""
    if not _is_path(text):
        return
    target = Path(f"{playground}/{text}")
    assert target.resolve().is_relative_to(playground.resolve())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"")
    assert target.name in os.listdir(target.parent)
    target.unlink()
    while target.parent != playground:
        target = target.parent
        target.rmdir()


@given(PATHS)
@example(".g\u200cit/config")
@example("a/git~1")
@settings(max_examples=150)
def test_what_git_protects_a_checkout_from_is_refused(scratch: Path, text: str) -> None:
    """Git's own guard, for all file systems at once: it may take no path less than we do."""
    if not _is_path(text) or text.endswith("/"):
        return
    line = f"100644 {git_blob_id(b'')}\t{text}\0"
    guards = ["-c", "core.protectNTFS=true", "-c", "core.protectHFS=true"]
    added = subprocess.run(
        ["git", *guards, "update-index", "--add", "--replace", "-z", "--index-info"],
        cwd=scratch,
        input=line.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )
    assert (added.returncode, added.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("//host/share", "absolute"),
        ("C:/x", "absolute"),
        ("c:x", "absolute"),
        ("-rf", "begins with '-'"),
        ("-", "begins with '-'"),
        ("../x", "'.' or '..'"),
        ("a/../../x", "'.' or '..'"),
        ("a/..", "'.' or '..'"),
        ("./x", "'.' or '..'"),
        ("a//b", "empty"),
        ("a/", "empty"),
        ("..\\x", "backslash"),
        ("a\x1b[31mb", "U+001B"),
        ("a\nb", "U+000A"),
        ("a\x00b", "U+0000"),
        ("a\x7fb", "U+007F"),
        ("a\x9bb", "U+009B"),
        ("a\u202eb", "U+202E"),
        ("a\u2067b", "U+2067"),
        ("a\u2028b", "U+2028"),
        ("a\u200bb", "U+200B"),
        ("a\U000e0041b", "U+E0041"),
        ("a\u2800b", "U+2800"),
        ("\ufeffa", "U+FEFF"),
        ("a\u00adb", "U+00AD"),
        ("a\udcffb", "not UTF-8"),
        ("\ud800", "not UTF-8"),
        (".git", "git's own folder"),
        ("a/.GIT/config", "git's own folder"),
        ("a/git~1/config", "git's own folder"),
        (".g\u200cit", "git's own folder"),
        (".git ./x", "git's own folder"),
        (".git::$INDEX_ALLOCATION/x", "git's own folder"),
        ("a/con", "device"),
        ("CON.tar.gz", "device"),
        ("nul .txt", "device"),
        ("com¹", "device"),
        ("aux:x", "device"),
        ("a./b", "dot or a space"),
        ("a ", "dot or a space"),
        (".cache/x", "download cache"),
        ("a/.Cache", "download cache"),
        (".gitattributes", "Hub keeps"),
        (".GitAttributes", "Hub keeps"),
        ("a/" + "b" * 256, "255 bytes"),
        ("é" * 128, "255 bytes"),
        ("/".join(["abcdefg"] * 129), "1024 bytes"),
    ],
)
def test_each_way_to_be_dangerous_is_named(text: str, said: str) -> None:
    assert said in "; ".join(path_faults(text))


@pytest.mark.parametrize(
    "text",
    [
        "a", "a/b.txt", ".hidden", "a/.gitattributes", ".gitignore", ".github/x", "git", "a.git", "con1", "console",
        "nullary", "com10", "x~1", "a b", "a/-rf", "é", "日本語/テンプレート.jinja", "…", "a...b", "...a", "~", "'",
        "a" * 255, ".cached", "SHA256SUMS", "COM", "lpt",
    ],
)  # fmt: skip
def test_an_ordinary_path_has_no_fault(text: str) -> None:
    assert path_faults(text) == []


def test_every_fault_of_a_path_is_named_at_once() -> None:
    faults = path_faults("/a\\b/../con/x\u202e/.git/y ")
    assert len(faults) == 7


@given(PATHS)
def test_a_path_is_its_own_text(text: str) -> None:
    if _is_path(text):
        assert (RepoPath(text), RepoPath(RepoPath(text)), str(RepoPath(text))) == (text, text, text)


# What a tag name could be made of, git's own special cases first.
TAGS = st.lists(
    st.sampled_from(
        ["v1", "/", "//", ".", "..", "@", "@{", "{", "~", "^", ":", "?", "*", "[", "]", "\\", " ", ".lock", "lock", "-",
         "|", "`", "\x7f", "\x01", "é", "\x85", "\u202e", "con", "nul/", '"', "<", "a" * 120]
    )
    | st.text(max_size=3),
    min_size=1,
    max_size=5,
).map("".join)  # fmt: skip


def _is_tag(text: str) -> bool:
    try:
        TagName(text)
    except ValueError:
        return False
    return True


def _stricter(text: str) -> bool:
    """What TagName documents to refuse beyond git: options, invisible characters, names that no file can have."""
    as_file = f"{text.replace('/', '~')}.intoto.jsonl"
    return text.startswith("-") or any(not char.isprintable() for char in text) or bool(path_faults(as_file))


@given(TAGS)
@example("@")
@example("a.lock/b")
@example("v1/.x")
@example("a@{b")
@settings(max_examples=300)
def test_a_tag_name_is_what_git_calls_one(text: str) -> None:
    """`git check-ref-format refs/tags/NAME` decides; we are stricter only where it is written down."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text) or _stricter(text):
        return
    asked = subprocess.run(["git", "check-ref-format", f"refs/tags/{text}"], check=False)
    assert _is_tag(text) == (asked.returncode == 0)


@given(TAGS)
def test_what_is_a_tag_name_can_be_in_a_file_name_and_back(text: str) -> None:
    if _is_tag(text):
        tag = TagName(text)
        RepoPath(f"archive/records/{tag.file_form}.json")
        assert ("/" in tag.file_form, tag.file_form.replace("~", "/"), tag.ref) == (False, text, f"refs/tags/{text}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("-d", "begin with '-'"),
        ("a\udcff", "not UTF-8"),
        ("a\u200b", "invisible"),
        ("a b", "spaces"),
        ("a..b", "'..'"),
        ("a.lock", "'.lock'"),
        ("con", "part of a file name"),
        ("v" * 250, "part of a file name"),
    ],
)
def test_why_a_tag_name_is_refused_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TagName(text)


@given(st.text(alphabet="0123456789abcdefABCDEFg \n", max_size=66))
@example("a" * 40)
@example("a" * 64)
@example("a" * 40 + "\n")
def test_an_object_id_is_40_or_64_lower_case_digits(text: str) -> None:
    good = len(text) in (40, 64) and set(text) <= set("0123456789abcdef")
    try:
        assert (Oid(text), good) == (text, True)
    except ValueError:
        assert not good


@pytest.mark.parametrize("text", ["", "a" * 63, "A" * 64, "a" * 65, "a" * 64 + "\n", "٠" * 64])
def test_a_sha256_is_64_lower_case_digits(text: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        Sha256(text)


REPOS = st.lists(
    st.sampled_from(["a", "Z9", "-", "--", ".", "..", "_", "/", ".git", "é", " ", "\n", "x" * 95]), max_size=6
).map("".join)


@given(REPOS)
@example("acme/model")
@example("a/" + "b" * 96)
@example("a/" + "b" * 97)
def test_a_repository_id_is_one_that_the_client_takes(text: str) -> None:
    """What we accept, huggingface_hub accepts too."""
    from huggingface_hub.utils import validate_repo_id

    try:
        assert RepoId(text).count("/") == 1
    except ValueError:
        return
    validate_repo_id(text)


@pytest.mark.parametrize("text", ["acme/model", "a/b", "Qwen/Qwen3.5-27B", "a_b/c_d", "a/" + "b" * 96])
def test_an_ordinary_repository_id_is_accepted(text: str) -> None:
    assert RepoId(text) == text


@pytest.mark.parametrize(
    "text", ["", "model", "a/b/c", "a/b.git", "-a/b", "a/b-", "a/b--c", "a..b/c", "a/b\n", "../b", "é/b"]
)
def test_a_repository_id_that_could_be_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="NAMESPACE/NAME"):
        RepoId(text)


@given(st.binary(max_size=200))
@settings(max_examples=30)
def test_a_blob_id_is_the_one_that_git_computes(content: bytes) -> None:
    told = subprocess.run(["git", "hash-object", "--stdin"], input=content, capture_output=True, check=True)
    assert git_blob_id(content) == told.stdout.decode().strip()


def test_a_digest_is_computed_over_all_bytes() -> None:
    assert Sha256.of(b"abc") == hashlib.sha256(b"abc").hexdigest()
