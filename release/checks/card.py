"""card: the front matter of README.md is YAML of the shape that the Hub accepts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from release.ports import ReadsTree
from release.values import Finding, Level, RepoPath, Tree

_CARD = RepoPath("README.md")
# As the Hub and its library read it: three dashes on the first line, to the next line of three dashes.
_FRONT = re.compile(r"\A(?:\ufeff)?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Card:
    files: ReadsTree
    name: str = "card"

    def __call__(self, tree: Tree, /) -> Iterable[Finding]:
        if _CARD not in tree.by_path or not tree.by_path[_CARD].has_bytes:
            yield Finding("card/missing", "no README.md is published: the repository has no card", Level.WARNING)
            return
        try:
            text = self.files.read(_CARD).decode("utf-8")
        except UnicodeDecodeError as wrong:
            yield Finding("card/not-utf8", f"the card is not UTF-8: {wrong.reason}", path=_CARD)
            return
        if text.startswith("\ufeff"):
            yield Finding("card/bom", "the card begins with a byte order mark", Level.WARNING, _CARD, 1)
        front = _FRONT.match(text)
        if front is None:
            if text.lstrip("\ufeff").startswith("---"):
                yield Finding("card/unclosed", "the front matter is opened and never closed", path=_CARD, line=1)
            else:
                what = "the card has no front matter: the Hub knows neither its licence nor its language"
                yield Finding("card/no-front-matter", what, Level.WARNING, _CARD, 1)
            return
        yield from _front_matter(front.group(1))


def _front_matter(text: str) -> Iterable[Finding]:
    import yaml

    try:
        # The scanner alone accepts what the Hub's parser refuses; the loader is the same kind as there.
        loaded = yaml.safe_load(text)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        line = mark.line + 2 if mark else None
        problem = wrong.problem or str(wrong)
        yield Finding("card/bad-yaml", f"the front matter is not YAML: {problem}", path=_CARD, line=line)
        return
    except yaml.YAMLError as wrong:
        yield Finding("card/bad-yaml", f"the front matter is not YAML: {wrong}", path=_CARD)
        return
    if loaded is None:
        return
    if not isinstance(loaded, dict):
        yield Finding("card/not-a-mapping", "the front matter is not a list of `key: value` lines", path=_CARD, line=2)
        return
    for key, kinds in _SHAPES.items():
        if key in loaded and loaded[key] is not None and not isinstance(loaded[key], kinds):
            line = next((n for n, row in enumerate(text.splitlines(), 2) if row.startswith(f"{key}:")), None)
            message = f"{key!r} is {type(loaded[key]).__name__}; the Hub takes {' or '.join(k.__name__ for k in kinds)}"
            yield Finding("card/bad-value", message, path=_CARD, line=line)


# The Hub's documented metadata (model-card spec): what it refuses when it is of another type.
_SHAPES: dict[str, tuple[type, ...]] = {
    "license": (str, list),
    "license_name": (str,),
    "license_link": (str,),
    "language": (str, list),
    "tags": (list,),
    "library_name": (str,),
    "pipeline_tag": (str,),
    "base_model": (str, list),
    "datasets": (str, list),
    "metrics": (list,),
    "model-index": (list,),
}
