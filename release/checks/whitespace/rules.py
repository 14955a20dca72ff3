"""A line → what is wrong with it, by git's own definitions (git-config(1), core.whitespace; git-diff(1), --check)."""

from collections.abc import Iterator

from release.checks.whitespace.attributes import Rules

# What git counts as white space here, whatever the locale.
_SPACE = b" \t\r\n"


def complaint(line: bytes, rules: Rules) -> Iterator[tuple[str, str]]:
    """(rule, message) for each complaint about one added line, given without its LF."""
    if _is_conflict_marker(line, rules.marker_size):
        yield "conflict-marker", "leftover conflict marker"
    if rules.cr_at_eol:
        line = line.removesuffix(b"\r")
    content = line.rstrip(_SPACE)
    if rules.blank_at_eol and len(content) != len(line):
        yield "blank-at-eol", "trailing whitespace"
    # Where everything is white space and that is allowed, all of it is indent.
    body = content if rules.blank_at_eol else line
    indent = body[: len(body) - len(body.lstrip(b" \t"))]
    written = indent.rfind(b"\t") + 1
    if rules.space_before_tab and b" \t" in indent:
        yield "space-before-tab", "space before tab in indent"
    if rules.tab_in_indent and _tab_counts(indent, rules):
        yield "tab-in-indent", "tab in indent"
    if rules.indent_with_non_tab and len(indent) - written >= rules.tab_width:
        yield "indent-with-non-tab", "indent with spaces"


def may_be_wrong(content: bytes, rules: Rules) -> bool:
    """Whether any complaint is possible at all: one pass over the bytes instead of one step a line."""
    if rules.tab_in_indent or rules.indent_with_non_tab:
        return True
    return (
        any(suspect in content for suspect in _SUSPECTS)
        or content.endswith((b" ", b"\t", b"\r", b"\n\n"))
        or content[:1] in (b"\n", b"<", b">", b"=", b"|")
    )


def blank_lines_at_end(content: bytes) -> int:
    """How many lines at the end hold nothing but white space, by git's way of counting.

    It goes backwards to the second byte of the file, so that a blank first line counts only where it is long enough.
    """
    end, count = len(content) - (2 if content.endswith(b"\n") else 1), 0
    while end > 0:
        start = content.rfind(b"\n", 0, end + 1)
        if content[start + 1 : end + 1].strip(_SPACE):
            break
        count += 1
        end = start - 1
    return count


def number_of_lines(content: bytes) -> int:
    """Lines, a last one without its LF included."""
    return content.count(b"\n") + (1 if content and not content.endswith(b"\n") else 0)


# White space before a line's end or a tab, and how a conflict marker begins.
_SUSPECTS = (b" \n", b"\t\n", b"\r\n", b" \t", b"\n<", b"\n>", b"\n=", b"\n|")


def _tab_counts(indent: bytes, rules: Rules) -> bool:
    """A tab is named once: as a space before it where that is asked for, else as a tab."""
    if not rules.space_before_tab:
        return b"\t" in indent
    return any(indent[i : i + 1] == b"\t" and indent[i - 1 : i] != b" " for i in range(len(indent)))


def _is_conflict_marker(line: bytes, size: int) -> bool:
    marker = line[:size]
    return (
        len(line) >= size
        and len(set(marker)) == 1
        and marker[:1] in (b"=", b"<", b">", b"|")
        and (line[size : size + 1] or b"\n") in (b" ", b"\t", b"\r", b"\n")
    )
