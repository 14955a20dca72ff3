"""Release notes, and the table of `archive/README.md`: what a record says, for readers."""

import re
from collections.abc import Mapping
from itertools import pairwise

from release.values.record import Record

_TABLE = "| file | version | sha256 | Hub commit |\n| --- | --- | --- | --- |\n"
_README = f"# Archive\n\nEvery released template, as it was released.\n\n{_TABLE}"
_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?\s*)?")


def release_notes(record: Record) -> str:
    """`archive/records/NAME.md`: both ids, what is in it, and how to check it."""
    kind = "" if record.repo_type.value == "model" else f"{record.repo_type.value}s/"
    option = "" if record.repo_type.value == "model" else f" --repo-type {record.repo_type.value}"
    url = f"{record.endpoint}/{kind}{record.repo}"
    rows = "".join(f"| `{file.path}` | {file.size} | `{file.sha256}` |\n" for file in record.files)
    kept = "".join(f"- `{file.path}` (`{file.sha256}`)\n" for file in record.adopted)
    return (
        f"# {record.repo} {record.tag}\n\n"
        f"| | |\n| --- | --- |\n"
        f"| source tag | `{record.tag}` (object `{record.tag_object}`, signature: {record.signature}) |\n"
        f"| source commit | `{record.source_commit}` |\n"
        f"| Hub commit | [`{record.hub_commit}`]({url}/commit/{record.hub_commit}) |\n"
        f"| Hub parent | `{record.hub_parent}` |\n"
        f"| Hub tag | `{record.hub_tag}` |\n"
        f"| committed at | {record.committed_at} |\n"
        f"| Release-Id | `{record.release_id}` |\n"
        f"| payload dirHash | `{record.dir_hash}` |\n\n"
        f"To check a download:\n\n"
        f"```\n"
        f"hf download {record.repo}{option} --revision {record.hub_commit} --local-dir release\n"
        f"cd release && sha256sum --check SHA256SUMS\n"
        f"```\n\n"
        f"## Files\n\n| file | bytes | sha256 |\n| --- | --- | --- |\n{rows}"
        + (f"\n## Kept from before\n\n{kept}" if kept else "")
    )


def archived_digests(readme: str) -> dict[str, str]:
    """File name → sha256 from the tables of `archive/README.md`.

    A row counts when one of its cells is a digest; the file is the cell that names one (ending `.jinja`), else
    `chat_template-VERSION.jinja` by the row's first cell.
    """
    found: dict[str, str] = {}
    for cells in _rows(readme):
        digest = next((cell for cell in cells if re.fullmatch(r"[0-9a-f]{64}", cell)), None)
        if digest is None:
            continue
        name = next((cell for cell in cells if cell.endswith(".jinja")), f"chat_template-{cells[0]}.jinja")
        found[name.rpartition("/")[2]] = digest
    return found


def with_row(readme: str | None, row: Mapping[str, str]) -> str:
    """`archive/README.md` with one more row at the end of its last table of digests; unchanged if it is there.

    `row` maps column titles ("file", "version", "sha256", "Hub commit") to cells; the table's own columns decide
    which are shown. A new file, or one without such a table, gets one.
    """
    text = _README if readme is None else readme
    if archived_digests(text).get(row["file"]) == row["sha256"]:
        return text
    lines = text.splitlines(keepends=True)
    header = [
        index
        for index, (line, below) in enumerate(pairwise(lines))
        if "sha256" in line.lower() and _RULE.fullmatch(below.rstrip("\n"))
    ]
    if not header:
        return with_row(text.rstrip("\n") + f"\n\n{_TABLE}", row)
    titles = _cells(lines[header[-1]])
    end = header[-1] + 2
    while end < len(lines) and lines[end].lstrip().startswith("|"):
        end += 1
    known = {title.lower(): cell for title, cell in row.items()}
    cells = [known.get(title.lower(), "") for title in titles]
    if "file" not in [title.lower() for title in titles] and "version" in row:
        cells[0] = row["version"]
    if not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    shown = " | ".join(f"`{cell}`" if re.fullmatch(r"[0-9a-f]{40,64}|.*\.jinja", cell) else cell for cell in cells)
    return "".join([*lines[:end], f"| {shown} |\n", *lines[end:]])


def _rows(text: str) -> list[list[str]]:
    return [_cells(line) for line in text.splitlines() if line.lstrip().startswith("|")]


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
