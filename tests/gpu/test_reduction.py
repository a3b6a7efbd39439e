"""Reductions of device memory by the device itself: the bits of the host."""

from __future__ import annotations

from typing import Any

import pytest
from kernels.test_reduction import check_device

pytestmark = pytest.mark.gpu


def test_a_device_gives_the_bits_of_the_host(gpu: Any) -> None:
    check_device(gpu)
