"""Benchmarks behind `bridge bench`; each compares within one run."""
