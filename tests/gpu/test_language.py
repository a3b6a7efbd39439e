"""What a kernel may say, on a GPU: tests/kernels/test_language.py with another machine."""

from __future__ import annotations

import pytest
from kernels import test_language
from kernels.test_language import *  # noqa: F403


@pytest.fixture(scope="module")
def built():
    """The pack is found; a GPU needs no library of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRIDGE_PACKS", str(test_language.PACK))
        yield


@pytest.fixture(scope="module")
def machine(gpu, built):
    yield test_language.Backend(gpu, gpu=True)


# those of the host alone
del test_no_integer_is_added_to_a_half, test_the_page_has_every_function  # noqa: F821
