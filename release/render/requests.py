"""A captured OpenAI-compatible request → what a template is given, what it holds, and what is written about it.

L-011 to L-013: the raw request is kept byte for byte, whatever template renders it; the inventory and the metrics
line show no content.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from release.render.json_text import JsonFault, read_json
from release.values import Sha256
from release.values.rendering import Failed, Rendered

_MEDIA = {"image": ("image", "image_url", "input_image"), "video": ("video", "video_url")}


class BadRequest(Exception):
    """A request that no server would render; `line` and `column` where the text stops being JSON."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}, column {column}: {message}")


@dataclass(frozen=True)
class Inventory:
    """What a request holds, in numbers (L-012). `roles` in the order in which each first appears."""

    message_count: int
    roles: Mapping[str, int]
    tools: int
    assistant_tool_calls: int
    tool_results: int
    image_parts: int
    video_parts: int


def read_request(content: bytes) -> dict[str, object]:
    """The request's object. Raises `BadRequest` with the place where it is not JSON, or without messages."""
    try:
        request, _ = read_json(content)
    except JsonFault as fault:
        raise BadRequest(fault.message, fault.line, fault.column) from fault
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        raise BadRequest("a request is an object with a list of 'messages'")
    return request


def variables_of(request: Mapping[str, object], kwargs: Mapping[str, object]) -> dict[str, object]:
    """What a server gives its template: messages, tools, and the keywords of the request, then those of the caller.

    As servers do before they render, a call's arguments that are a JSON object in a text become that object.
    """
    messages = request["messages"]
    variables: dict[str, object] = {
        "messages": [_with_objects(message) for message in messages] if isinstance(messages, list) else messages,
        "add_generation_prompt": request.get("add_generation_prompt", True),
    }
    if request.get("tools"):
        variables["tools"] = request["tools"]
    own = request.get("chat_template_kwargs")
    return variables | (own if isinstance(own, dict) else {}) | dict(kwargs)


def inventory(request: Mapping[str, object]) -> Inventory:
    """Counts alone: nothing of what was said."""
    messages = [m for m in _list(request.get("messages")) if isinstance(m, dict)]
    roles: dict[str, int] = {}
    for message in messages:
        role = str(message.get("role"))
        roles[role] = roles.get(role, 0) + 1
    parts = [part for message in messages for part in _list(message.get("content")) if isinstance(part, dict)]
    return Inventory(
        message_count=len(messages),
        roles=roles,
        tools=len(_list(request.get("tools"))),
        assistant_tool_calls=sum(len(_list(m.get("tool_calls"))) for m in messages if m.get("role") == "assistant"),
        tool_results=roles.get("tool", 0),
        image_parts=sum(part.get("type") in _MEDIA["image"] for part in parts),
        video_parts=sum(part.get("type") in _MEDIA["video"] for part in parts),
    )


def metrics_line(
    request: Mapping[str, object], raw: bytes, template: str, text: str, engine: str, made: Rendered | Failed, at: str
) -> bytes:
    """One line of NDJSON: what was rendered with what, and how many characters it came to. No tokens, no content."""
    prompt = made.text if isinstance(made, Rendered) else None
    document = {
        "at": at,
        "request_sha256": Sha256.of(raw),
        "request_bytes": len(raw),
        "template": template,
        "template_sha256": Sha256.of(text.encode()),
        "engine": engine,
        "characters": None if prompt is None else len(prompt),
        "prompt_sha256": None if prompt is None else Sha256.of(prompt.encode("utf-8", "surrogatepass")),
        "error": f"{made.fault.value}: {made.message[:200]}" if isinstance(made, Failed) else None,
        **asdict(inventory(request)),
    }
    return (json.dumps(document) + "\n").encode()


def framed(raw: bytes, at: str) -> bytes:
    """A request between two lines that say when it came and how long it is; the bytes themselves are untouched."""
    head = f"--- request {at} {len(raw)} bytes sha256 {Sha256.of(raw)}\n".encode()
    return head + raw + f"\n--- end {at}\n".encode()


def _with_objects(message: object) -> object:
    if not isinstance(message, dict) or not isinstance(message.get("tool_calls"), list):
        return message
    return message | {"tool_calls": [_with_object(call) for call in message["tool_calls"]]}


def _with_object(call: object) -> object:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        return call
    return call | {"function": function | {"arguments": arguments}} if isinstance(arguments, dict) else call


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
