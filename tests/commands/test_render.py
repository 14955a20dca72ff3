"""`release render`: a captured request, any template, and three records of it (L-011, L-012)."""

import json
from pathlib import Path
from typing import Any

import pytest

from support import SourceRepository, release

REQUEST: dict[str, Any] = {
    "model": "any",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "see", "arguments": '{"at": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "SECRET"},
    ],
    "tools": [{"type": "function", "function": {"name": "see", "parameters": {}}}],
    "chat_template_kwargs": {"enable_thinking": False},
}


@pytest.fixture
def folder(source: SourceRepository) -> Path:
    """Two templates and a request."""
    source.write(
        {
            "roles.jinja": "{% for m in messages %}{{ m.role }} {% endfor %}{{ enable_thinking }}",
            "arguments.jinja": "{{ messages[2].tool_calls[0].function.arguments.at + 1 }}",
            "strict.jinja": "{{ raise_exception('no tools here') if tools }}",
            "request.json": json.dumps(REQUEST, indent=3),
        }
    )
    return source.path


def test_the_prompt_is_printed(folder: Path) -> None:
    run = release(folder, "render", "roles.jinja", "--input", "request.json")
    assert run.out == "system user assistant tool False"


def test_arguments_in_wire_form_become_objects_as_servers_make_them(folder: Path) -> None:
    assert release(folder, "render", "arguments.jinja", "--input", "request.json").out == "2"


def test_keywords_of_the_command_win_over_the_requests(folder: Path) -> None:
    run = release(folder, "render", "roles.jinja", "--input", "request.json", "--kwargs", '{"enable_thinking": "yes"}')
    assert run.out.endswith("yes")


def test_the_inventory_counts_and_shows_no_content(folder: Path) -> None:
    run = release(folder, "render", "roles.jinja", "--input", "request.json", "--inventory", "--json")
    assert run.json["inventory"] == {
        "message_count": 4,
        "roles": {"system": 1, "user": 1, "assistant": 1, "tool": 1},
        "tools": 1,
        "assistant_tool_calls": 1,
        "tool_results": 1,
        "image_parts": 1,
        "video_parts": 0,
    }
    assert "SECRET" not in run.out


def test_the_recorded_request_is_the_same_whatever_the_template(folder: Path) -> None:
    raw = (folder / "request.json").read_bytes()
    for template in ("roles.jinja", "arguments.jinja"):
        release(folder, "render", template, "--input", "request.json", "--requests", f"{template}.log")
        assert raw in (folder / f"{template}.log").read_bytes()


def test_each_render_adds_a_line_of_metrics_without_content(folder: Path) -> None:
    for _ in range(2):
        release(folder, "render", "roles.jinja", "--input", "request.json", "--metrics", "metrics.ndjson")
    lines = (folder / "metrics.ndjson").read_text().splitlines()
    assert [json.loads(line)["characters"] for line in lines] == [32, 32]
    assert "SECRET" not in "".join(lines)


def test_the_prompt_goes_to_a_file_on_request(folder: Path) -> None:
    run = release(folder, "render", "roles.jinja", "--input", "request.json", "--prompts", "prompts.txt")
    assert (run.out, (folder / "prompts.txt").read_text()) == ("", "system user assistant tool False")


def test_what_the_template_refuses_is_refused_and_still_recorded(folder: Path) -> None:
    run = release(folder, "render", "strict.jinja", "--input", "request.json", "--metrics", "metrics.ndjson")
    assert (run.code, "no tools here" in run.err) == (3, True)
    assert "no tools here" in json.loads((folder / "metrics.ndjson").read_text())["error"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"messages": [\n  {"role": }]}', "line 2"),
        (b"[]", "messages"),
        (b'{"messages": "x"}', "messages"),
        (b"\xef\xbb\xbf{}", ""),
        (b"\xff", ""),
    ],
)
def test_a_request_that_is_none_is_said_with_its_place(folder: Path, content: bytes, said: str) -> None:
    (folder / "bad.json").write_bytes(content)
    run = release(folder, "render", "roles.jinja", "--input", "bad.json")
    assert (run.code, said in run.err, "Traceback" in run.err) == (2, True, False)


@pytest.mark.parametrize(
    "arguments",
    [["--kwargs", "{"], ["--kwargs", "[]"], ["--engine", "none-such"]],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_mistake_is_a_usage_error(folder: Path, arguments: list[str]) -> None:
    assert release(folder, "render", "roles.jinja", "--input", "request.json", *arguments).code == 2


def test_a_template_that_cannot_be_read_is_refused_with_its_line(folder: Path) -> None:
    (folder / "broken.jinja").write_text("a\n{% if %}")
    run = release(folder, "render", "broken.jinja", "--input", "request.json")
    assert (run.code, "broken.jinja:2" in run.err) == (3, True)
