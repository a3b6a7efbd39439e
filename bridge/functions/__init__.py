"""The user's own Python on arrays of a set: `frame_python`, and `frame.set(name)` of Python hosts.

`usercode` finds and imports a function, `setarrays` is what it gets, `calls` does the call. Owned
by TVProperties, which imports them when they are first asked for.
"""
