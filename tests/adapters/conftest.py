"""A disk that is full: what every adapter that writes must live with."""

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest


@contextmanager
def _limited(size: int) -> Iterator[None]:
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))


@pytest.fixture
def disk_with() -> Callable[[int], AbstractContextManager[None]]:
    """Within `disk_with(n)`, no file of this process can grow beyond n bytes."""
    return _limited
