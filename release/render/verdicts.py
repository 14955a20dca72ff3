"""What an engine made of a fixture, beside what was expected of it: complaints, each a rule and a line."""

from collections.abc import Iterator
from dataclasses import dataclass

from release.render import structure
from release.render.cases import Case, Kind
from release.render.expectations import STOCK_NAME, Expectation
from release.render.fixtures import Fixture
from release.render.hosts import handed_over, own_part
from release.render.matrix import LIMITS, Made
from release.render.structure.harmless import harmless, restored
from release.render.wording import describe, difference, excerpt
from release.values.rendering import Failed, Fault, Rendered


@dataclass(frozen=True)
class Complaint:
    """`rule` is what stands behind `render/` in a finding."""

    rule: str
    text: str


def verdict(case: Case, fixture: Fixture, engine: str, made: Made, *, as_expected: bool) -> Iterator[Complaint]:
    """All that is wrong with what this engine made of a fixture by itself.

    `as_expected` False: its host changed the conversation, so that what is expected of it says nothing here.
    """
    if isinstance(made.ours, Failed) and made.ours.fault in LIMITS:
        # An expected error is the template's own or the engine's; a limit is never what was expected.
        yield Complaint("limit", describe(made.ours))
    elif isinstance(made.ours, Failed) and made.ours.fault is Fault.UNASKED:
        return
    elif case.kind is Kind.TWIN:
        yield from _of_a_twin(made)
    elif case.kind is Kind.CURRENT:
        if as_expected:
            yield from _of_the_expected(fixture.expected_in(engine), made)
        if isinstance(made.ours, Rendered):
            yield from _of_the_structure(case, fixture, engine, made, made.ours.text)


def _of_a_twin(made: Made) -> Iterator[Complaint]:
    """A twin does as its template does: the same prompt, or the same failure, whose line may be another."""
    ours, whole = made.ours, made.original
    if isinstance(ours, Rendered):
        if isinstance(whole, Rendered) and ours != whole:
            yield Complaint("twin", difference(ours.text, whole.text, "the template's"))
        elif isinstance(whole, Failed):
            yield Complaint("twin", f"the twin renders and its template does not: {describe(whole)}")
    elif isinstance(whole, Rendered):
        yield Complaint("twin", f"the template renders and its twin does not: {describe(ours)}")
    elif whole is not None and (whole.fault, whole.message) != (ours.fault, ours.message):
        yield Complaint("twin", f"the template fails ({describe(whole)}), its twin otherwise ({describe(ours)})")


def _of_the_expected(expected: Expectation, made: Made) -> Iterator[Complaint]:
    if not expected.renders:
        yield from _of_a_failure(expected.error, made)
    elif isinstance(made.ours, Failed):
        yield Complaint("failed", f"it should render, but {describe(made.ours)}")
    else:
        yield from _of_a_text(expected, made.ours.text)
        yield from _of_others(expected, made, made.ours.text)
        yield from _of_prefixes(expected, made)


def _of_a_failure(wanted: str, made: Made) -> Iterator[Complaint]:
    """An expected error passes only if the template, and stock where there is one, fail with its text (L-005)."""
    ours, stock = made.ours, made.stock
    if isinstance(ours, Rendered):
        yield Complaint("not-refused", f"it should fail with {excerpt(wanted)}, but rendered")
    elif wanted not in ours.message:
        yield Complaint("error-text", f"it should fail with {excerpt(wanted)}, but {describe(ours)}")
    if isinstance(stock, Rendered):
        yield Complaint("stock-error", f"stock should fail with {excerpt(wanted)} too, but rendered")
    elif stock is not None and (wanted not in stock.message or stock.fault in LIMITS):
        yield Complaint("stock-error", f"stock should fail with {excerpt(wanted)} too, but {describe(stock)}")


def _of_a_text(expected: Expectation, text: str) -> Iterator[Complaint]:
    for wanted in expected.contains:
        if wanted not in text:
            yield Complaint("contains", f"the prompt lacks {excerpt(wanted)}")
    for unwanted in expected.absent:
        if unwanted in text:
            yield Complaint("absent", f"the prompt holds {excerpt(unwanted)}")
    for counted, times in expected.counts:
        if (found := text.count(counted)) != times:
            yield Complaint("counts", f"the prompt holds {excerpt(counted)} {found:,} times, not {times:,}")
    if not text.startswith(expected.starts_with):
        begins = excerpt(text[: len(expected.starts_with)])
        yield Complaint("starts-with", f"the prompt should begin with {excerpt(expected.starts_with)}, not {begins}")
    if not text.endswith(expected.ends_with):
        ends = excerpt(text[-len(expected.ends_with) :])
        yield Complaint("ends-with", f"the prompt should end with {excerpt(expected.ends_with)}, not {ends}")


def _of_others(expected: Expectation, made: Made, text: str) -> Iterator[Complaint]:
    names = expected.equals if not expected.matches_stock else dict.fromkeys((STOCK_NAME, *expected.equals))
    for name in names:
        rule = "stock" if name == STOCK_NAME else "equals"
        other = made.stock if name == STOCK_NAME else made.others.get(name)
        if other is None:
            missing = "no stock is named" if name == STOCK_NAME else f"there is no template {excerpt(name)}"
            yield Complaint(f"no-{rule}", f"it should match {_shown(name)}, but {missing} to compare with")
        elif isinstance(other, Failed):
            yield Complaint(f"{rule}-error", f"it should match {_shown(name)}, but of {name} {describe(other)}")
        elif text != other.text:
            yield Complaint("matches-stock" if rule == "stock" else rule, difference(text, other.text, name))


def _shown(name: str) -> str:
    return name if name == STOCK_NAME else excerpt(name)


def _of_prefixes(expected: Expectation, made: Made) -> Iterator[Complaint]:
    for number in expected.prefix_kept:
        if (unlike := made.unlike.get(number)) is not None:
            yield Complaint("prefix-kept", unlike)
    for number in expected.prefix_lost:
        if number in made.unlike and made.unlike[number] is None:
            what = f"the prompt begins with that of its first {number} messages, which 'prefix_lost' says it does not"
            yield Complaint("prefix-lost", what)


def _of_the_structure(case: Case, fixture: Fixture, engine: str, made: Made, text: str) -> Iterator[Complaint]:
    rules = case.family.structure
    if not rules.holds:
        return
    variables = fixture.variables
    if made.harmless is not None:
        # What a control token in a text that was sent does to the prompt, none of ours may do.
        if isinstance(made.harmless, Failed) or restored(made.harmless.text) != text:
            yield Complaint("tokens", "control tokens in the conversation's texts are not printed like any other text")
            return
        variables = harmless(variables) or variables
        text = made.harmless.text
    text = own_part(engine, variables, text)
    for one in structure.complaints(text, handed_over(engine, variables), rules, fixture.allowances.exceptions):
        yield Complaint(one.check, one.text)
    told = {*fixture.expected_in(engine).prefix_kept, *fixture.expected_in(engine).prefix_lost}
    for number, unlike in made.unlike.items():
        if unlike is not None and number not in told:
            yield Complaint("append-only", unlike)
            return
