"""Two-stage sources → one template: run the build-time tags, leave the template's own tags alone (D-16).

A family of templates is a folder. Its entry file holds a Jinja template whose build-time parts stand in `<% %>`,
`<%= %>` and `<%# %>`; these are run once, here, with the features of one version (`compose.buildfile`), and what
remains is the file that is published.
"""

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace, TracebackType
from typing import NoReturn

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from release.compose.buildfile import BUILD_FILE, read_build_file
from release.compose.faults import CannotBuild
from release.compose.literal import literal

# A build multiplies text by loops; what is longer than this is a mistake, not a template.
MAX_CHARACTERS = 8 * 1024 * 1024
# What a sandboxed template can raise; anything else is a bug of ours.
_TEMPLATE_FAULTS = (
    TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


class Features(SimpleNamespace):
    """The features of one version, by name: a name that build.toml does not declare is an error."""


def assemble(files: Mapping[str, str], version: str | None = None) -> str:
    """The built template. `files` maps paths in the family's folder to their text, `build.toml` among them; files of a
    shared folder stand there as 'shared/NAME'.

    `version` names one of build.toml's versions; None is the current one. Sources see `features` and `version`
    and the filter `literal`; they can include and import only from `files`. Raises `CannotBuild` with file and line.
    """
    settings = read_build_file(files.get(BUILD_FILE, ""), version)
    entry = settings.entry
    if entry not in files:
        raise CannotBuild(f"there is no {entry!r}, where the template begins", path=BUILD_FILE)
    for path, text in files.items():
        _refuse_bytes_that_would_change(path, text)
    try:
        template = _environment(files).get_template(entry)
        built = _joined(template.generate(features=Features(**settings.features), version=version), entry)
    except _TEMPLATE_FAULTS as error:
        _explain(error, files, entry)
    if "<%" in built:
        line = built.count("\n", 0, built.index("<%")) + 1
        raise CannotBuild(f"line {line} of the built text still holds '<%'", path=entry)
    return built


def _environment(files: Mapping[str, str]) -> ImmutableSandboxedEnvironment:
    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        # The file name is what a traceback shows, which is how an error finds its file.
        return (files[name], name, lambda: True) if name in files else None

    environment = ImmutableSandboxedEnvironment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(load),
    )
    environment.filters["literal"] = literal
    return environment


def _joined(pieces: Iterable[str], entry: str) -> str:
    """The pieces as one text; a build that runs away stops at the limit."""
    parts = []
    size = 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > MAX_CHARACTERS:
            reason = f"the built text is longer than {MAX_CHARACTERS:,} characters"
            raise CannotBuild(reason, path=entry)
    return "".join(parts)


def _refuse_bytes_that_would_change(path: str, text: str) -> None:
    """Jinja2 turns CR LF into LF without a word, and a byte order mark would end up in the middle of the result."""
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise CannotBuild("a carriage return; lines end with LF alone", path=path, line=line)
    if "\ufeff" in text:
        line = text.count("\n", 0, text.index("\ufeff")) + 1
        raise CannotBuild("a byte order mark (U+FEFF)", path=path, line=line)


def _explain(error: Exception, files: Mapping[str, str], entry: str) -> NoReturn:
    path, line = _place(error.__traceback__, files)
    reason = str(error)
    if isinstance(error, TemplateSyntaxError):
        path, line = error.name or path, error.lineno
        reason = error.message or reason
    elif isinstance(error, TemplateNotFound):
        reason = f"there is no file {error.name!r} in the template's folder"
    elif isinstance(error, RecursionError):
        reason = "files or macros include each other without end"
    elif not isinstance(error, TemplateError):
        reason = f"{type(error).__name__}: {error}"
    raise CannotBuild(reason, path=path or entry, line=line) from error


def _place(traceback: TracebackType | None, files: Mapping[str, str]) -> tuple[str | None, int | None]:
    """File and line of the innermost template in a traceback, which Jinja2 has rewritten to template lines."""
    path, line = None, None
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name in files:
            path, line = name, traceback.tb_lineno
        traceback = traceback.tb_next
    return path, line
