"""The files of a ported pack: header, catalogue, Fortran module."""
