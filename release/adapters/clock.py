"""The clock, for waiting. No value that is written down about a release comes from it."""

import time


class Clock:
    """Implements `ports.Waits`."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
