"""`bridge plot`: a picture of a file with fields, recorded states or measurements."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.commands.lists import Listed
from bridge.errors import ArgumentError, BridgeError

if TYPE_CHECKING:
    import numpy as np

    from bridge.commands import fieldfiles

#: Panels of a picture that nobody chose fields for, and beside each other.
MOST, BESIDE = 12, 3
#: Axes of an array (nz, ny, nx) by the axis that a plane stands on.
_AXES = {"z": 0, "y": 1, "x": 2}


def add(commands: Any) -> None:
    """The subcommand."""
    about = "a picture of a file: fields, recorded states, measurements"
    parser = commands.add_parser(
        "plot",
        help=about,
        description=f"Draw {about}. FILE is what the flow solver wrote as OutputFile, a recording "
        "of frame_record, a .npy or .npz file, or the JSON of `bridge bench`. Needs matplotlib.",
    )
    parser.add_argument("file", metavar="FILE")
    text = "PNG, PDF or SVG by its ending (default: FILE's name with .png, here)"
    parser.add_argument("picture", nargs="?", metavar="PICTURE", help=text)
    text = f"only these, such as T,rho (default: the first {MOST})"
    parser.add_argument("--fields", action=Listed, default=(), metavar="NAME", help=text)
    text = "of three-dimensional fields the plane normal to this axis (default: z)"
    parser.add_argument("--normal", choices=tuple(_AXES), default="z", help=text)
    text = "which plane, counted from 1 (default: the middle)"
    parser.add_argument("--plane", type=int, metavar="N", help=text)
    parser.set_defaults(action=run)


def run(given: argparse.Namespace) -> int:
    """Draw, and print where the picture lies."""
    from bridge.commands import fieldfiles

    held = fieldfiles.read(given.file)
    picture = given.picture or f"{Path(given.file).stem}.png"
    if Path(picture).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ArgumentError("PICTURE", repr(picture), "a name that ends in .png, .pdf or .svg")
    try:
        import matplotlib
    except ImportError:
        raise BridgeError(
            "bridge plot needs matplotlib: pip install 'fortran-bridge[plot]'"
        ) from None
    matplotlib.use("Agg")
    try:
        if isinstance(held, fieldfiles.Benchmark):
            _benchmark(held, picture)
        elif isinstance(held, fieldfiles.Recording):
            _save(_recording(held, given.fields), picture)
        else:
            _save(_fields(held, given.fields, given.normal, given.plane), picture)
    except OSError as error:
        got = f"{picture!r} ({error.strerror or error})"
        raise ArgumentError("PICTURE", got, "a file that can be written") from None
    print(picture)
    return 0


def _benchmark(held: fieldfiles.Benchmark, picture: str) -> None:
    """As `bridge bench NAME --plot` draws it."""
    from bridge.measuring.report import Report, Row

    try:
        draw = import_module(f"bridge.bench.{held.name}").plot
        rows = [Row(**row) for row in held.rows]
    except (ImportError, AttributeError):
        wanted = "one that draws: `bridge bench NAME --help` shows --plot"
        raise ArgumentError("FILE", f"measurements of `bench {held.name}`", wanted) from None
    except TypeError as error:
        raise ArgumentError("FILE", f"rows of another form ({error})", "rows of `bench`") from None
    draw(Report(held.name, rows, machine=held.machine), picture)


def _chosen(arrays: Mapping[str, np.ndarray], wanted: Sequence[str]) -> dict[str, np.ndarray]:
    for name in wanted:
        if name not in arrays:
            raise ArgumentError("--fields", repr(name), f"some of {', '.join(arrays)}")
    return {name: arrays[name] for name in wanted or [*arrays][:MOST]}


def _panels(number: int, width: float, height: float) -> tuple[Any, list[Any]]:
    from matplotlib import pyplot

    across = min(BESIDE, number)
    down = -(-number // across)
    figure, axes = pyplot.subplots(
        down,
        across,
        figsize=(width * across, height * down + 0.5),
        layout="constrained",
        squeeze=False,
    )
    for spare in axes.flat[number:]:
        spare.remove()
    return figure, [*axes.flat[:number]]


def _save(figure: Any, picture: str) -> None:
    from matplotlib import pyplot

    figure.savefig(picture, dpi=130)
    pyplot.close(figure)


def _labels(names: Sequence[str]) -> dict[str, str]:
    """What stands above a panel: of quantities of the catalogue their meaning and unit too."""
    from bridge.plan.catalogue import Catalogue

    known = Catalogue.installed().quantities
    labels = {}
    for name in names:
        quantity = known.get(name)
        if name.startswith("Y_"):
            labels[name] = f"{name}, mass fraction"
        elif quantity is None:
            labels[name] = name
        else:
            labels[name] = f"{name} / ({quantity.unit})" if quantity.unit != "1" else name
            if " " not in quantity.unit and "/" not in quantity.unit and quantity.unit != "1":
                labels[name] = f"{name} / {quantity.unit}"
    return labels


def _recording(held: fieldfiles.Recording, wanted: Sequence[str]) -> Any:
    """How the sampled states of each input are spread: a histogram, a line for each column."""
    import numpy as np

    states = _chosen(held.states, wanted)
    labels = _labels([*states])
    figure, axes = _panels(len(states), 4.0, 2.9)
    for axis, (name, values) in zip(axes, states.items(), strict=True):
        finite = values[np.isfinite(values)]
        edges = np.histogram_bin_edges(finite, 40) if finite.size else np.array([0.0, 1.0])
        for column in range(values.shape[1]):
            own = values[:, column]
            label = f"column {column + 1}"
            axis.hist(own[np.isfinite(own)], edges, histtype="step", label=label)
        if 1 < values.shape[1] <= 8:
            axis.legend(fontsize="small")
        missing = values.size - finite.size
        note = f", {missing} not finite" if missing else ""
        axis.set(xlabel=labels[name], ylabel=f"samples{note}")
    figure.suptitle(held.title, fontsize="medium")
    return figure


def _fields(held: fieldfiles.Fields, wanted: Sequence[str], normal: str, plane: int | None) -> Any:
    """A line for one dimension, a map for two, a plane of three."""
    import numpy as np

    arrays = _chosen(held.arrays, wanted)
    labels, shown, where = _labels([*arrays]), {}, ""
    for name, array in arrays.items():
        if array.ndim == 3:
            array, where = _plane(name, array, normal, plane)
        elif array.ndim not in (1, 2) or not array.size:
            got = f"'{name}' of shape {array.shape}"
            raise ArgumentError("FILE", got, "arrays of one to three dimensions; --fields chooses")
        shown[name] = array
    tall = 2.9
    if held.lengths is not None:
        (across, along), (width, height) = _extent(held.lengths, normal)
        tall = min(4.5, max(1.2, 3.4 * height / width)) + 0.6
    figure, axes = _panels(len(shown), 4.4, tall)
    for axis, (name, array) in zip(axes, shown.items(), strict=True):
        if array.ndim == 1:
            axis.plot(np.arange(1, array.size + 1), array)
            axis.set(xlabel="index", ylabel=labels[name])
            continue
        if held.lengths is None:
            extent = (0.5, array.shape[1] + 0.5, 0.5, array.shape[0] + 0.5)
            image = axis.imshow(array, origin="lower", aspect="auto", extent=extent)
            axis.set(xlabel="index along the last axis", ylabel="index before it")
        else:
            image = axis.imshow(array, origin="lower", extent=(0.0, width, 0.0, height))
            axis.set(xlabel=f"{across} / µm", ylabel=f"{along} / µm")
        axis.set_title(labels[name], fontsize="medium")
        figure.colorbar(image, ax=axis)
    figure.suptitle(f"{held.title}{where}", fontsize="medium")
    return figure


def _plane(name: str, array: np.ndarray, normal: str, plane: int | None) -> tuple[Any, str]:
    axis = _AXES[normal]
    planes = array.shape[axis]
    number = planes // 2 + 1 if plane is None else plane
    if not 1 <= number <= planes:
        raise ArgumentError("--plane", number, f"1 to {planes}, planes of '{name}'")
    where = f", plane {number} of {planes} normal to {normal}" if planes > 1 else ""
    return array.take(number - 1, axis), where


def _extent(
    lengths: tuple[float, float, float], normal: str
) -> tuple[tuple[str, str], tuple[float, float]]:
    """Axes of the picture, and their lengths in micrometres."""
    across, along = [name for name in "xyz" if name != normal]
    by_name = dict(zip("xyz", (1e6 * length for length in lengths), strict=True))
    return (across, along), (by_name[across], by_name[along])
