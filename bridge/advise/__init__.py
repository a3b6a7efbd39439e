"""`bridge advise`: what a loop can gain on this machine, before anyone ports it.

`counting` counts a plan's operations, `limits` measures the machine, `advice` sets the two
against each other.
"""
