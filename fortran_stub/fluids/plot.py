"""A picture and an animation of the density, from the frames that the program writes.

    python fortran_stub/fluids/plot.py density.dat density.png density.gif

The namelist asks for frames: `every = 2` writes one after every second step. The picture shows
some of them beside each other. Needs matplotlib and pillow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

#: Pictures side by side, and cells along a side of the animation at most.
PICTURES, LARGEST = 4, 192


def frames(path: Path) -> np.ndarray:
    """The density of each frame, (frames, n, n) with y upwards."""
    n, count = np.fromfile(path, np.int32, 2)
    cells = np.fromfile(path, np.float32, offset=8)
    return np.asarray(cells.reshape(count, n, n)[:, ::-1])


def shades(density: np.ndarray) -> np.ndarray:
    """From 0 to 1. Densities differ by orders of magnitude: of each its logarithm, between that of
    a thousandth of what most frames reach and that."""
    most = float(np.quantile(density[len(density) // 2 :], 0.999)) or 1.0
    return np.asarray(np.clip(np.log10(np.maximum(density, 1e-3 * most) / most) / 3.0 + 1.0, 0, 1))


def picture(density: np.ndarray, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = np.linspace(0, len(density) - 1, min(PICTURES, len(density))).round().astype(int)
    size = 2.6 * len(shown), 2.8
    figure, axes = pyplot.subplots(1, len(shown), figsize=size, squeeze=False, layout="tight")
    for axis, number in zip(axes[0], shown, strict=True):
        axis.imshow(shades(density)[number], cmap="inferno", vmin=0.0, vmax=1.0)
        axis.set_title(f"frame {number + 1}", fontsize="small")
        axis.set_axis_off()
    figure.savefig(path, dpi=110)


def animation(density: np.ndarray, path: Path) -> None:
    from matplotlib import colormaps
    from PIL import Image

    step = -(-density.shape[1] // LARGEST)
    colours = (255 * colormaps["inferno"](np.linspace(0.0, 1.0, 64))[:, :3]).astype(np.uint8)
    images = []
    for one in shades(density)[:, ::step, ::step]:
        image = Image.fromarray((63 * one).astype(np.uint8), mode="P")
        image.putpalette(colours.ravel().tolist())
        images.append(image)
    images[0].save(path, save_all=True, append_images=images[1:], duration=60, loop=0)


def main() -> None:
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    density = frames(Path(sys.argv[1]))
    picture(density, Path(sys.argv[2]))
    animation(density, Path(sys.argv[3]))


if __name__ == "__main__":
    main()
