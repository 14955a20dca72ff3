"""The program that asks transformers itself. It runs under a Python of its own, in which transformers is installed.

    {"template": SOURCE, "variables": {...}}  → {"text": ...}, or {"error": NAME OF THE CLASS, "message": ...}

One line in, one line out; the first line that comes is {"version": ...}.
"""

import json
import os
import sys

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1"}

import jinja2
import transformers  # type: ignore[import-not-found,unused-ignore]
from tokenizers import Tokenizer  # type: ignore[import-not-found,import-untyped,unused-ignore]
from tokenizers.models import WordLevel  # type: ignore[import-not-found,import-untyped,unused-ignore]

FAULTS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def main() -> None:
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"x": 0}, unk_token="x")))
    tell({"version": transformers.__version__})
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        variables = asked["variables"]
        messages = variables.pop("messages")
        try:
            text = tokenizer.apply_chat_template(messages, chat_template=asked["template"], tokenize=False, **variables)
            tell({"text": text})
        except FAULTS as error:
            # Jinja2 adds the place to the text of a syntax error.
            tell({"error": type(error).__name__, "message": str(getattr(error, "message", None) or error)})


def tell(answer: object) -> None:
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
