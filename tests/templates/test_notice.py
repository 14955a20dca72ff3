"""NOTICE.md tells the truth about the templates: an edit of a template without its row fails here."""

import hashlib
import re

import pytest
from families import MEDIA_HISTORY, ROOT, SHARED, STABLE, each_family, stock_bytes

NOTICE = (ROOT / "NOTICE.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| `([0-9a-f]{64})` \|$", NOTICE, re.MULTILINE))
FILES = {
    "Upstream's `chat_template.jinja` at the revision above": stock_bytes(),
    "The same with one newline more, published as `chat_template_stock.jinja`": stock_bytes() + b"\n",
}
for title, family in {"The media-history template": MEDIA_HISTORY, "The stable template": STABLE}.items():
    FILES[f"{title}, published as `{family.template}.jinja`"] = family.built.encode()
    FILES[f"{title} on one line, published as `{family.template}_oneline.txt`"] = family.twin.encode()


def test_the_table_has_a_row_for_each_file_and_no_other():
    assert ROWS.keys() == FILES.keys()


@pytest.mark.parametrize("row", FILES)
def test_a_row_holds_the_digest_of_its_file(row):
    found = hashlib.sha256(FILES[row]).hexdigest()
    assert found == ROWS[row], f"in NOTICE.md, the row {row!r} must say {found}"


@each_family
def test_the_notice_and_the_template_name_the_same_origin(family):
    for fact in ("Qwen/Qwen3.5-27B", "feea018b31f89dc0950e61da42577a7a4ab09169", "Apache License 2.0"):
        assert fact in NOTICE
        assert fact in family.notice


def test_unsloth_is_credited_in_the_notice_and_in_the_stable_template():
    """The reference that the family's behaviour was taken from names them in its last line."""
    for text in (NOTICE, STABLE.notice):
        assert re.search(r"Unsloth.*developer role.*calls", text, re.DOTALL)


def test_the_notice_shares_no_sentence_with_that_of_the_lab():
    lab = SHARED / "oracle" / "lab" / "NOTICE.md"
    if not lab.is_file():
        pytest.skip("the lab's originals are not beside the repository")

    def sentences(text):
        return {line.strip(" -|.;") for line in re.split(r"\n|\. |: ", text) if line.count(" ") > 4}

    assert sentences(lab.read_text(encoding="utf-8")) & sentences(NOTICE) == set()
