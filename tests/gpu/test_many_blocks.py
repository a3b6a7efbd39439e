"""Launches on many blocks, on a GPU: tests of tests/kernels/test_cuda_blocks.py; the others run
there by the backend under test."""

from __future__ import annotations

import pytest
from kernels.test_cuda_blocks import (
    adopt,
    boxes,
    pack,
    test_a_change_of_a_number_leaves_the_table,
    test_a_memory_crosses_the_link_once,
    test_a_memory_of_which_little_is_read_is_not_copied,
    test_another_output_in_place_of_an_input,
    test_neighbours_of_what_is_written,
    test_the_cpu_packs_what_cannot_be_page_locked,
)

__all__ = [
    "adopt",
    "boxes",
    "pack",
    "test_a_change_of_a_number_leaves_the_table",
    "test_a_memory_crosses_the_link_once",
    "test_a_memory_of_which_little_is_read_is_not_copied",
    "test_another_output_in_place_of_an_input",
    "test_neighbours_of_what_is_written",
    "test_the_cpu_packs_what_cannot_be_page_locked",
]

pytestmark = pytest.mark.gpu
