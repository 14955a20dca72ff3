"""Release notes, and the table of `archive/README.md`: what a record says, for readers."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from release.values.record import Record

_TABLE = "| file | version | sha256 | Hub commit |\n| --- | --- | --- | --- |\n"
_README = f"# Archive\n\nEvery released template, as it was released.\n\n{_TABLE}"
_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?\s*)?")
_CODE = re.compile(r"[0-9a-f]{40,64}|.*\.jinja", re.DOTALL)


def release_notes(record: Record) -> str:
    """`archive/records/NAME.md`: both ids, what is in it, and how to check it."""
    kind = "" if record.repo_type.value == "model" else f"{record.repo_type.value}s/"
    option = "" if record.repo_type.value == "model" else f" --repo-type {record.repo_type.value}"
    url = f"{record.endpoint}/{kind}{record.repo}"
    rows = "".join(f"| `{_cell(file.path)}` | {file.size} | `{file.sha256}` |\n" for file in record.files)
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
    return dict(_listed(readme))


def with_row(readme: str | None, row: Mapping[str, str]) -> str:
    """`archive/README.md` with one more row at the end of its last table of digests; unchanged if it is there.

    `row` maps column titles ("file", "version", "sha256", "Hub commit") to cells; the table's own columns decide
    which are shown. A new file, or one without such a table, gets one.
    """
    text = readme if readme and readme.strip() else _README
    wanted = (row["file"], row["sha256"])
    if wanted in _listed(text):
        return text
    # Only LF ends a line here, as for git; other separators stay inside it.
    lines = text.split("\n")
    tables = [
        (index, titles)
        for index, (line, below) in enumerate(pairwise(lines))
        if len(titles := _cells(line)) > 1 and _digest_column(titles) is not None and _RULE.fullmatch(below)
    ]
    if not tables:
        return with_row(text.rstrip("\n") + f"\n\n{_TABLE}", row)
    start, titles = tables[-1]
    end = start + 2
    while end < len(lines) and lines[end].lstrip().startswith("|"):
        end += 1
    ending = "\r" if lines[start].endswith("\r") else ""
    return "\n".join([*lines[:end], _row(titles, row) + ending, *(lines[end:] or [""])])


def _row(titles: list[str], row: Mapping[str, str]) -> str:
    known = {title.lower(): cell for title, cell in row.items()}
    cells = [known.get(title.lower(), "") for title in titles]
    digest = _digest_column(titles) or 0
    cells[digest] = row["sha256"]
    first = 1 if digest == 0 else 0
    if "file" not in [title.lower() for title in titles]:
        cells[first] = known.get("version", "")
    # A table that has no place for the file, or tells it by a version that would name another, gets it in full.
    if (row["file"], row["sha256"]) not in _listed(_line(cells)):
        cells[first] = row["file"]
    return _line(cells)


def _line(cells: list[str]) -> str:
    shown = (f"`{_cell(cell)}`" if _CODE.fullmatch(cell) else _cell(cell) for cell in cells)
    return f"| {' | '.join(shown)} |"


def _digest_column(titles: list[str]) -> int | None:
    return next((index for index, title in enumerate(titles) if "sha256" in title.lower()), None)


def _listed(readme: str) -> list[tuple[str, str]]:
    """(file name, digest) of each row that tells both."""
    found = []
    for cells in _rows(readme):
        digest = next((cell for cell in cells if re.fullmatch(r"[0-9a-f]{64}", cell)), None)
        if digest is not None:
            name = next((cell for cell in cells if cell.endswith(".jinja")), f"chat_template-{cells[0]}.jinja")
            found.append((name.rpartition("/")[2], digest))
    return found


def _rows(text: str) -> Iterator[list[str]]:
    return (_cells(line) for line in text.split("\n") if line.lstrip().startswith("|"))


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inside)]


def _cell(text: str) -> str:
    """Text as one cell of a table: a bar would begin the next."""
    return text.replace("|", "\\|")
