"""Fortran's own functions and modules: types of results, values of named constants."""

from __future__ import annotations

#: Type and bytes.
Type = tuple[str, int]

#: Of one real, or of an order and a real: what takes long. Names for one kind are those of Fortran
#: 77, and gfortran's.
SPECIAL = frozenset(
    """gamma dgamma log_gamma lgamma algama dlgama erfc derfc erfc_scaled bessel_j0 bessel_j1
    bessel_y0 bessel_y1 bessel_jn bessel_yn besj0 besj1 besy0 besy1 besjn besyn dbesj0 dbesj1
    dbesy0 dbesy1 dbesjn dbesyn""".split()
)
#: Functions of the type of their first argument.
LIKE_FIRST = frozenset(
    """max min mod modulo sign dim sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh
    tanh asinh acosh atanh erf erfc erfc_scaled gamma log_gamma hypot sum product maxval minval
    matmul dot_product transpose reshape spread pack unpack cshift eoshift merge huge tiny epsilon
    aint anint abs aimag imag nearest spacing rrspacing fraction set_exponent scale bessel_j0
    bessel_j1 bessel_y0 bessel_y1 besj0 besj1 besy0 besy1 lgamma algama merge_bits
    iand ior ieor not ishft ishftc ibset ibclr ibits conjg norm2 cbrt sind cosd
    tand""".split()
)
#: Functions of a type of their own.
OF_TYPE: dict[str, Type] = {
    **dict.fromkeys(
        """int nint floor ceiling size lbound ubound shape count maxloc minloc findloc index len
        len_trim ichar iachar kind selected_real_kind selected_int_kind digits exponent radix
        precision range minexponent maxexponent bit_size scan verify rank popcnt leadz trailz
        ifix idint idnint iabs isign idim max0 max1 min0 min1 command_argument_count""".split(),
        ("integer", 4),
    ),
    **dict.fromkeys(
        """float sngl alog alog10 amax0 amax1 amin0 amin1 amod real cabs""".split(),
        ("real", 4),
    ),
    **dict.fromkeys(
        """dble dfloat dsqrt dexp dlog dlog10 dsin dcos dtan dasin dacos datan datan2 dsinh dcosh
        dtanh dabs dmax1 dmin1 dmod dsign ddim dint dnint dprod derf derfc dgamma dlgama
        dbesj0 dbesj1 dbesy0
        dbesy1 dbesjn dbesyn cdabs zabs dimag
        dreal""".split(),
        ("real", 8),
    ),
    **dict.fromkeys(
        """any all present associated allocated logical btest isnan ieee_is_nan ieee_is_finite
        ieee_is_normal lge lgt lle llt is_contiguous""".split(),
        ("logical", 4),
    ),
    "cmplx": ("complex", 4),
    **dict.fromkeys(
        """dcmplx dconjg cdsqrt cdexp cdlog cdsin cdcos zsqrt zexp zlog zsin zcos""".split(),
        ("complex", 8),
    ),
    **dict.fromkeys("csqrt cexp clog csin ccos".split(), ("complex", 4)),
    **dict.fromkeys("trim adjustl adjustr char achar repeat".split(), ("character", 1)),
}
#: Those whose second argument, or the keyword, is the kind of the result.
WITH_KIND = frozenset(
    "int nint floor ceiling real logical aint anint size lbound ubound cmplx".split()
)
#: Where it stands among the arguments, if not second.
KIND_PLACE = {"size": 2, "lbound": 2, "ubound": 2, "cmplx": 2}

NAMES = LIKE_FIRST | set(OF_TYPE) | {
    "mvbits", "random_number", "random_seed", "system_clock", "cpu_time", "date_and_time",
    "get_command_argument", "move_alloc", "c_loc", "c_f_pointer", "transfer", "null",
    "execute_command_line", "get_environment_variable", "c_associated", "c_sizeof", "storage_size",
    "iall", "iany", "iparity", "shiftl", "shiftr", "shifta", "maskl", "maskr", "merge_bits",
    "this_image", "num_images", "co_sum", "bessel_jn", "bessel_y0", "bessel_y1", "bessel_yn",
}  # fmt: skip

#: Of every compiler, without a module: an external procedure of such a name has to be declared.
OF_ALL = frozenset(
    name for name in NAMES
    if not name.startswith(("ieee_", "c_")) and name not in ("cbrt", "sind", "cosd", "tand")
)  # fmt: skip

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


def selected_real_kind(digits: int, exponent: int = 0) -> int:
    for kind, has, reaches in ((4, 6, 37), (8, 15, 307), (10, 18, 4931), (16, 33, 4931)):
        if digits <= has and exponent <= reaches:
            return kind
    return -1


def selected_int_kind(digits: int) -> int:
    for kind, has in ((1, 2), (2, 4), (4, 9), (8, 18), (16, 38)):
        if digits <= has:
            return kind
    return -1
