"""`python -m benchmarks [NAME …]`: run them all, or those named."""

import importlib
import sys

NAMES = ("help", "trees", "blob", "hub")

for name in sys.argv[1:] or NAMES:
    if name not in NAMES:
        sys.exit(f"there is no benchmark {name!r}; there are: {', '.join(NAMES)}")
    print(f"\n{name}", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
