"""The small things that several records share: what kinds of repositories there are, moments, ids, JSON files."""

import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

Kind = Literal["model", "dataset", "space", "kernel"]
KINDS: tuple[Kind, ...] = get_args(Kind)

Gating = Literal["auto", "manual", False]
Visibility = Literal["public", "private", "protected"]

DEFAULT_BRANCH = "refs/heads/main"


def now() -> str:
    """This moment as the Hub writes it: ISO 8601, UTC, milliseconds."""
    return moment(datetime.now(UTC))


def moment(at: datetime) -> str:
    """A time in UTC as the Hub writes it."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_id() -> str:
    """An id as the Hub gives to users, events and requests: 24 hex digits."""
    return secrets.token_hex(12)


def write_json(path: Path, content: Any) -> None:
    """Write a file in one step: a reader sees the old one or the new one."""
    waiting = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    waiting.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    os.replace(waiting, path)
