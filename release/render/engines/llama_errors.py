"""What llama.cpp says when a template fails → why, in which words, and where.

    ------------
    While executing CallExpression at line 2, column 19 in source:
    ...an excerpt of the template...
                 ^
    Error: Jinja Exception: the text of raise_exception

Everything else that its server answers is about the request: no template was asked.
"""

import re

from release.render.engines.host import Broken

_WHERE = re.compile(r"While executing \w+ at line (\d+), column (\d+) in source:\n")
_RAISED = "Jinja Exception: "
# How the server opens, whatever in the template it is about.
_OPENING = re.compile(
    r"^Unable to generate parser for this template\. Automatic parser generation failed:\s*", re.MULTILINE
)
# What the server's log puts in front of each record.
_RECORD = re.compile(r"^\d+\.\d+\.\d+\.\d+ [A-Z] ", re.MULTILINE)
_CANNOT_READ = re.compile(r"common_chat_templates_init: error: (.*)")
_CANNOT_USE = re.compile(r"chat template parsing error: (.*)")


def from_message(message: str) -> Broken:
    """The innermost place that the engine names, and the words after it."""
    places = list(_WHERE.finditer(message))
    said = message[places[-1].end() :] if places else message
    _, error, reason = said.partition("\nError: ")
    line, column = (int(places[-1][1]), int(places[-1][2])) if places else (None, None)
    if not error:
        return Broken("runtime", _OPENING.sub("", message).strip(), line, column)
    reason = reason.rstrip("\n")
    if reason.startswith(_RAISED):
        return Broken("raised", reason.removeprefix(_RAISED), line, column)
    if reason == "std::bad_alloc":
        return Broken("memory", "it needed more memory than it may have", line, column)
    return Broken("runtime", reason, line, column)


def from_answer(message: str, source: str) -> Broken:
    """An answer that is no prompt: the template's error, or the server's about the request."""
    about_the_template = _WHERE.search(message) or _OPENING.search(message)
    return from_message(message) if about_the_template else Broken("unasked", message)


def from_log(log: str, source: str) -> Broken:
    """What a server said that did not start: it cannot read the template, or use it for its own samples."""
    records = _RECORD.split(log)
    for record in records:
        if _WHERE.search(record):
            return from_message(record)
    for told in (_CANNOT_READ, _CANNOT_USE):
        for record in records:
            if found := told.search(record):
                return Broken("syntax", found[1].strip())
    return Broken("crash", f"the server does not start: {' '.join(log.split())}")
