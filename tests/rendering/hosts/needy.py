"""A host that needs what is not installed."""

import no_such_package_anywhere  # type: ignore[import-not-found]

__all__ = ["no_such_package_anywhere"]
