"""Species tables of others made into the project's own: `bridge species convert`.

`mechanism` reads Cantera's and Chemkin's texts, `units` their units, `critical` finds critical
constants. No run imports this room.
"""
