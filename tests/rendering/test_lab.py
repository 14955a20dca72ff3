"""The published lab package, unchanged, in our suite: the same prompts, the same verdicts (L-004 to L-008).

The package is not part of this repository; where it does not lie beside it, these tests are left out.
"""

import json
from pathlib import Path

import pytest

from release.compose import NoTwin, make_twin
from release.render.engines.catalogue import open_engines
from release.render.fixtures import Package, read_package
from release.render.suite import Case, Outcome, run_suite
from release.values import EngineRun, Finding
from release.values.rendering import Rendered

LAB = Path(__file__).resolve().parents[2].parent / "shared" / "oracle" / "lab"
STABLE = LAB.parent / "stable" / "chat_template_stable.jinja"

pytestmark = pytest.mark.skipif(not LAB.is_dir(), reason="the lab package does not lie beside the repository")

EXPANSIONS = {
    "{{PNG_OLD}}": ("iVBORw0KGgoPNG_OLD_CANARY", "A"),
    "{{PNG_NEW}}": ("iVBORw0KGgoPNG_NEW_CANARY", "B"),
    "{{AUDIO_OLD}}": ("data:audio/wav;base64,AUDIO_OLD_CANARY", "C"),
    "{{AUDIO_NEW}}": ("data:audio/wav;base64,AUDIO_NEW_CANARY", "D"),
    "{{VIDEO_OLD}}": ("data:video/mp4;base64,VIDEO_OLD_CANARY", "E"),
    "{{VIDEO_NEW}}": ("data:video/mp4;base64,VIDEO_NEW_CANARY", "F"),
    "{{TRUNCATED_IMAGE}}": (
        "iVBORw0KGgoTRUNCATED_IMAGE_CANARY\n\n... [OUTPUT TRUNCATED - invented fixture] ...\n\n",
        "G",
    ),
    "{{INCIDENTAL_SIGNATURE}}": ("iVBORw0KGgoINCIDENTAL_SIGNATURE_CANARY", "H"),
}
# Characters of stock and derivative; None: an error that both must raise.
TABLE = {
    "native_structured_media": (172, 172),
    "textual_image_exchanges": (10975, 156),
    "latest_audio_video": (21263, 10723),
    "truncated_image_history": (5475, 137),
    "incidental_signature_collision": (5419, 5419),
    "malformed_ordering": (None, None),
    "ordinary_text_tool_history": (409, 409),
}
APPENDS = ["textual_image_exchanges", "latest_audio_video", "truncated_image_history"]


def text(name: str) -> str:
    return (LAB / name).read_text(encoding="utf-8")


def lab() -> Package:
    files = {path.name: path.read_bytes() for path in LAB.glob("*.json")}
    markers = {
        marker: {"prefix": prefix, "letter": letter, "count": 5000} for marker, (prefix, letter) in EXPANSIONS.items()
    }
    return read_package(files | {"expansions.json": json.dumps(markers).encode()})


def derivative() -> Case:
    stock, ours = text("Qwen-3_5-stock-template.jinja"), text("Qwen-3_5-media-history-template.jinja")
    return Case("derivative.jinja", ours, lab().fixtures, stock)


def test_the_table_of_the_lab_holds_in_plain_jinja2() -> None:
    made = list(run_suite([derivative()], open_engines(["jinja2"])))
    outcomes = [one for one in made if isinstance(one, Outcome)]
    table = {
        one.fixture.name: tuple(
            len(side.text) if isinstance(side, Rendered) else None for side in (one.stock, one.ours)
        )
        for one in outcomes
    }
    assert table == TABLE
    assert [finding for one in outcomes for finding in one.findings] == []
    assert [(run.name, run.renders) for run in made if isinstance(run, EngineRun)] == [("jinja2", 7)]


def test_the_derivative_dies_under_transformers_where_it_appends_to_a_list() -> None:
    made = list(run_suite([derivative()], open_engines(["transformers"])))
    broken = {one.fixture.name: one.findings for one in made if isinstance(one, Outcome) and one.findings}
    assert list(broken) == APPENDS
    for (finding,) in broken.values():
        assert finding.rule == "render/failed"
        assert "access to attribute 'append' of 'list' object is unsafe" in finding.message
        assert finding.line in (88, 90, 111, 120)
    assert not [one for one in made if isinstance(one, Finding)]


def test_stock_passes_where_nothing_is_asked_to_be_removed() -> None:
    stock = text("Qwen-3_5-stock-template.jinja")
    kept = tuple(one for one in lab().fixtures if one.name not in APPENDS)
    made = run_suite([Case("stock.jinja", stock, kept, stock)], open_engines())
    assert [finding for one in made if isinstance(one, Outcome) for finding in one.findings] == []


@pytest.mark.parametrize("file", [*(path.name for path in sorted(LAB.glob("*.jinja"))), "stable"])
def test_a_template_of_the_lab_and_its_twin_render_the_same(file: str) -> None:
    source = STABLE.read_text(encoding="utf-8") if file == "stable" else text(file)
    try:
        twin = make_twin(source)
    except NoTwin:
        twin = make_twin(source, trim=True)
    for engine in open_engines():
        with engine:
            whole, line = engine.compile(source), engine.compile(twin)
            for fixture in lab().fixtures:
                one, other = whole.render(fixture.variables), line.render(fixture.variables)  # type: ignore[union-attr]
                assert type(one) is type(other)
                if isinstance(one, Rendered):
                    assert one == other
