"""The published numbers of the original (L-008), its fixtures, and the known bugs: from the folder of references.

Skipped where that folder is absent.
"""

import json
import re
from functools import cache

import pytest
from families import MEDIA_HISTORY, PLAIN, SANDBOX, SHARED, outcome, render, stock, stock_bytes

from release.render.fixtures import read_package

LAB = SHARED / "oracle" / "lab"
BUGS = SHARED / "cases" / "bugs"
MARKERS = {  # {{NAME}} in the lab's fixtures: what it stands for there
    "PNG_OLD": ("iVBORw0KGgoPNG_OLD_CANARY", "A"),
    "PNG_NEW": ("iVBORw0KGgoPNG_NEW_CANARY", "B"),
    "AUDIO_OLD": ("data:audio/wav;base64,AUDIO_OLD_CANARY", "C"),
    "AUDIO_NEW": ("data:audio/wav;base64,AUDIO_NEW_CANARY", "D"),
    "VIDEO_OLD": ("data:video/mp4;base64,VIDEO_OLD_CANARY", "E"),
    "VIDEO_NEW": ("data:video/mp4;base64,VIDEO_NEW_CANARY", "F"),
    "TRUNCATED_IMAGE": (
        "iVBORw0KGgoTRUNCATED_IMAGE_CANARY\n\n... [OUTPUT TRUNCATED - invented fixture] ...\n\n",
        "G",
    ),
    "INCIDENTAL_SIGNATURE": ("iVBORw0KGgoINCIDENTAL_SIGNATURE_CANARY", "H"),
}
NUMBERS = {
    "native_structured_media": (172, 172),
    "textual_image_exchanges": (10975, 156),
    "latest_audio_video": (21263, 10723),
    "truncated_image_history": (5475, 137),
    "incidental_signature_collision": (5419, 5419),
    "malformed_ordering": (None, None),
    "ordinary_text_tool_history": (409, 409),
}
lab = pytest.mark.skipif(not LAB.is_dir(), reason="the lab's originals are not beside the repository")
bugs = [json.loads(path.read_bytes()) for path in sorted(BUGS.glob("*.json"))]


@cache
def lab_fixtures():
    texts = {
        f"{{{{{name}}}}}": {"prefix": text, "letter": letter, "count": 5000} for name, (text, letter) in MARKERS.items()
    }
    files = {name: (LAB / name).read_bytes() for name in ("fixtures.json", "expected-results.json")}
    package = read_package(files | {"expansions.json": json.dumps(texts).encode()})
    return {fixture.name: fixture for fixture in package.fixtures}


def characters(text, fixture):
    kind, made = outcome(text, fixture.variables, PLAIN)
    return len(made) if kind == "prompt" else None


@lab
@pytest.mark.parametrize("name", NUMBERS)
def test_the_lengths_are_the_published_ones(name):
    fixture = lab_fixtures()[name]
    assert (characters(stock(), fixture), characters(MEDIA_HISTORY.built, fixture)) == NUMBERS[name]


@lab
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("text", [MEDIA_HISTORY.built, MEDIA_HISTORY.twin], ids=["template", "twin"])
def test_the_lab_fixtures_come_out_as_from_the_original(name, text):
    """The original runs in plain Jinja2 alone, since it appends to a list; ours gives its bytes in the sandbox too."""
    original = (LAB / "Qwen-3_5-media-history-template.jinja").read_text(encoding="utf-8")
    variables = lab_fixtures()[name].variables
    expected = outcome(original, variables, PLAIN)
    assert outcome(text, variables, PLAIN) == expected
    assert outcome(text, variables, SANDBOX) == expected


@lab
def test_the_witness_package_holds_the_stock_template_of_the_lab():
    """The lab's copy has one newline more."""
    assert (LAB / "Qwen-3_5-stock-template.jinja").read_bytes() == stock_bytes() + b"\n"


@lab
def test_our_fixtures_share_no_sentence_with_the_lab():
    sentences = {
        text
        for name in ("fixtures.json", "expected-results.json")
        for text in re.findall(r'"([^"]*\w [^"]* [^"]*\w[^"]*)"', (LAB / name).read_text(encoding="utf-8"))
    } - {"System message must be at the beginning."}
    ours = "".join(path.read_text(encoding="utf-8") for path in MEDIA_HISTORY.sources.glob("*.json"))
    assert sentences
    assert [sentence for sentence in sentences if sentence in ours] == []


@pytest.mark.parametrize(
    "bug", [bug for bug in bugs if {"media-history", "stock"} & set(bug["families"])], ids=lambda bug: f"X-{bug['id']}"
)
def test_a_known_bug_is_mended(bug):
    prompt = render(MEDIA_HISTORY.built, bug["payload"], PLAIN)
    assert [word for word in bug["lost"] if word not in prompt] == []
    actual = [bug["actual"][family] for family in ("media-history", "stock") if family in bug["actual"]]
    # Stock's bytes stay where parity was decided.
    assert (prompt in actual) == (bug["id"] in ("46", "48"))
    assert render(MEDIA_HISTORY.built, bug["payload"], SANDBOX) == prompt
    assert prompt.count("<|im_start|>") == prompt.count("<|im_end|>") + 1
