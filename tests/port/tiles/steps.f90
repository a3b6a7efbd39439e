! Loops over tiles, whose bodies are calls. A comment names each call that is ported.
module tile_steps
  use tile_types
  use tile_loops
  implicit none
contains
  subroutine step(predict, dt, total)
    logical, intent(in) :: predict
    real(8), intent(in) :: dt
    real(8), intent(out) :: total
    real(8) :: own
    integer :: tile
    total = 0
    do tile = 1, count_of_tiles
      own = 0
      call halved(box%tiles(tile)%weight)
      if (predict) then
        ! forwards
        call smoothed(box%tiles(tile)%first, box%tiles(tile)%last, box%tiles(tile)%low, &
            box%tiles(tile)%high, box%tiles(tile)%field%u, box%tiles(tile)%field%v, &
            0.5d0*dt + 0.25d0, .false.)
      else
        ! backwards
        call smoothed(factor=dt, backwards=.not. predict, u=box%tiles(tile)%field%v, &
            v=box%tiles(tile)%field%u, first=box%tiles(tile)%first, &
            last=box%tiles(tile)%last - 1, low=box%tiles(tile)%low, high=box%tiles(tile)%high - 1)
      end if
      ! sum
      if (dt > 0) call summed(box%tiles(tile)%first, box%tiles(tile)%last, box%tiles(tile)%low, &
          box%tiles(tile)%high, box%tiles(tile)%field%u, box%tiles(tile)%weight, own)
      ! move
      call moved(box%tiles(tile)%field, box%tiles(tile)%first, box%tiles(tile)%last, dt)
      total = total + own
    end do
    do tile = 2, count_of_tiles
      ! copy
      call copied(box%tiles(tile)%field%v, box%buffer, 2, 5, box%depth)
    end do
  end subroutine step

  ! Elements that lie one behind the other, by a procedure without an interface of its own.
  subroutine planes(n, m, many, a, b)
    integer, intent(in) :: n, m, many
    real(8), intent(inout), target :: a(n, m, many), b(n, m, many)
    integer :: l
    external :: relaxed
    do l = 1, many
      ! plane
      call relaxed(n, m - 1, a(1, 2, l), b(1, 2, l))
    end do
  end subroutine planes
end module tile_steps
