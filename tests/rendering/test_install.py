"""What is fetched for the engines: where it lies, that it is whole, and what is said where it cannot be had."""

import hashlib
import importlib.util
import os
import sys
import zipfile
from pathlib import Path

import pytest

from release.errors import Unavailable, UsageError
from release.render.engines.catalogue import NAMES, open_engines
from release.render.engines.install import install, main
from release.render.engines.places import LOCK, MINJA, engines_folder, install_command, jinja_folder, minja_folder

# Stands for npm: it makes what `npm ci` makes, and notes how it was called.
NPM = """#!/bin/sh
[ "$1" = ci ] || exit 9
for place; do :; done
mkdir -p "$place/node_modules/@huggingface/jinja"
echo "$@" > "$place/called"
env | sort > "$place/environment"
echo '{"version": "0"}' > "$place/node_modules/@huggingface/jinja/package.json"
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a PATH with nothing but the system's programs and a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path / "cache"


def stands_for_npm(tmp_path: Path, script: str = NPM) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.write_text(script)
    npm.chmod(0o755)


def test_places_are_named_for_what_is_in_them(cache: Path) -> None:
    assert engines_folder() == cache / "hf-release" / "engines"
    assert jinja_folder().name == f"hf-jinja-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]}"
    assert minja_folder().name == f"minja-{MINJA}-{sys.implementation.cache_tag}"


def test_without_a_variable_the_cache_lies_below_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert engines_folder() == tmp_path / ".cache" / "hf-release" / "engines"


def test_the_npm_package_is_fetched_by_its_lock_file_and_runs_no_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands_for_npm(tmp_path)
    monkeypatch.setenv("HF_TOKEN", "hf_canary")
    folder = install("hf-jinja")
    assert folder == jinja_folder()
    assert sorted(path.name for path in folder.iterdir()) == [
        "called",
        "environment",
        "node_modules",
        "package-lock.json",
        "package.json",
    ]
    assert (folder / "package-lock.json").read_bytes() == LOCK.read_bytes()
    assert "--ignore-scripts" in (folder / "called").read_text()
    assert "hf_canary" not in (folder / "environment").read_text()
    assert [path.name for path in engines_folder().iterdir()] == [folder.name]


def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    stands_for_npm(tmp_path)
    first = install("hf-jinja")
    stands_for_npm(tmp_path, "#!/bin/sh\nexit 1\n")
    assert install("hf-jinja") == first


def test_what_cannot_be_fetched_leaves_nothing_behind(tmp_path: Path) -> None:
    stands_for_npm(tmp_path, "#!/bin/sh\necho first\necho it is not there\nexit 3\n")
    with pytest.raises(Unavailable, match="failed: it is not there") as caught:
        install("hf-jinja")
    assert "ci --ignore-scripts" in caught.value.hint
    assert [*engines_folder().iterdir()] == []


def test_without_npm_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Unavailable, match="npm is not installed"):
        install("hf-jinja")


def test_an_engine_that_needs_nothing_is_a_mistake() -> None:
    with pytest.raises(UsageError) as caught:
        install("jinja2")
    assert "hf-jinja" in caught.value.hint


@pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this Python has no pip")
def test_an_old_wheel_lies_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / f"xllamacpp-{MINJA}-py3-none-any.whl"
    info = f"xllamacpp-{MINJA}.dist-info"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("xllamacpp/__init__.py", "")
        files.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: xllamacpp\nVersion: {MINJA}\n")
        files.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.writestr(f"{info}/RECORD", "")
    # A constraint on today's package is none on the old one.
    (tmp_path / "constraints").write_text("xllamacpp==2026.10.11549\n")
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path),
        "PIP_CONSTRAINT": str(tmp_path / "constraints"),
        "PIP_CONFIG_FILE": os.devnull,
    }.items():
        monkeypatch.setenv(name, value)
    (before,) = open_engines(["minja"])
    assert main(["minja"]) == 0
    (after,) = open_engines(["minja"])
    assert before.program.missing == f"the package xllamacpp is not installed: {install_command('minja')}"
    assert after.program.missing is None
    assert after.program.greeting["path"] == [str(minja_folder())]


def test_one_that_fails_does_not_keep_the_others_from_being_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stands_for_npm(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert main([]) == Unavailable.exit_code
    told = capsys.readouterr()
    assert f"hf-jinja: {jinja_folder()}" in told.out
    assert "minja: " in told.err


def test_every_engine_that_is_not_there_says_why_and_how_to_get_it() -> None:
    """In an empty cache; what is installed beside this project is there all the same."""
    for engine in open_engines(NAMES):
        if (missing := engine.program.missing) is not None:
            assert "install" in missing, engine.name
