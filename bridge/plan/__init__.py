"""From names to a plan: what catalogues declare, which kernels make a quantity, in which order.

In the order of the data: `packs` finds the folders of a user's kernels, `cataloguefiles` reads
their `declarations`, `contradictions` refuses what cannot be, `selection` chooses kernels,
`planner` gives every value a slot, `plan` is the result; `catalogue` is the door to all of it,
`plans` keeps those of one Frame. Nothing here touches memory or a device. `packbuild` compiles
packs, and no run imports it.
"""
