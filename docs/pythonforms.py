"""Python text that follows from the catalogue: composites as methods, quantities as attributes.

`docs/generate.py` writes it, so that help, tab completion and type checkers know the names.
"""

from __future__ import annotations

from keyword import iskeyword
from textwrap import fill
from typing import Any

HEAD = '''"""{about}

Made from bridge/kernels/catalogue.toml by docs/generate.py.
"""

from __future__ import annotations
'''


def composites(catalogue: dict[str, Any]) -> str:
    """bridge/composites.py: a class with a method for each composite of the package."""
    parts = [
        HEAD.format(about="The composites of the package as methods of `TVProperties`."),
        "from abc import abstractmethod",
        "",
        "",
        "class Composites:",
        '    """One method for each composite; those of packs go by `composite(name, n)`."""',
        "",
        "    @abstractmethod",
        "    def composite(self, name: str, n: int) -> None:",
        '        """See `TVProperties.composite`."""',
    ]
    for one in catalogue["composite"]:
        makes, reads = (_listed(catalogue, one[key]) for key in ("outputs", "inputs"))
        parts += [
            "",
            f"    def {one['name']}(self, n: int) -> None:",
            f'        """Compute {one["name"]} on the views, first n points.',
            "",
            _filled(f"From {reads}."),
            _filled(f"Makes {makes}."),
            '        """',
            f'        self.composite("{one["name"]}", n)',
        ]
    return "\n".join(parts) + "\n"


def attributes(catalogue: dict[str, Any]) -> str:
    """bridge/evaluation/attributes.py: what a type checker knows of a Result."""
    parts = [
        HEAD.format(about="The quantities of the package as attributes, for type checkers."),
        "import numpy as np",
        "",
        "",
        "class Attributes:",
        '    """Names that a `Result` may have; a quantity of a kernel pack is an item alone."""',
        "",
        "    __slots__ = ()",
        "",
    ]
    for name, quantity in catalogue["quantity"].items():
        if name != "status":  # which a Result makes itself
            word = f"{name}_" if iskeyword(name) else name
            shape = _shape(quantity)
            about = f"{quantity['about']}, {quantity['unit']}{f', {shape}' if shape else ''}"
            parts += [f"    #: {about}", f"    {word}: np.ndarray"]
    return "\n".join(parts) + "\n"


def _listed(catalogue: dict[str, Any], names: list[str]) -> str:
    quantities = catalogue["quantity"]
    return ", ".join(
        " ".join(filter(None, (name, _shape(quantities[name]), _unit(quantities[name]))))
        for name in names
    )


def _unit(quantity: dict[str, Any]) -> str:
    return "" if quantity["unit"] == "1" else str(quantity["unit"])


def _shape(quantity: dict[str, Any]) -> str:
    columns = str(quantity.get("columns", "1"))
    return "" if columns == "1" else f"({columns.replace('ns', 'NS')})"


def _filled(text: str) -> str:
    return fill(
        text, 99, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False
    )
