"""How far Peng-Robinson and Chung are from real fluids: the figures of accuracy.md.

    python docs/accuracy.py                     print every section
    python docs/accuracy.py water gases         print these sections
    python docs/accuracy.py --write [sections]  put them into docs/accuracy.md; without names all
                                                of them, and docs/pictures/accuracy.png
    python docs/accuracy.py --check [sections]  exit 1 where the page has other figures

A section is what stands between two marks of the page: its tables, and the sentences that hold
numbers. docs/figures has what makes them.
Needs the installed package. CoolProp, whose multiparameter equations stand for the real fluid,
Cantera and teqp are needed by the sections that compare with them; the picture needs matplotlib.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "figures"))

import extrapolation  # noqa: E402
import friction  # noqa: E402
import hydrogen  # noqa: E402
import liquids  # noqa: E402
import mixtures  # noqa: E402
import phases  # noqa: E402
import purefluids  # noqa: E402
import shift  # noqa: E402
import writing  # noqa: E402

from bridge.errors import PointsWarning  # noqa: E402

PROGRAM = "docs/accuracy.py"
PAGE, PICTURE = DOCS / "accuracy.md", DOCS / "pictures" / "accuracy.png"

#: Section of the page -> what makes it.
SECTIONS: dict[str, Callable[[], str]] = {
    "deviations": purefluids.deviations,
    "lox": purefluids.lox,
    "shift": shift.shift,
    "friction": friction.friction,
    "water": purefluids.water,
    "polar": purefluids.polar,
    "gases": mixtures.gases,
    "kinetic": mixtures.kinetic,
    "dense": mixtures.dense,
    "liquids": liquids.liquids,
    "selfdiffusion": liquids.self_diffusion,
    "helium": purefluids.helium,
    "hydrogen": hydrogen.hydrogen,
    "published": mixtures.published,
    "extrapolation": extrapolation.extrapolation,
    "twophase": phases.twophase,
}


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore", PointsWarning)  # bad and splitting points are what is shown
    asked = writing.asked(PROGRAM, __doc__.split("\n")[0], SECTIONS, arguments)
    parts = {name: SECTIONS[name]() for name in asked.section or SECTIONS}
    if not (asked.write or asked.check):
        print("\n\n".join(parts.values()))
        return 0
    if asked.check:
        return writing.checked(PROGRAM, PAGE, parts)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(writing.filled(page, parts), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(DOCS.parent)}")
    if not asked.section:
        purefluids.draw(PICTURE)
        print(f"wrote {PICTURE.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
