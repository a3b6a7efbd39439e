"""Text of small mechanism files."""

from __future__ import annotations

R = 8.31446261815324
N2 = """
- name: N2
  composition: {N: 2}
  thermo: &thermo
    model: NASA7
    temperature-ranges: [200.0, 1000.0, 6000.0]
    data: [[3.5, 1e-4, 0, 0, 0, -1e3, 4], [3.0, 1e-3, 0, 0, 0, -9e2, 6]]
"""
AGAIN = N2.replace("&thermo", "")
