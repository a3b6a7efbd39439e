"""A learned viscosity: a network of T and Y_CH4 in the place of the bridge's kernel.

    python learned.py                 trains it for O2 and CH4 at 8 MPa, writes viscosity.npz
    08_python learned:viscosity       uses viscosity.npz of the working directory

Two inputs, two hidden layers of 16 with tanh, and one output: the logarithm of the viscosity.
"""

import numpy as np

FILE = "viscosity.npz"
weights = {}  # keeps its content from call to call, as a module variable of Fortran does


def layers(xp, w, T, Y):
    """Values of all layers, a row for each point; xp: NumPy, or CuPy for arrays on a GPU."""
    # ravel("F"): the points in Fortran's order, as one dimension. `@` multiplies matrices.
    found = [xp.stack([T.ravel("F") / 100 - 2, 2 * Y.ravel("F") - 1], axis=1)]
    for n in (0, 1):
        found.append(xp.tanh(found[n] @ w[f"W{n}"] + w[f"b{n}"]))
    return [*found, found[2] @ w["W2"] + w["b2"]]


def evaluate(xp, w, T, Y):
    """Viscosity in Pa s, in the shape of T."""
    return 1e-5 * xp.exp(layers(xp, w, T, Y)[3]).reshape(T.shape, order="F")


def viscosity(cells):
    """Put the network's viscosity into eta, and say how far the kernel's is, which stood there."""
    if not weights:
        with np.load(FILE) as file:
            weights.update({name: cells.xp.asarray(file[name]) for name in file})
    eta = evaluate(cells.xp, weights, cells.T, cells.Y[..., 1])
    error = 100 * float(abs(eta / cells.eta - 1).max())
    print(f"step {cells.values[0]:.0f}: learned viscosity within {error:.2f} % of the kernel")
    cells.eta[...] = eta  # [...]: the values of the solver's array


def train(steps=8000, batch=256, rate=0.01):
    """Weights by the method Adam, on viscosities of the bridge; their largest error."""
    import bridge

    close = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 48))  # 0 to 1, more points at both ends
    T, Y = (a.ravel() for a in np.meshgrid(115 + 190 * close, close))
    eta = bridge.evaluate("O2 CH4", T, 8e6, np.stack([1 - Y, Y], axis=1), "eta").eta
    random, sizes = np.random.default_rng(1), (2, 16, 16, 1)
    w = {f"b{n}": np.zeros(sizes[n + 1]) for n in range(3)}
    w |= {f"W{n}": random.normal(0, sizes[n] ** -0.5, sizes[n : n + 2]) for n in range(3)}
    mean, square = ({name: np.zeros_like(a) for name, a in w.items()} for _ in range(2))
    for step in range(steps):
        some = random.integers(0, len(T), batch)
        x = layers(np, w, T[some], Y[some])
        slope = (x[3] - np.log(eta[some] / 1e-5)[:, None]) / batch  # of half the mean square
        for n in (2, 1, 0):  # back through the layers
            slopes = {f"W{n}": x[n].T @ slope, f"b{n}": slope.sum(axis=0)}
            slope = (slope @ w[f"W{n}"].T) * (1 - x[n] ** 2)
            for name, now in slopes.items():
                mean[name] += 0.1 * (now - mean[name])
                square[name] += 0.001 * (now**2 - square[name])
                smaller = np.cos(0.5 * np.pi * step / steps) ** 2  # steps, towards the end
                w[name] -= rate * smaller * mean[name] / np.sqrt(square[name] + 1e-16)
    return w, float(abs(evaluate(np, w, T, Y) / eta - 1).max())


if __name__ == "__main__":
    trained, largest = train()
    np.savez(FILE, **trained)
    print(f"{FILE}: within {100 * largest:.2f} % of the kernel")
