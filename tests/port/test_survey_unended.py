"""Columns of old libraries: arguments without an end, and what sizes the survey takes for them."""

from __future__ import annotations

import pytest

from bridge_port.survey.found import Found
from bridge_port.survey.survey import Survey, survey

SOURCE = """\
subroutine solved(a, lda, n, b)
  integer, intent(in) :: lda, n
  real(8), intent(inout) :: a(lda, *), b(*)
  integer :: i, k
  do k = 1, n - 1
    do i = k + 1, n
      b(i) = b(i) - a(i, k)/a(k, k)*b(k)
      a(i, k + 1) = a(i, k + 1) - a(i, k)*a(k, k + 1)
    end do
  end do
end subroutine solved
subroutine worked(n, x, w)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: w(*)
  call carried(n, x, w(2*n + 1))
end subroutine worked
subroutine carried(n, x, w)
  integer, intent(in) :: n
  real(8), intent(in) :: x(*)
  real(8), intent(inout) :: w(1)
  integer :: i
  w(1) = x(1)
  do i = 2, n
    if (x(i) < 0) exit; w(i) = w(i - 1)*x(i)
  end do
end subroutine carried
subroutine strided(n, x, by)
  integer, intent(in) :: n, by
  real(8), intent(inout) :: x(*)
  integer :: i
  do i = 1 + by, n*by, by
    x(i) = x(i - by)*x(i)
  end do
end subroutine strided
subroutine plane(nx, u, r)
  integer, intent(in) :: nx
  real(8), intent(inout) :: u(nx, *)
  real(8), intent(in) :: r
  integer :: i
  do i = 2, nx
    u(i, 1) = u(i - 1, 2)*u(nx + 1 - i, 1)*r
  end do
end subroutine plane
"""


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("unended")
    (folder / "old.f90").write_text(SOURCE)
    return survey([folder], processes=1)


def found(surveyed: Survey, name: str) -> Found:
    return next(row.found for row in surveyed.rows if row.found.name == name)


def test_matrices_beside_vectors_are_small(surveyed: Survey) -> None:
    one = found(surveyed, "solved")
    assert (one.how, one.fixed) == ("column", {"lda": 4})
    assert one.shapes == {"a": [4, 4], "b": [4]}


def test_work_arrays_get_more_elements_where_they_lack_some(surveyed: Survey) -> None:
    one = found(surveyed, "worked")
    assert (one.how, one.fixed, one.shapes) == ("column", {"n": 10}, {"w": [110]})


def test_an_old_array_with_one_element_has_no_end(surveyed: Survey) -> None:
    one = found(surveyed, "carried")
    assert (one.how, one.shapes) == ("column", {"x": [10], "w": [10]})


def test_the_step_of_a_loop_is_one(surveyed: Survey) -> None:
    one = found(surveyed, "strided")
    assert (one.how, one.fixed, one.shapes) == ("column", {"by": 1}, {"x": [10]})


def test_a_matrix_alone_is_a_field(surveyed: Survey) -> None:
    assert found(surveyed, "plane").how != "column"
