"""PackageReader: the JSON files of one fixture package, and all that is wrong with them."""

from collections.abc import Collection, Mapping

from release.errors import Refused
from release.render.json_text import JsonFault, JsonPath, read_json
from release.values import Finding


class BadFixtures(Refused):
    """A package that cannot be used; `findings` are all that is wrong with it."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__(
            f"the fixtures cannot be used: {len(findings)} complaint{'s' * (len(findings) > 1)}",
            hint="mend the fixture package, commit it and tag again",
            complaints=[_shown(finding) for finding in findings],
        )
        self.findings = findings


class PackageReader:
    """Reads the package's files and keeps all complaints, so that they are told together."""

    def __init__(self, files: Mapping[str, bytes], prefix: str) -> None:
        self.files = files
        self.prefix = prefix
        self.findings: list[Finding] = []
        self.places: dict[str, Mapping[JsonPath, tuple[int, int]]] = {}

    def table(self, name: str, *, optional: bool = False) -> dict[str, object]:
        """The file's object; empty where there is none, with a complaint unless it is optional."""
        content = self.files.get(self.prefix + name)
        if content is None:
            if not optional:
                self.findings.append(Finding("render/fixtures", "there is no such file", path=self.prefix + name))
            return {}
        try:
            value, self.places[name] = read_json(content)
        except JsonFault as fault:
            self.findings.append(
                Finding("render/json", fault.message, path=self.prefix + name, line=fault.line, column=fault.column)
            )
            return {}
        if not isinstance(value, dict):
            self.complain(name, (), "it must be one object")
            return {}
        return value

    def was_read(self, name: str) -> bool:
        return name in self.places

    def complain(self, name: str, path: JsonPath, message: str) -> None:
        """Takes note of a complaint about the key at `path`, or, where that is missing, about what should hold it."""
        places = self.places.get(name, {})
        while path and path not in places:
            path = path[:-1]
        line, column = places.get(path, (None, None))
        self.findings.append(Finding("render/fixtures", message, path=self.prefix + name, line=line, column=column))

    def stop_if_wrong(self) -> None:
        """Raises `BadFixtures` where there is a complaint."""
        if self.findings:
            order = sorted(self.findings, key=lambda one: (one.path or "", one.line or 0, one.column or 0, one.message))
            raise BadFixtures(tuple(order))

    def fields(self, name: str, path: JsonPath, item: object, known: tuple[str, ...]) -> dict[str, object]:
        """An object's known keys; a complaint for each unknown one."""
        if not isinstance(item, dict):
            self.complain(name, path, f"{short(path[-1])} must be an object")
            return {}
        for key in item.keys() - set(known):
            self.complain(name, (*path, key), f"unknown key {short(key)} (known: {', '.join(known)})")
        return {key: item[key] for key in known if key in item}

    def reasons(self, name: str, path: JsonPath, value: object, known: Collection[str]) -> dict[str, str]:
        """A mapping from known names to reasons; a complaint for each that gives none."""
        made: dict[str, str] = {}
        for key, reason in self.fields(name, path, value, tuple(known)).items():
            if isinstance(reason, str) and reason.strip():
                made[key] = reason
            else:
                self.complain(name, (*path, key), f"{short(key)} needs a reason, as a text")
        return made

    def text(self, name: str, path: JsonPath, value: object) -> str:
        if isinstance(value, str):
            return value
        self.complain(name, path, f"{short(path[-1])} must be a text")
        return ""


def short(name: object) -> str:
    text = str(name)
    return repr(text if len(text) <= 80 else text[:79] + "…")


def _shown(finding: Finding) -> str:
    place = ":".join(str(part) for part in (finding.path, finding.line, finding.column) if part is not None)
    return f"{place}: {finding.message}"
