"""The front matter of a repository's README.md: read it, and say what is wrong with it.

The Hub answers `validate-yaml` and refuses a commit by the same rules (HUB.md §1.2).
"""

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_FRONT_MATTER = re.compile(r"\A\s*---[\r\n]+(.*?)[\r\n]+---(?:\r?\n|\Z)", re.DOTALL)

# Keys whose value is one text or a list of texts.
_TEXTS = ("license", "language", "tags", "datasets", "base_model", "metrics")

_MISSING = "empty or missing yaml metadata in repo card"


@dataclass(frozen=True)
class Card:
    """What the front matter says, and what to complain about. With errors there are no facts."""

    facts: Mapping[str, Any]
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_card(text: str) -> Card:
    """Read a README.md."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return Card({}, warnings=(_MISSING,))
    try:
        facts = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        return Card({}, errors=(f"Invalid YAML: {error}",))
    if facts is None:
        return Card({}, warnings=(_MISSING,))
    if not isinstance(facts, dict):
        return Card({}, errors=("the metadata must be a mapping",))
    errors = tuple(_errors(facts))
    return Card({}, errors=errors) if errors else Card(_as_json(facts))


def _errors(facts: Mapping[Any, Any]) -> list[str]:
    errors = [f'"{key}" must be a string' for key in facts if not isinstance(key, str)]
    for key in _TEXTS:
        value = facts.get(key)
        texts = value if isinstance(value, list) else [value]
        if not all(text is None or isinstance(text, str) for text in texts):
            errors.append(f'"{key}" must be a string or an array of strings')
    if "model-index" in facts and not isinstance(facts["model-index"], list):
        errors.append('"model-index" must be an array')
    return errors


def _as_json(value: Any) -> Any:
    """YAML knows dates, JSON does not."""
    if isinstance(value, dict):
        return {str(key): _as_json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each) for each in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value
