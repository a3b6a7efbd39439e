! Kinds and the three functions of the C mathematics library that Fortran lacks.
module useGENKindDefs
  use, intrinsic :: iso_c_binding, only: c_double
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: dp, log1p, expm1, cbrt

  integer, parameter :: dp = real64

  interface
    pure function log1p(x) bind(c, name='log1p') result(y)
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: y
    end function log1p

    pure function expm1(x) bind(c, name='expm1') result(y)
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: y
    end function expm1

    pure function cbrt(x) bind(c, name='cbrt') result(y)
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: y
    end function cbrt
  end interface

end module useGENKindDefs
