"""The CPU backend: SIMD kernel libraries, one per instruction set, and their executor."""

from bridge.backends.cpu.backend import CpuBackend

__all__ = ["CpuBackend"]
