"""The proofs of the flow solver (fortran_stub/flow): figures and pictures of verification.md.

    python docs/verification.py                     print every section
    python docs/verification.py wave tube           print these sections
    python docs/verification.py --write [sections]  put them into docs/verification.md, and their
                                                    pictures into docs/pictures/flow
    python docs/verification.py --check [sections]  exit 1 where the page has other figures

It builds the solver and runs the cases of tests/flow. Needs the installed package with its tests'
packages, mpif90, SciPy and matplotlib; the section bridge also a C++ compiler.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [
    str(DOCS.parent / folder) for folder in ("docs/figures", "tests", "fortran_stub/flow")
]

import flowproofs  # noqa: E402
import sharing  # noqa: E402
import writing  # noqa: E402
from flow.building import built, loops, solver  # noqa: E402
from flow.stages import Stages  # noqa: E402
from flowproofs import Programs, Section  # noqa: E402

PROGRAM = "docs/verification.py"
PAGE, PICTURES = DOCS / "verification.md", DOCS / "pictures" / "flow"

#: Section of the page -> what runs its proof.
SECTIONS: dict[str, Callable[[Programs], Section]] = {
    "uniform": flowproofs.uniform,
    "wave": flowproofs.wave,
    "small": flowproofs.small,
    "large": flowproofs.large,
    "layer": flowproofs.layer,
    "tube": flowproofs.tube,
    "vortex": flowproofs.vortex,
    "outflow": flowproofs.outflow,
    "inflow": flowproofs.inflow,
    "walls": flowproofs.walls,
    "slip": flowproofs.slip,
    "totals": flowproofs.kept,
    "thin": flowproofs.thin,
    "bridge": flowproofs.bridge,
}


def programs(folder: Path) -> Programs:
    """The programs, built in a folder when they are first needed."""
    sharing.base = folder
    absent = built(sharing.once, "flow-absent")

    def stages() -> Stages:
        return Stages(built(sharing.once, "flow"), absent, ["mpirun"], folder, loops(sharing.once))

    return Programs(solver(absent, folder), stages)


def draw(file: Path, section: Section) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.0), layout="constrained")
    section.draw(*axes)
    figure.savefig(file, dpi=90)
    plt.close(figure)


def main(arguments: list[str]) -> int:
    asked = writing.asked(PROGRAM, __doc__.split("\n")[0], SECTIONS, arguments)
    with tempfile.TemporaryDirectory() as folder:
        has = programs(Path(folder))
        sections = {name: SECTIONS[name](has) for name in asked.section or SECTIONS}
    parts = {name: section.text for name, section in sections.items()}
    if not (asked.write or asked.check):
        print("\n\n".join(parts.values()))
        return 0
    if asked.check:
        return writing.checked(PROGRAM, PAGE, parts)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(writing.filled(page, parts), encoding="utf-8")
    for name, section in sections.items():
        draw(PICTURES / f"{name}.png", section)
    print(f"wrote {PAGE.relative_to(DOCS.parent)} and {PICTURES.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
