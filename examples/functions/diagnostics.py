"""Running averages and a spectrum: `diagnostics:average`, `diagnostics:spectrum`."""

import numpy as np

calls = 0  # variables of a module stay from call to call, like those of a Fortran module
mean = {}


def on_host(array):
    """An array that lies on a GPU is CuPy's: `get` copies it to NumPy."""
    return array.get() if hasattr(array, "get") else array


def average(cells):
    """The mean of all calls until now, in average.npz: of the arrays that the argument `text` of
    frame_python names, or of these three."""
    global calls
    calls += 1
    for name in cells.text.split() or ("T", "rho", "eta"):
        field = cells.read(name)
        if calls == 1:
            mean[name] = field.copy()  # the array itself is the solver's, and will change
        else:
            mean[name] += (field - mean[name]) / calls
    np.savez("average.npz", calls=calls, **{name: on_host(a) for name, a in mean.items()})


def spectrum(cells):
    """Mean square of each wave of rho along x, over all y and z: spectrum.npz, and a picture."""
    field = on_host(cells.read("rho"))
    nx = field.shape[0]
    wave = np.fft.rfft(field, axis=0) / nx  # complex amplitudes of 0 to nx/2 waves in the length
    power = 2 * abs(wave) ** 2  # twice, for the waves that rfft leaves out ...
    power[0] /= 2  # ... but the mean has no other half
    if nx % 2 == 0:
        power[-1] /= 2  # nor has the shortest wave
    power = power.mean(axis=(1, 2))  # their sum is the mean square of the field
    np.savez("spectrum.npz", power=power)
    draw(power, cells.values[0])


def draw(power, step):
    try:
        import matplotlib
    except ImportError:
        print("no picture of the spectrum: pip install matplotlib")
        return
    matplotlib.use("Agg")  # draws into files, without a screen
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axis.loglog(range(1, len(power)), power[1:], ".-")
    axis.set(xlabel="waves in the length", ylabel="mean square of density / (kg/m³)²")
    axis.set_ylim(bottom=1e-9 * power[1:].max())  # below it is rounding
    axis.set_title(f"Spectrum along x, step {step:.0f}", fontsize="medium")
    figure.savefig("spectrum.png", dpi=110)
    plt.close(figure)
