"""NOTICE.md tells the truth about the media-history template: an edit of the template without its row fails here."""

import hashlib
import re

import media_history as mh
import pytest

NOTICE = (mh.ROOT / "NOTICE.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| `([0-9a-f]{64})` \|$", NOTICE, re.MULTILINE))
FILES = {
    "Upstream's `chat_template.jinja` at the revision above": mh.stock_bytes,
    "The same with one newline more, published as `chat_template_stock.jinja`": lambda: mh.stock_bytes() + b"\n",
    "The derived template, published as `chat_template_media_history.jinja`": lambda: mh.built().encode(),
    "The derived template on one line, published as `chat_template_media_history_oneline.txt`": lambda: (
        mh.twin().encode()
    ),
}


def test_the_table_has_a_row_for_each_file_and_no_other():
    assert ROWS.keys() == FILES.keys()


@pytest.mark.parametrize("row", FILES)
def test_a_row_holds_the_digest_of_its_file(row):
    found = hashlib.sha256(FILES[row]()).hexdigest()
    assert found == ROWS[row], f"in NOTICE.md, the row {row!r} must say {found}"


def test_the_notice_and_the_template_name_the_same_origin():
    header = mh.built().split("#}")[0]
    for fact in ("Qwen/Qwen3.5-27B", "feea018b31f89dc0950e61da42577a7a4ab09169", "Apache License 2.0"):
        assert fact in NOTICE
        assert fact in header


def test_the_notice_shares_no_sentence_with_that_of_the_lab():
    lab = mh.SHARED / "oracle" / "lab" / "NOTICE.md"
    if not lab.is_file():
        pytest.skip("the lab's originals are not beside the repository")

    def sentences(text):
        return {line.strip(" -|.;") for line in re.split(r"\n|\. |: ", text) if line.count(" ") > 4}

    assert sentences(lab.read_text(encoding="utf-8")) & sentences(NOTICE) == set()
