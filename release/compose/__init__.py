"""Template sources → one file → one line, in running order. Pure: text in, text out.

sources    the tag's bytes of all that one template is made of
folders    the names by which a template's sources include each other
buildfile  build.toml: the entry, the shared folder, the features of a version
assemble   two-stage sources → the built text
oneline    the built text → its one-line twin
constructs what of a template engines read differently, with lines and columns
literal    a value as portable Jinja source: what both stages write
faults     CannotBuild, NoTwin: why one of them could not be made
"""

from collections.abc import Mapping

from release.compose.faults import CannotBuild, NoTwin
from release.compose.folders import decoded, paths_in_the_tag, sources_of
from release.values import TemplateRule

__all__ = ["CannotBuild", "NoTwin", "build_template", "make_twin"]


def build_template(rule: TemplateRule, files: Mapping[str, bytes], version: str | None = None) -> str:
    """The text published as `rule.name`.jinja.

    `files` maps paths in the tag to bytes and holds at least what the template is made of
    (`compose.sources.template_files`). A file is published as it is; a folder of two-stage sources is assembled, for
    `version` where one is named. Raises `CannotBuild` with the path in the tag and the line.
    """
    folder = rule.source
    if folder in files:
        return _as_it_is(folder, files[folder], version)
    if not any(path.startswith(f"{folder}/") for path in files):
        raise CannotBuild("the tag holds no such file or folder", path=folder)
    from release.compose.assemble import assemble

    sources: dict[str, str] = {}
    with paths_in_the_tag(folder, sources):
        sources |= sources_of(folder, files)
        return assemble({name: decoded(name, files[path]) for name, path in sources.items()}, version)


def make_twin(text: str, trim: bool | None = None) -> str:
    """The one-line twin of a built text. Raises `NoTwin` with the reason and the line of the built text."""
    from release.compose.oneline import make_oneline

    return make_oneline(text, trim)


def _as_it_is(path: str, content: bytes, version: str | None) -> str:
    text = decoded(path, content)
    if version is not None:
        raise CannotBuild(f"a single file has no version {version!r}", path=path)
    if "<%" in text:
        line = text.count("\n", 0, text.index("<%")) + 1
        reason = "a build-time tag '<%' in a file that is published as it is"
        raise CannotBuild(reason, path=path, line=line, hint="name the folder as the template's source")
    return text
