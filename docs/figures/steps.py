"""docs/results/step-h200-x2.png: time of a step for each cell, beside what its bytes take.

    python docs/figures/steps.py

Reads docs/results/step-h200-x2.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt

RESULTS = Path(__file__).resolve().parents[1] / "results"
FILE = RESULTS / "step-h200-x2.json"


def main() -> None:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    rows = found["one_gpu"]
    figure, axis = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
    places = [n + 0.5 * (n >= 3) for n in range(len(rows))]  # a gap between the numbers of species
    for shift, key, label, colour in (
        (-0.27, "calls_ns", "call by call", "#9db4c8"),
        (0.0, "sequence_ns", "one recorded sequence", "#2f6690"),
        (0.27, "bound_ns", "bytes of its kernels at the rate of a copy", "#d9a441"),
    ):
        bars = axis.bar(
            [x + shift for x in places],
            [row[key] for row in rows],
            0.26,
            label=label,
            color=colour,
        )
        axis.bar_label(bars, fmt="%.1f", fontsize=7, padding=1)
    named = [f"{row['ns']} species\n2 x {'x'.join(map(str, row['block']))}" for row in rows]
    axis.set_xticks(places, named, fontsize=7.5)
    axis.set_ylabel("ns per cell and step")
    axis.set_title("A step of the flow solver on one H200", fontsize=10)
    axis.legend(fontsize=8, frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(FILE.with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
