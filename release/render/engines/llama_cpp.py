"""llama.cpp's server as its users meet it: llama_server.py tells what stands between them and the template.

`llama.cpp` is a server with the defaults of the command `llama-server`, whose command line adds `preserve_reasoning`
(and by it `preserve_thinking`, ENGINES.md §0.3) and which takes a conversation that ends with the assistant for one to
be continued. `llama.cpp-bare` is the same with `--no-reasoning-preserve --no-prefill-assistant`: nearest to what other
hosts do with the template.
"""

import xllamacpp  # type: ignore[import-not-found,import-untyped,unused-ignore]

from release.render.engines.llama_errors import from_answer, from_log
from release.render.engines.llama_server import LlamaServers


def host(now: str, defaults: bool = True) -> LlamaServers:
    """`now` is not used: the server reads the machine's clock."""
    settings = {
        "prefill_assistant": defaults,
        "default_template_kwargs": {"preserve_reasoning": "true"} if defaults else {},
    }
    return LlamaServers(f"xllamacpp {xllamacpp.__version__}", settings, from_log, from_answer)
