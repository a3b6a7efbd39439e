!mod$ v1 sum:2e20e06956cd3b42
module locality
integer(4),parameter::dp=8_4
intrinsic::kind
contains
subroutine kept(a,x,o,s)
real(8),intent(in)::a(1_8:4_8)
real(8),intent(in)::x
real(8),intent(out)::o(1_8:4_8)
real(8),intent(out)::s(1_8:3_8)
end
subroutine masked(a,x,i,s)
real(8),intent(in)::a(1_8:4_8)
real(8),intent(in)::x
integer(4),intent(inout)::i
real(8),intent(inout)::s(1_8:4_8)
end
subroutine nested(a,x,b,n,s)
real(8),intent(in)::a(1_8:4_8)
real(8),intent(in)::x
real(8),intent(out)::b(1_8:3_8,1_8:4_8)
integer(4),intent(out)::n(1_8:2_8)
real(8),intent(out)::s
end
end
