"""Launches on boxes, on a GPU: the tests of tests/kernels/test_cuda_boxes.py."""

from __future__ import annotations

import pytest
from kernels.test_cuda_boxes import *  # noqa: F403

pytestmark = pytest.mark.gpu
