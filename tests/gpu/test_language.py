"""What a kernel may say, on a GPU: tests/kernels/test_language.py with another machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernels import test_language

from bridge.backends.cuda import CudaBackend

pytestmark = pytest.mark.gpu

#: Those that no machine changes.
HOST_ALONE = (
    "test_every_function_is_measured",
    "test_the_page_has_every_function",
    "test_no_integer_is_added_to_a_half",
)
TESTS = {name: test for name, test in vars(test_language).items() if name.startswith("test_")}
for name in HOST_ALONE:
    del TESTS[name]
globals().update(TESTS)


@pytest.fixture(scope="module")
def built() -> Iterator[None]:
    """The pack is found; a GPU needs no library of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(test_language.PACK))
        yield


@pytest.fixture(scope="module")
def machine(cuda: CudaBackend, built: None) -> test_language.Backend:
    return test_language.Backend(cuda, gpu=True)
