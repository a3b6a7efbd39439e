"""Arrays of float32 and int32 on a GPU: the cases of tests/kernels/test_typed_arrays.py, and
arrays that are on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backends import STANDIN
from kernels import test_typed_arrays as typed
from kernels.cuda_cases import CATALOGUE, NS, SPECIES

from bridge.backends.base import Binding, Box
from bridge.physics.shared import SharedData
from bridge.physics.species import SpeciesData

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("layout", ["last", "first"])
def test_arrays_of_the_host(gpu: Any, layout: str) -> None:
    kind = "Transposed" if layout == "first" else "Strided"
    typed.check(gpu, layout, lambda program: program.run_box(typed.POINTS, 100), kind)
    typed.check(gpu, layout, lambda program: program.run(0, typed.POINTS))


@pytest.mark.skipif(STANDIN, reason="CuPy wants a GPU")
@pytest.mark.parametrize(("given", "made"), typed.CASES)
def test_arrays_of_the_device(gpu: Any, given: str, made: str) -> None:
    cupy = pytest.importorskip("cupy")
    gpu.set_shared(SharedData(SpeciesData.load(SPECIES)))
    plan = CATALOGUE.plan(["Y"], ["Y_leading"], NS, status=False, name="complete")
    leading, n = typed.values(given), typed.POINTS
    source = cupy.asarray(leading.reshape((n, -1), order="F").T.copy())
    target = cupy.zeros((NS, n), made)
    bindings = {
        name: Binding(array.data.ptr, Box.flat(n, n), len(array), scale, str(array.dtype), array)
        for name, array, scale in (("Y_leading", source, 0.125), ("Y", target, 1e-39))
    }
    cupy.cuda.get_current_stream().synchronize()
    gpu.program(plan, bindings).run(0, n)
    gpu.synchronize()
    wanted = typed.expected(leading, made, 0.125, 1e-39).reshape((n, NS), order="F").T
    np.testing.assert_array_equal(cupy.asnumpy(target), wanted)
