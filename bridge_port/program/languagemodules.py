"""Modules that every compiler has, and how names of libraries begin."""

from __future__ import annotations

_ENVIRONMENT = {
    "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8, "real128": 16,
    "output_unit": 6, "input_unit": 5, "error_unit": 0, "character_storage_size": 8,
    "numeric_storage_size": 32, "file_storage_size": 8, "iostat_end": -1, "iostat_eor": -2,
    "atomic_int_kind": 4, "atomic_logical_kind": 4, "logical8": 1, "logical16": 2,
    "logical32": 4, "logical64": 8, "real16": -1,
}  # fmt: skip
_C_BINDING = {
    "c_int": 4, "c_short": 2, "c_long": 8, "c_long_long": 8, "c_signed_char": 1, "c_size_t": 8,
    "c_int8_t": 1, "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8, "c_intptr_t": 8,
    "c_ptrdiff_t": 8, "c_intmax_t": 8, "c_int_least8_t": 1, "c_int_least16_t": 2,
    "c_int_least32_t": 4, "c_int_least64_t": 8, "c_float": 4, "c_double": 8, "c_long_double": 10,
    "c_float_complex": 4, "c_double_complex": 8, "c_bool": 1, "c_char": 1,
}  # fmt: skip

#: Modules that every compiler has: names of integer constants -> values.
MODULES: dict[str, dict[str, int]] = {
    "iso_fortran_env": _ENVIRONMENT,
    "iso_c_binding": _C_BINDING,
    "ieee_arithmetic": {},
    "ieee_exceptions": {},
    "ieee_features": {},
}
#: Modules of libraries, and files that hold the same for `include`: how all of their names begin.
BEGINNINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("mpi", "mpi_f08", "mpif.h"), ("mpi_", "pmpi_")),
    **dict.fromkeys(("omp_lib", "omp_lib.h"), ("omp_", "openmp_version")),
    **dict.fromkeys(("openacc", "openacc_lib.h"), ("acc_", "openacc_version")),
    "netcdf": ("nf90_",),
    "pnetcdf": ("nf90_", "nf90mpi_"),
}
