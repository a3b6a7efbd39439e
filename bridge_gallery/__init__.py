"""Patterns of GPU programming on the user's own machine: ladders of short kernels, each rung
checked against NumPy and timed beside what the machine can do at most.

    rung          what a rung launches, a problem of one size, a ladder of rungs
    graphicscard  rungs on a GPU: compiled, launched and timed as the bridge's own kernels are
    overtaking    launches on several streams, and as graphs
    textures      arrays read through texture objects
    emulation     the same texts on a CPU, thread by thread, for correctness
    bare          the same texts by NVRTC and the driver alone: what the bridge's launcher costs
    limits        what the memory and the arithmetic of the GPU do at most
    timing        what was measured: limits, times
    running       a ladder on a machine: checked first, then timed
    results       its table, paragraph, rows and chart
    faults        errors of a GPU, in a process of their own
    sectors       what a profiler counts of every rung
    nestedloops, fluids, ...   the ladders, each with its kernels in `kernels/`
    launching     the part of `course` that is of launches
    command       `bridge gallery NAME`
"""
