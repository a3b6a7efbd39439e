"""What is asked of the statements of a nest: `setting` (what its names stand for), `affine` (sums
that subscripts and bounds are), `delinearisation`, `region` (which statements), `effects` (of
calls), `accesses` (to arrays), `exposed` (read before written), `liveout` (read afterwards).
"""
