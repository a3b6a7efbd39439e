C     Old code: implicit types, labels, COMMON, DATA, single precision.
      SUBROUTINE VISCO(T, P, RHO, AMU, IER)
      REAL T, P, RHO, AMU
      COMMON /GASCON/ RGAS, GAMMA, NORDER, TREF(3)
      DIMENSION COEF(4)
      DATA COEF /1.2, 0.3, -0.07, 0.004/
      SUTH(TT, S) = TT*SQRT(TT)/(TT + S)
      IER = 0
      RHO = P/(RGAS*T)
      IF (T - 1.0) 10, 20, 30
   10 AMU = 0.5*SUTH(T, 0.4)
      GO TO 40
   20 AMU = 1.0
      IER = 1
      GO TO 40
   30 AMU = SUTH(T, TREF(2))*1.1
      IF (AMU .GT. 0.9) GO TO 50
   40 CONTINUE
      SUM = 0.
      DO 60 I = 1, 4
        IF (I .GT. NORDER) GO TO 60
        SUM = SUM + COEF(I)*T**(I - 1)
   60 CONTINUE
      AMU = AMU + SUM
   50 IF (AMU .LT. 0.) IER = IER + 2
      RETURN
      END

      SUBROUTINE BRANCH(K, X, Y)
      DOUBLE PRECISION X, Y
      GO TO (100, 200, 300), K
      Y = 0.D0
      RETURN
  100 Y = X
      GO TO 400
  200 Y = 2.D0*X
      IF (X .GT. 1.D0) GO TO 400
  300 Y = 3.D0*X + 1.D0/3.D0
  400 Y = Y + 1.0/3.0
      END

      DOUBLE PRECISION FUNCTION DENS(S, T, N)
      IMPLICIT DOUBLE PRECISION (A-H, O-Z)
      PARAMETER (RHO0 = 999.842594D0, NT = 3)
      DIMENSION A(NT), IPOW(NT)
      DATA A /6.793952D-2, -9.095290D-3, 1.001685D-4/, IPOW /1, 2, 3/
      DENS = RHO0
      DO 1 I = 1, NT
 1      DENS = DENS + A(I)*T**IPOW(I)
      DO 2 J = 1, N
      DO 2 K = J, N
 2    DENS = DENS + S*1.D-2*J/K
      END

      SUBROUTINE PARTLY(X, Y, Z, N, W)
      DOUBLE PRECISION X, Y, Z(2), W(2)
      W(1) = X
      IF (X .GT. 1.D0) Y = X
      IF (X .LT. 0.7D0) RETURN
      N = N + 2
      Z(1) = X*0.1
      END

      BLOCK DATA
      COMMON /GASCON/ RGAS, GAMMA, NORDER, TREF(3)
      DATA RGAS /0.287/, GAMMA /1.4/, NORDER /3/, TREF /0.1, 0.22, 0.3/
      END
