"""card: the front matter of README.md is YAML of the shape that the Hub accepts."""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from release.ports import ReadsTree
from release.values import Finding, Level, RepoPath, Tree

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

_CARD = RepoPath("README.md")
_OPEN = r"\A\ufeff?\s*---"
# As the Hub and its library read it: three dashes alone, to the next line of three dashes.
_FRONT = re.compile(_OPEN + r"(?:\r\n|\r|\n)(.*?)(?:\r\n|\r|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_OPENED = re.compile(_OPEN + r"[ \t]*(?:[\r\n]|\Z)")
# What PyYAML's constructors raise for a value that is not what its tag or its form promises, beside YAML errors.
_NOT_CONSTRUCTED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


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
        if front is not None:
            yield from _front_matter(front[1], text.count("\n", 0, front.start(1)) + 1)
        elif _OPENED.match(text):
            what = "the front matter is opened and not closed, by a line of three dashes and nothing else"
            yield Finding("card/unclosed", what, path=_CARD, line=1)
        else:
            what = "the card has no front matter: the Hub knows neither its licence nor its language"
            yield Finding("card/no-front-matter", what, Level.WARNING, _CARD, 1)


def _front_matter(text: str, first: int) -> Iterator[Finding]:
    """What is wrong with this YAML, which begins at line `first` of the card."""
    import yaml
    from yaml.nodes import MappingNode

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        loaded = loader.construct_document(node) if node else None
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        line = mark.line + first if mark else None
        yield Finding("card/bad-yaml", f"the front matter is not YAML: {wrong.problem or wrong}", path=_CARD, line=line)
        return
    except yaml.YAMLError as wrong:
        said = " ".join(str(wrong).split())
        yield Finding("card/bad-yaml", f"the front matter is not YAML: {said}", path=_CARD)
        return
    except RecursionError:
        yield Finding("card/bad-yaml", "the front matter is nested too deeply", path=_CARD)
        return
    except _NOT_CONSTRUCTED as wrong:
        what = f"a value of the front matter is not what it looks like: {wrong}"
        yield Finding("card/bad-yaml", what, path=_CARD)
        return
    if node is None:
        return
    if not isinstance(loaded, dict) or not isinstance(node, MappingNode):
        yield Finding(
            "card/not-a-mapping", "the front matter is not a list of `key: value` lines", path=_CARD, line=first
        )
        return
    lines = {key.value: key.start_mark.line + first for key, _ in node.value}
    for twice in _keys_that_stand_twice(node):
        line = twice.start_mark.line + first
        yield Finding("card/duplicate-key", f"the key {twice.value!r} stands twice", path=_CARD, line=line)
    for key, kinds in _SHAPES.items():
        if loaded.get(key) is not None and not isinstance(loaded[key], kinds):
            message = f"{key!r} is {type(loaded[key]).__name__}; the Hub takes {' or '.join(k.__name__ for k in kinds)}"
            yield Finding("card/bad-value", message, path=_CARD, line=lines.get(key))


def _keys_that_stand_twice(top: "MappingNode") -> "Iterator[Node]":
    """Keys that a mapping holds already: Python's reader takes the last, the Hub's takes none."""
    from yaml.nodes import MappingNode, SequenceNode

    waiting: list[Node] = [top]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        # Through an alias a node can be reached more than once, even from inside itself.
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, SequenceNode):
            waiting += node.value
        elif isinstance(node, MappingNode):
            keys: set[tuple[str, Hashable]] = set()
            for key, value in node.value:
                waiting.append(value)
                if isinstance(key.value, str):
                    if (key.tag, key.value) in keys:
                        yield key
                    keys.add((key.tag, key.value))


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
