! Texts that come back and have no number; the line says what the refusal names.
module refusedtexts
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type named
    real(dp) :: a
    character(8) :: scheme
  end type named
contains
  subroutine cut(x, msg)
    real(dp), intent(in) :: x
    character(40), intent(out) :: msg
    character(4) :: small
    msg = 'abcdefgh'                          !! its text is cut where it is copied
    if (x > 0.5_dp) then
      small = msg
      msg = small
    end if
  end subroutine cut

  subroutine letters(x, msg)
    real(dp), intent(inout) :: x
    character(20), intent(out) :: msg
    msg = 'a'                                 !! its text is read as a text (line 26)
    x = x + 1
    msg(2:3) = 'bc'
  end subroutine letters

  subroutine callers_length(x, msg)
    real(dp), intent(inout) :: x
    character(*), intent(out) :: msg
    msg = 'abcdefgh'                          !! may be cut to the caller's length
    if (msg == 'abcdefgh') x = 1
  end subroutine callers_length

  subroutine blank_first(x, msg)
    real(dp), intent(inout) :: x
    character(*), intent(out) :: msg
    msg = ' abc'                              !! begins with a blank
    if (msg /= '') x = 1
  end subroutine blank_first

  subroutine callers_text(x, msg)
    real(dp), intent(inout) :: x
    character(8), intent(inout) :: msg
    if (x > 1) msg = 'done'                   !! may be the caller's where it is read
    if (msg == 'done') x = 1
  end subroutine callers_text

  subroutine callers_copy(x, msg)
    real(dp), intent(inout) :: x
    character(8), intent(inout) :: msg
    character(8) :: own
    if (x > 1) msg = 'done'                   !! may be the caller's where it is read
    own = msg
    if (own == 'done') x = 1
    msg = own
  end subroutine callers_copy

  subroutine seen(x, msg)
    real(dp), intent(inout) :: x
    character(30), intent(out) :: msg
    msg = 'a'                                 !! stands in a declaration or an inner procedure
    call changes()
  contains
    subroutine changes()
      msg = 'b'
    end subroutine changes
  end subroutine seen

  subroutine joined(x, msg)
    real(dp), intent(inout) :: x
    character(30), intent(out) :: msg
    character(2) :: unit
    unit = 'Pa'
    if (x > 1) unit = 'K'
    msg = 'in ' // unit                       !! its text is no constant
  end subroutine joined

  subroutine shared(x, msg)
    real(dp), intent(inout) :: x
    character(30), intent(out), target :: msg
    msg = 'a'                                 !! which is no character of shared alone
    x = x + 1
  end subroutine shared

  subroutine unsaid(p, x)
    type(named), intent(in) :: p
    real(dp), intent(inout) :: x
    if (p%scheme == 'KPP') x = 1              !! character p%scheme: its text is not known
  end subroutine unsaid

  subroutine unsaid_below(p, x)
    type(named), intent(in) :: p
    real(dp), intent(inout) :: x
    call asks(p%scheme, x)
  contains
    subroutine asks(name, x)
      character(*), intent(in) :: name
      real(dp), intent(inout) :: x
      if (name == 'KPP') x = 1                !! no text that is known is passed for it
    end subroutine asks
  end subroutine unsaid_below

  subroutine set_here(p, x)
    type(named), intent(inout) :: p
    real(dp), intent(inout) :: x
    p%scheme = 'PP'                           !! an assignment to character p%scheme
    x = x + 1
  end subroutine set_here

  subroutine set_there(p, x)
    type(named), intent(inout) :: p
    real(dp), intent(inout) :: x
    x = x + 1
    call hands_text(p%scheme, x)                   !! a component that is a text is passed for it
  contains
    subroutine hands_text(name, x)
      character(*), intent(inout) :: name
      real(dp), intent(inout) :: x
      x = x + 1
      name = 'PP'
    end subroutine hands_text
  end subroutine set_there
end module refusedtexts
