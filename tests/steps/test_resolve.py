"""Tag name → Source: exactly this tag, and what is known of who made it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from examples import oid, record
from release.adapters.git import GitRepository
from release.adapters.signatures import SshKeygen
from release.errors import Refused, Unavailable, UsageError
from release.steps.resolve import Resolve, tag_name
from release.values import Oid, Source, TagName
from release.values.source import SignatureState
from support import SourceRepository


def resolved(path: Path, name: str) -> Source:
    with GitRepository(path) as git:
        return Resolve(git, SshKeygen()).run(name)


@pytest.fixture
def filled(source: SourceRepository) -> SourceRepository:
    source.commit({"a": "1\n"})
    source.commit({"a": "2\n"})
    return source


def test_an_annotated_tag_is_peeled_and_all_its_ids_kept(filled: SourceRepository) -> None:
    held = filled.tag("v1")
    found = resolved(filled.path, "v1")
    assert (found.tag, found.tag_object, found.annotated) == ("v1", held, True)
    assert (found.commit, found.tree) == (filled.git("rev-parse", "HEAD"), filled.git("rev-parse", "HEAD^{tree}"))
    assert (found.signature.state, found.notes) == (SignatureState.NONE, ())


def test_a_lightweight_tag_holds_its_commit(filled: SourceRepository) -> None:
    held = filled.tag("v1", message=None)
    found = resolved(filled.path, "v1")
    assert (found.tag_object, found.commit, found.annotated) == (held, held, False)


def test_a_tag_is_what_it_holds_not_where_the_branch_is(filled: SourceRepository) -> None:
    filled.tag("v1", at="HEAD~1")
    filled.git("replace", "HEAD~1", "HEAD")
    assert resolved(filled.path, "v1").commit == filled.git("--no-replace-objects", "rev-parse", "HEAD~1")


def test_a_tag_of_a_tag_is_peeled_to_the_commit(filled: SourceRepository) -> None:
    filled.tag("inner")
    outer = filled.tag("outer", at="inner")
    found = resolved(filled.path, "outer")
    assert (found.tag_object, found.commit) == (outer, filled.git("rev-parse", "HEAD"))


@pytest.mark.parametrize("name", ["rel/1.0", "v1|x", "é"])
def test_a_tag_can_have_any_name_that_git_takes(filled: SourceRepository, name: str) -> None:
    filled.tag(name)
    assert resolved(filled.path, name).tag == name


def test_a_tag_can_be_named_by_its_whole_ref(filled: SourceRepository) -> None:
    filled.tag("v1")
    assert resolved(filled.path, "refs/tags/v1").tag == "v1"


@pytest.mark.parametrize("name", ["", "-d", "v1^{}", "v1~1", "v 1", "a..b", "refs/tags/", "@{-1}", "con", "\udcff"])
def test_what_no_tag_can_be_called_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="not a tag name"):
        tag_name(name)


@pytest.mark.parametrize("name", ["v1", "tags/v2", "HEAD", "V2", "v"])
def test_a_missing_tag_is_a_usage_error(filled: SourceRepository, name: str) -> None:
    """No abbreviation, no other spelling and no other ref stands in for it."""
    filled.tag("v2")
    with pytest.raises(UsageError, match="there is no tag") as caught:
        resolved(filled.path, name)
    assert caught.value.hint.startswith(f"git tag -a {name};")


def test_a_missing_tag_is_fetched_by_the_command_that_the_hint_names(filled: SourceRepository, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(filled.path), str(clone)], check=True)
    filled.tag("v1")
    with pytest.raises(UsageError) as caught:
        resolved(clone, "v1")
    command = caught.value.hint.partition(";")[0]
    assert command == "git fetch origin tag v1"
    subprocess.run(command.split(), cwd=clone, check=True, capture_output=True)
    assert resolved(clone, "v1").tag == "v1"


def test_a_branch_is_refused(filled: SourceRepository) -> None:
    filled.git("branch", "v1")
    with pytest.raises(Refused, match="v1 is a branch"):
        resolved(filled.path, "v1")


def test_a_branch_of_the_same_name_is_noted(filled: SourceRepository) -> None:
    filled.tag("v1", at="HEAD~1")
    filled.git("branch", "v1")
    found = resolved(filled.path, "v1")
    assert (found.commit, found.notes) == (
        filled.git("rev-parse", "HEAD~1"),
        ("there is a branch named v1 as well; the tag is released",),
    )


@pytest.mark.parametrize(("at", "kind"), [("HEAD:a", "blob"), ("HEAD^{tree}", "tree")])
@pytest.mark.parametrize("message", [None, "annotated"])
def test_a_tag_that_names_no_commit_is_refused(
    filled: SourceRepository, at: str, kind: str, message: str | None
) -> None:
    filled.tag("v1", at=at, message=message)
    with pytest.raises(Refused, match=f"v1 names a {kind}, not a commit"):
        resolved(filled.path, "v1")


def test_a_copied_tag_object_is_refused(filled: SourceRepository) -> None:
    """Its signature would still be valid."""
    filled.git("update-ref", "refs/tags/v18", filled.tag("v17"))
    with pytest.raises(Refused, match="calls itself 'v17'"):
        resolved(filled.path, "v18")


def test_a_shallow_clone_is_refused_with_the_command_that_mends_it(filled: SourceRepository, tmp_path: Path) -> None:
    filled.tag("v1", at="HEAD~1")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", "--origin=up", f"file://{filled.path}", str(clone)], check=True
    )
    with pytest.raises(Refused, match="shallow clone") as caught:
        resolved(clone, "v1")
    assert caught.value.hint == "git fetch --unshallow --tags up"
    subprocess.run(caught.value.hint.split(), cwd=clone, check=True, capture_output=True)
    assert resolved(clone, "v1").tag == "v1"


def _object(repository: SourceRepository, kind: str, text: str) -> Oid:
    command = ["git", "hash-object", "-t", kind, "-w", "--literally", "--stdin"]
    done = subprocess.run(command, cwd=repository.path, input=text.encode(), capture_output=True, check=True)
    return Oid(done.stdout.decode().strip())


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tag", "tag v1\n\nx\n"),
        ("tag", "object nonsense\ntype commit\ntag v1\n\nx\n"),
        ("tag", ""),
        ("commit", "author A\n\nx\n"),
        ("commit", ""),
    ],
)
def test_an_object_that_does_not_say_what_it_belongs_to_is_unavailable(
    filled: SourceRepository, kind: str, text: str
) -> None:
    filled.git("update-ref", "refs/tags/v0", "HEAD")
    made = _object(filled, kind, text)
    (filled.path / ".git/refs/tags/v1").write_text(made + "\n")
    with pytest.raises(Unavailable, match=f"{made} does not say"):
        resolved(filled.path, "v1")


def test_a_tag_of_an_object_that_is_not_there_is_unavailable(filled: SourceRepository) -> None:
    (filled.path / ".git/refs/tags/v1").write_text("9" * 40 + "\n")
    with pytest.raises(Unavailable, match="bad ref refs/tags/v1"):
        resolved(filled.path, "v1")


# Signatures.


@pytest.mark.parametrize(
    ("form", "detail"),
    [
        ("PGP SIGNATURE", "an OpenPGP signature, which is not checked here"),
        ("PGP MESSAGE", "an OpenPGP signature, which is not checked here"),
        ("SIGNED MESSAGE", "an X.509 signature, which is not checked here"),
    ],
)
def test_a_signature_that_is_not_checked_is_called_so(filled: SourceRepository, form: str, detail: str) -> None:
    filled.tag("v1", message=f"A release\n-----BEGIN {form}-----\nabc\n-----END {form}-----")
    signature = resolved(filled.path, "v1").signature
    assert (signature.state, signature.detail) == (SignatureState.UNCHECKED, detail)


@pytest.mark.parametrize(
    "text", ["we write -----BEGIN SSH SIGNATURE-----\nabc", " -----BEGIN PGP SIGNATURE-----", "nothing"]
)
def test_a_message_that_speaks_of_signatures_is_not_signed(filled: SourceRepository, text: str) -> None:
    filled.tag("v1", message=f"A release\n{text}\n")
    assert resolved(filled.path, "v1").signature.state is SignatureState.NONE


class Signer:
    """A repository whose earlier release vouches for one key; `git` signs with another or the same."""

    def __init__(self, repository: SourceRepository, folder: Path) -> None:
        self.repository = repository
        self.keys = {name: folder / name for name in ("ours", "theirs")}
        for path in self.keys.values():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)

    def allowed(self, key: str) -> str:
        return f"a@example.com {self.keys[key].with_suffix('.pub').read_text()}"

    def recorded(self, tag: str, files: dict[str, str | bytes], at: str = "2026-01-01") -> None:
        """A release of these files, and its record in the next commit."""
        self.repository.commit(files)
        tree = Oid(self.repository.git("rev-parse", "HEAD^{tree}"))
        made = record(tag=TagName(tag), source_tree=tree, committed_at=at)
        self.repository.commit({f"archive/records/{tag}.json": made.to_json()})

    def sign(self, tag: str, key: str = "ours") -> SignatureState:
        settings = ["-c", "gpg.format=ssh", "-c", f"user.signingkey={self.keys[key]}"]
        self.repository.git(*settings, "tag", "-s", "-m", "A release", tag)
        return resolved(self.repository.path, tag).signature.state


@pytest.fixture
def signer(source: SourceRepository, tmp_path: Path) -> Signer:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    return Signer(source, tmp_path)


def test_a_key_that_an_earlier_release_allowed_is_good(signer: Signer) -> None:
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")})
    assert signer.sign("v2") is SignatureState.GOOD
    signature = resolved(signer.repository.path, "v2").signature
    assert (signature.principal, signature.detail[:8]) == ("a@example.com", "ED25519 ")


def test_a_key_that_no_earlier_release_allowed_is_untrusted(signer: Signer) -> None:
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")})
    assert signer.sign("v2", "theirs") is SignatureState.UNTRUSTED


def test_a_key_cannot_vouch_for_itself(signer: Signer) -> None:
    """What the tag itself says of its signers does not count."""
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")})
    signer.repository.commit({"allowed_signers": signer.allowed("theirs")})
    assert signer.sign("v2", "theirs") is SignatureState.UNTRUSTED


def test_a_first_release_has_nobody_to_vouch_for_it(signer: Signer) -> None:
    signer.repository.commit({"allowed_signers": signer.allowed("ours")})
    assert signer.sign("v1") is SignatureState.UNTRUSTED


def test_the_newest_earlier_release_decides(signer: Signer) -> None:
    """It can take a key back."""
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")}, "2026-01-01")
    signer.recorded("v2", {"allowed_signers": signer.allowed("theirs")}, "2026-01-02")
    assert (signer.sign("v3"), signer.sign("v4", "theirs")) == (SignatureState.UNTRUSTED, SignatureState.GOOD)


def test_a_release_without_a_list_leaves_it_to_the_one_before(signer: Signer) -> None:
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")}, "2026-01-01")
    (signer.repository.path / "allowed_signers").unlink()
    signer.recorded("v2", {"b": "2\n"}, "2026-01-02")
    assert signer.sign("v3") is SignatureState.GOOD


def test_a_linked_list_is_none(signer: Signer) -> None:
    (signer.repository.path / "elsewhere").write_text(signer.allowed("ours"))
    (signer.repository.path / "allowed_signers").symlink_to("elsewhere")
    signer.recorded("v1", {})
    assert signer.sign("v2") is SignatureState.UNTRUSTED


@pytest.mark.parametrize(
    ("old", "new"), [("A release", "A better release"), ("tag v2", "tag v3"), ("type commit", "type  commit")]
)
def test_a_signed_tag_that_was_changed_is_refused(signer: Signer, old: str, new: str) -> None:
    signer.recorded("v1", {"allowed_signers": signer.allowed("ours")})
    signer.sign("v2")
    text = signer.repository.git("cat-file", "tag", "v2").replace(old, new) + "\n"
    name = "v3" if "v3" in new else "v2"
    (signer.repository.path / f".git/refs/tags/{name}").write_text(_object(signer.repository, "tag", text) + "\n")
    with pytest.raises(Refused, match="does not fit the tag"):
        resolved(signer.repository.path, name)


def test_a_record_whose_tree_is_gone_is_unavailable(signer: Signer) -> None:
    made = record(tag=TagName("v1"), source_tree=oid(9))
    signer.repository.commit({"archive/records/v1.json": made.to_json()})
    with pytest.raises(Unavailable, match=oid(9)):
        signer.sign("v2")
