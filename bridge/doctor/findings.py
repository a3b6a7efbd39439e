"""Sections of facts and problems, and their text and JSON: what every part of the doctor makes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """what: is wrong, in words; remedy: the line that mends it, a command or a setting; stops:
    whether a run ends or does not begin because of it."""

    what: str
    remedy: str
    stops: bool = False


@dataclass
class Section:
    """Facts and problems of one part: `name` of it, text by name, in order."""

    name: str
    facts: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, what: str, remedy: str, stops: bool = False) -> None:
        self.problems.append(Problem(what, remedy, stops))


@dataclass
class Report:
    """Sections of one process; rank: its number, of several."""

    sections: list[Section]
    rank: int | None = None

    @property
    def problems(self) -> list[Problem]:
        return [problem for section in self.sections for problem in section.problems]

    @property
    def stops(self) -> bool:
        """Whether one of the problems would stop a run."""
        return any(problem.stops for problem in self.problems)

    def fact(self, section: str, name: str) -> str | None:
        """One fact, None where it is not there."""
        found = [one.facts.get(name) for one in self.sections if one.name == section]
        return found[0] if found else None

    def text(self) -> str:
        """For people: sections of aligned facts, problems under what they belong to."""
        title = "bridge doctor" + ("" if self.rank is None else f", rank {self.rank}")
        lines = [title]
        for section in self.sections:
            lines += ["", section.name]
            width = max((len(name) for name in section.facts), default=0)
            for name, value in section.facts.items():
                first, *more = value.splitlines() or [""]
                lines.append(f"  {name:<{width}}  {first}".rstrip())
                lines += [f"  {'':<{width}}  {line}" for line in more]
            for problem in section.problems:
                lines.append(f"  {'STOPS A RUN' if problem.stops else 'problem'}: {problem.what}")
                lines.append(f"    mend: {problem.remedy}")
        return "\n".join([*lines, "", self.verdict()])

    def verdict(self) -> str:
        """The last line: how many problems, and whether a run would work."""
        number = len(self.problems)
        if not number:
            return "no problems"
        stopping = sum(problem.stops for problem in self.problems)
        those = f"{stopping} of them would stop a run" if stopping else "none would stop a run"
        return f"{number} problem{'s' if number > 1 else ''}, {those}"

    def json(self) -> dict[str, Any]:
        return {
            "rank": self.rank,
            "stops": self.stops,
            "sections": [
                {
                    "name": section.name,
                    "facts": section.facts,
                    "problems": [
                        {"what": one.what, "remedy": one.remedy, "stops": one.stops}
                        for one in section.problems
                    ],
                }
                for section in self.sections
            ],
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Report:
        sections = [
            Section(
                str(one["name"]),
                {str(name): str(value) for name, value in one["facts"].items()},
                [Problem(p["what"], p["remedy"], bool(p["stops"])) for p in one["problems"]],
            )
            for one in told["sections"]
        ]
        return cls(sections, told.get("rank"))


def written(reports: Iterable[Report], as_json: bool) -> str:
    """Reports of some ranks as a file has them: text, or a JSON list (one alone is no list)."""
    some = list(reports)
    if not as_json:
        return "\n\n".join(report.text() for report in some) + "\n"
    told = [report.json() for report in some]
    return json.dumps(told if len(told) > 1 else told[0], indent=1) + "\n"
