"""Template sources → one file → one line, in running order. Pure: text in, text out.

sources    the tag's bytes of one template's source
assemble   two-stage sources → the built text
oneline    the built text → its one-line twin
literal    a value as portable Jinja source: what both stages write
faults     CannotBuild, NoTwin: why one of them could not be made
"""

from collections.abc import Mapping

from release.compose.faults import CannotBuild, NoTwin
from release.values import TemplateRule

__all__ = ["CannotBuild", "NoTwin", "build_template", "make_twin"]

_HINT = "mend the template's source, commit it and tag again"


def build_template(rule: TemplateRule, files: Mapping[str, bytes], version: str | None = None) -> str:
    """The text published as `rule.name`.jinja.

    `files` maps paths in the tag to bytes and holds at least what stands at or below `rule.source`
    (`compose.sources.files_below`). A file is published as it is; a folder of two-stage sources is assembled, for
    `version` where one is named. Raises `CannotBuild` with the path in the tag and the line.
    """
    if rule.source in files:
        return _as_it_is(rule.source, files[rule.source], version)
    folder = f"{rule.source}/"
    inside = {path.removeprefix(folder): content for path, content in files.items() if path.startswith(folder)}
    if not inside:
        raise CannotBuild("the tag holds no such file or folder", path=rule.source, hint=_HINT)
    from release.compose.assemble import assemble

    try:
        return assemble({path: _text(path, inside[path]) for path in inside if _is_source(path)}, version)
    except CannotBuild as error:
        raise CannotBuild(error.reason, path=f"{folder}{error.path}", line=error.line, hint=error.hint) from error


def make_twin(text: str, trim: bool | None = None) -> str:
    """The one-line twin of a built text. Raises `NoTwin` with the reason and the line of the built text."""
    from release.compose.oneline import make_oneline

    return make_oneline(text, trim)


def _is_source(path: str) -> bool:
    # Fixtures and notes lie in the same folder; they are no part of the template.
    return path.endswith((".jinja", ".toml"))


def _as_it_is(path: str, content: bytes, version: str | None) -> str:
    text = _text(path, content)
    if version is not None:
        raise CannotBuild(f"a single file has no version {version!r}", path=path, hint=_HINT)
    if "<%" in text:
        line = text.count("\n", 0, text.index("<%")) + 1
        reason = "a build-time tag '<%' in a file that is published as it is"
        raise CannotBuild(reason, path=path, line=line, hint="name the folder as the template's source")
    return text


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CannotBuild("the file is not UTF-8", path=path, line=line, hint=_HINT) from error
