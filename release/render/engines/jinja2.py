"""Jinja2 as it comes: no block trimming, lenient undefined values, its own `tojson`. The lab's environment.

Its `tojson` sorts keys and escapes HTML and non-ASCII characters, and lists can be appended to, which no sandboxed
host allows. Unlike the lab's it is sandboxed against reaching into Python, which no honest template does.
"""

from collections.abc import Mapping
from typing import Any

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from release.render.engines.jinja_host import JinjaHost, raise_exception


def host(now: str) -> JinjaHost:
    """There is no clock in this environment; `now` is not used."""
    environment = SandboxedEnvironment(undefined=jinja2.ChainableUndefined)
    environment.globals["raise_exception"] = raise_exception
    return JinjaHost(environment, jinja2.__version__, _prepare)


def _prepare(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"tools": [], **variables}
