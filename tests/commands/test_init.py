"""`release init`: what it writes is what `prepare` reads."""

import tomllib

from support import SourceRepository, release


def test_the_written_configuration_prepares_a_tag(source: SourceRepository) -> None:
    source.commit({"README.md": "# A\n", "LICENSE": "MIT\n", "archive/README.md": "# Archive\n"})
    assert release(source.path, "init").code == 0
    source.commit({})
    source.tag("v1")
    run = release(source.path, "prepare", "v1", "--json")
    assert run.code == 0, run.err
    assert {file["path"] for file in run.json["files"]} == {"README.md", "LICENSE", "archive/README.md", "SHA256SUMS"}


def test_it_goes_into_pyproject_where_there_is_one(source: SourceRepository) -> None:
    source.commit({"pyproject.toml": '[project]\nname = "a"\n', "README.md": "# A\n"})
    release(source.path, "init")
    document = tomllib.loads((source.path / "pyproject.toml").read_text())
    assert document["project"] == {"name": "a"}
    assert document["tool"]["release"]["files"] == ["README.md"]


def test_the_remote_suggests_the_repository(source: SourceRepository) -> None:
    source.commit({"README.md": "# A\n"})
    source.git("remote", "add", "origin", "https://github.com/someone/elsewhere.git")
    source.git("remote", "add", "hub", "https://huggingface.co/acme/templates")
    assert release(source.path, "init", "--json").json["repo"] == "acme/templates"


def test_without_a_remote_the_repository_is_a_placeholder(source: SourceRepository) -> None:
    source.commit({"README.md": "# A\n"})
    assert release(source.path, "init", "--json").json["repo"] == "your-name/source"


def test_templates_are_found(source: SourceRepository) -> None:
    source.commit({"chat_template.jinja": "{{ 'a' }}", "templates/b-c/template.jinja": "{{ 'b' }}"})
    release(source.path, "init")
    document = tomllib.loads((source.path / "release.toml").read_text())
    assert [rule["name"] for rule in document["template"]] == ["chat_template", "chat_template_b_c"]


def test_an_empty_repository_gets_one_too(source: SourceRepository) -> None:
    assert release(source.path, "init", "--json").json["files"] == ["*"]


def test_a_configuration_that_is_there_is_left_alone(source: SourceRepository) -> None:
    source.commit({"release.toml": 'repo = "a/b"\nfiles = ["*"]\n'})
    assert release(source.path, "init").code == 3
    assert (source.path / "release.toml").read_text() == 'repo = "a/b"\nfiles = ["*"]\n'
