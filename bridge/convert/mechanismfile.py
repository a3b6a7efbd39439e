"""A mechanism file: its phases, its sections of species, its units and elements.

Behind `mechanism`. What has another shape than Cantera's files is refused with its line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from bridge import yamlfiles
from bridge.convert.critical import Node
from bridge.convert.units import UnitScope
from bridge.errors import ArgumentError
from bridge.physics.speciestable import atomic_weights

Entry = tuple[Node, UnitScope]
#: Keys and numbers that lead to a value of the file.
Keys = tuple[str | int, ...]
#: Characters of a value that a message repeats.
_SHOWN = 60


def load(path: Path, argument: str) -> Any:
    """The file with every scalar as text."""
    import yaml

    try:
        return yamlfiles.load(path.expanduser().read_text(encoding="utf-8"), texts_alone=True)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ArgumentError(argument, str(path), f"a readable YAML file ({error})") from None


class MechanismFile:
    """path: of the file; units: of the whole file; weights: of its elements, with its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._content = load(path, "mechanism")
        if not isinstance(self._content, Mapping):
            raise ArgumentError("mechanism", str(path), "a Cantera YAML file")
        self.units = self._within(UnitScope(), ("units",), self._content.get("units"))
        self.weights = dict(atomic_weights())
        for number, element in enumerate(self._listed(("elements",), "elements")):
            if isinstance(element, Mapping) and "atomic-weight" in element:
                try:
                    self.weights[element["symbol"]] = float(element["atomic-weight"])
                except (KeyError, ValueError, TypeError):
                    wanted = "a symbol and a number as atomic-weight"
                    self._refuse(("elements", number), element, wanted)

    def chosen(self, phase: str | None) -> dict[str, Entry]:
        """Species of a phase in its order; all of the file where it has no phases."""
        phases: dict[str, tuple[int, Node]] = {}
        for number, node in enumerate(self._listed(("phases",), "phases")):
            name = self._name(("phases", number), node, "phase")
            if name in phases:
                got = f"phase {name} twice in {self._place(('phases', number))}"
                raise ArgumentError("mechanism", got, "each phase once")
            phases[name] = number, node
        if phase is not None and phase not in phases:
            raise ArgumentError("phase", repr(phase), f"one of {', '.join(phases) or 'none'}")
        if not phases:
            return self.section("species")
        number, node = phases[phase or next(iter(phases))]
        result: dict[str, Entry] = {}
        for keys, section, names in self._groups(
            ("phases", number, "species"), node.get("species", "all")
        ):
            have = self.section(section)
            for name in have if names == "all" else names:
                if name not in have:
                    got = f"{name} of a phase of {self._place(keys)}"
                    raise ArgumentError("mechanism", got, f"an entry in section '{section}'")
                result[name] = have[name]
        return result

    def section(self, name: str) -> dict[str, Entry]:
        """Species of a section, each with the units that hold for it."""
        if "/" in name:
            other, name = name.rsplit("/", 1)
            return MechanismFile(self.path.parent / other).section(name)
        units = self.units
        found: dict[str, Entry] = {}
        for number, node in enumerate(self._listed((name,), "species")):
            keys = (name, number)
            if isinstance(node, Mapping) and "name" not in node and "units" in node:
                units = self._within(units, keys, node["units"])  # of what follows
                continue
            species = self._name(keys, node, "species")
            if species in found:
                got = f"{species} twice in {self._place(keys)}"
                raise ArgumentError("mechanism", got, "each species once")
            found[species] = (node, self._within(units, (*keys, "units"), node.get("units")))
        if not found:
            raise ArgumentError("mechanism", f"{self.path} without species in '{name}'", "some")
        return found

    # ---- shapes ----------------------------------------------------------------------------

    def _groups(self, keys: Keys, value: Any) -> list[tuple[Keys, str, Any]]:
        """The species of a phase: where they stand, their section, their names or "all"."""
        wanted = "all, a list of names such as [O2], or a list of {section: names}"
        if value == "all":
            return [(keys, "species", "all")]
        if not isinstance(value, list) or not value:
            self._refuse(keys, value, wanted)
        if all(isinstance(one, str) for one in value):
            return [(keys, "species", value)]
        groups = []
        for number, group in enumerate(value):
            if not isinstance(group, Mapping) or not group:
                self._refuse((*keys, number), group, wanted)
            for section, names in group.items():
                texts = isinstance(names, list) and all(isinstance(one, str) for one in names)
                if not isinstance(section, str) or names != "all" and not (texts and names):
                    self._refuse((*keys, number, section), names, "all, or a list of names")
                groups.append(((*keys, number, section), section, names))
        return groups

    def _listed(self, keys: Keys, of: str) -> list[Any]:
        """A list of the file, empty where there is none."""
        found = self._content.get(keys[0]) or []
        if not isinstance(found, list):
            self._refuse(keys, found, f"a list of {of}")
        return found

    def _name(self, keys: Keys, node: Any, of: str) -> str:
        name = node.get("name") if isinstance(node, Mapping) else None
        if not isinstance(name, str) or not name:
            self._refuse(keys, node, f"a {of} with a name")
        return name

    def _within(self, units: UnitScope, keys: Keys, block: Any) -> UnitScope:
        try:
            return units.within(block)
        except ValueError as error:
            self._refuse(keys, block, str(error).rpartition("wanted ")[2])

    def _refuse(self, keys: Keys, value: object, wanted: str) -> NoReturn:
        named = next((f"{key}: " for key in reversed(keys) if isinstance(key, str)), "")
        shown = str(value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]} ..."
        got = f"{named}{shown or 'nothing'} in {self._place(keys)}"
        raise ArgumentError("mechanism", got, wanted)

    def _place(self, keys: Keys) -> str:
        """The file and the line of a value."""
        import yaml

        node: Any = yaml.compose(
            self.path.expanduser().read_text(encoding="utf-8"), yaml.BaseLoader
        )
        for key in keys:
            if isinstance(node, yaml.MappingNode):
                node = next((value for name, value in node.value if name.value == key), node)
            elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
                node = node.value[key]
        return f"{self.path}, line {node.start_mark.line + 1}"
