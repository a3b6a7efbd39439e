"""A picture of the running field: `frame_python('cells', 'picture:draw', [step, time, dx])`."""

import matplotlib

matplotlib.use("Agg")  # draws into files, without a screen
import matplotlib.pyplot as plt  # noqa: E402


def draw(cells):
    """Temperature and density of the first plane, as mixing_000040.png of step 40."""
    step, time, dx = cells.values
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 2.8), layout="compressed", sharey=True)
    for axis, name, colours, title in (
        (axes[0], "T", "inferno", "temperature / K"),
        (axes[1], "rho", "viridis", "density / (kg/m³)"),
    ):
        # [:, :, 0]: all x, all y, the first z (Python counts from 0). `read`: the bridge need not
        # expect a change. What lies on a GPU is a CuPy array, whose `get` copies it to the host.
        plane = cells.read(name)[:, :, 0]
        plane = plane.get() if hasattr(plane, "get") else plane
        nx, ny = plane.shape
        extent = [0, 1e3 * nx * dx, 0, 1e3 * ny * dx]  # mm
        # imshow has rows and columns, y before x: hence the transpose.
        image = axis.imshow(plane.T, origin="lower", extent=extent, cmap=colours)
        figure.colorbar(image, ax=axis).set_label(title)
        axis.set(xlabel="x / mm")
    axes[0].set(ylabel="y / mm")
    figure.suptitle(f"O2 below CH4 at 8 MPa, step {step:.0f}, {1e6 * time:.0f} µs")
    figure.savefig(f"mixing_{step:06.0f}.png", dpi=110)
    plt.close(figure)  # else all figures stay in memory
