"""What is read from text at the build and not at each start: modules that generate.py writes.

- interface, order, shared: cffi's declarations of kernels/cpu/interface.h with tally.h, of
  kernels/gpu/order.h, and of `struct Shared`
- species, tables, policies: the files of data/ of these names, as CONTENT; weights:
  data/atomic_weights.yaml
- catalogue: kernels/catalogue.toml, as CONTENT
- version: of the package, as VERSION

A start then parses no C, no YAML and no TOML, and imports none of their parsers. They lie in the
installed package alone.
"""
