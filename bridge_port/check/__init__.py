"""The original against the kernel: states, runs, differences, what is verified."""
