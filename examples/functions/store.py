"""Fields as datasets of xarray: `frame_python('cells', 'store:write', [step, time, dx])`.

With the package zarr all steps are in one dataset, fields.zarr. With netCDF4, h5netcdf or SciPy
each step is a file, fields_000040.nc.
"""

from importlib.util import find_spec

import numpy as np

try:
    import xarray
except ImportError:
    raise ImportError("store:write needs xarray and zarr: pip install xarray zarr") from None

UNITS = {"T": "K", "rho": "kg/m3", "eta": "Pa s"}
first = True  # keeps its value from call to call, as a module variable of Fortran does


def write(cells):
    """One step more."""
    global first
    step, time, dx = cells.values
    # Centres of the cells: coordinates make `fields.T.sel(x=2e-4, method="nearest")` possible.
    x, y, z = (dx * (np.arange(n) + 0.5) for n in cells.shape)
    fields = xarray.Dataset(coords={"time": [time], "x": x, "y": y, "z": z})
    fields["step"] = "time", [int(step)]
    for name, unit in UNITS.items():
        array = cells.read(name)
        array = array.get() if hasattr(array, "get") else array  # of CuPy, from a GPU
        # [None]: the same array with a first dimension of length 1, the time.
        fields[name] = ("time", "x", "y", "z"), array[None], {"units": unit}
    if find_spec("zarr"):
        # "w" replaces the dataset of a run before.
        how = {"mode": "w"} if first else {"append_dim": "time"}
        fields.to_zarr("fields.zarr", consolidated=False, **how)
    elif find_spec("netCDF4") or find_spec("h5netcdf") or find_spec("scipy"):
        fields.to_netcdf(f"fields_{step:06.0f}.nc")
    else:
        raise ImportError("store:write needs zarr, or netCDF4: pip install zarr")
    first = False
