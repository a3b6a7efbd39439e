"""Temperature and density of a solver output file as one picture.

python plot.py fields.bin picture.png
"""

import sys
from pathlib import Path

import numpy as np


def read_fields(path: str | Path) -> tuple[dict[str, list[str]], dict[str, np.ndarray]]:
    """Header entries (lists of words) and fields, each of shape (nz, ny, nx), by name."""
    raw = Path(path).read_bytes()
    lines = raw[:4096].decode("ascii").splitlines()
    if not lines[0].startswith("bridge-stub-fields"):
        raise SystemExit(f"{path} is not a solver output file")
    header = {line.split()[0]: line.split()[1:] for line in lines[: lines.index("end")]}
    nx, ny, nz = (int(word) for word in header["cells"])
    names = header["fields"]
    data = np.frombuffer(raw, dtype="<f8", offset=int(header["headerbytes"][0]))
    data = data.reshape(len(names), nz, ny, nx)
    return header, dict(zip(names, data, strict=True))


def _still(temperature: np.ndarray) -> float:
    """Share of the height, below the jet and above it, in which the temperature is that of the
    streams; a margin is left."""
    moved = np.abs(temperature - temperature[0, 0]).max(axis=1) > 0.01 * np.ptp(temperature)
    (rows,) = np.nonzero(moved)
    if not len(rows):
        return 0.0
    still = min(rows[0], len(moved) - 1 - rows[-1]) / len(moved)
    return max(0.0, float(still) - 0.04)


def draw(source: str | Path, target: str | Path) -> None:
    """Two panels in the plane z = middle: T in K and rho in kg/m3 over x, y in micrometres, as far
    from the jet's axis as something happens."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    header, fields = read_fields(source)
    length_x, length_y, _ = (1e6 * float(word) for word in header["lengths"])
    middle = fields["T"].shape[0] // 2
    reach = length_y * (0.5 - _still(fields["T"][middle]))
    figure, axes = plt.subplots(
        1, 2, figsize=(11, 7.2 * reach / length_y + 1.0), sharey=True, layout="constrained"
    )
    panels = (
        ("T", "Temperature / K", "inferno"),
        ("rho", "Density / (kg/m³)", "viridis"),
    )
    for axis, (name, label, colours) in zip(axes, panels, strict=True):
        image = axis.imshow(
            fields[name][middle],
            origin="lower",
            extent=(0.0, length_x, 0.0, length_y),
            cmap=colours,
            interpolation="nearest",
        )
        figure.colorbar(image, ax=axis)
        axis.set_title(label, fontsize="medium")
        axis.set_xlabel("x / µm")
        axis.set_ylim(0.5 * length_y - reach, 0.5 * length_y + reach)
    axes[0].set_ylabel("y / µm")
    time, pressure = 1e6 * float(header["time"][0]), 1e-6 * float(header["pressure"][0])
    species = [name[2:] for name in header["fields"] if name.startswith("Y_")]
    nx, ny, _ = header["cells"]
    figure.suptitle(
        f"LOX jet between CH₄ streams at {pressure:g} MPa: {len(species)} species, "
        f"{nx} x {ny} cells, step {header['step'][0]}, {time:.2f} µs"
    )
    figure.savefig(target, dpi=130)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    draw(sys.argv[1], sys.argv[2])
