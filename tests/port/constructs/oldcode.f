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

C     ARITHMETIC IF WITH TWO LABELS EACH WAY, A SUBJECT THAT IS ZERO AT TIMES
      SUBROUTINE SIGNS(I, J, K, L)
      K = 0
      IF (I - J) 10, 20, 20
  010 K = K + 1
   20 IF (I - 2) 30, 30, 40
   30 K = K + 10
   40 IF (J - 3) 50, 60, 50
   50 K = K + 100
   60 IF (I + J) 70, 80, 90
   70 K = K + 1000
   80 K = K + 10000
   90 L = K - 7/2*I
      END

C     DATA OF PARTS OF ARRAYS, LOWER BOUNDS, CONSTANTS
      SUBROUTINE PARTS(I, X, Y, K)
      DOUBLE PRECISION X, Y(3), A(-1:2, 0:1), B(5), C
      INTEGER NEG, NREM, NMOD, NEAR, NCUT
      PARAMETER (NEG = -7/2, NREM = MOD(-7, 3), NMOD = MODULO(-7, 3))
      PARAMETER (NEAR = NINT(2.5D0), NCUT = 2.9D0, C = 0.1)
      DATA (A(M, 0), M = -1, 2) /2*1.5D0, -2.D0, .25D0/
      DATA (A(M, 1), M = 2, -1, -1) /4.D0, 3.D0, 2.D0, 1.D0/
      DATA B /3*.1, 2*2.5D0/
      J = 1 + MODULO(I, 2)
      Y(1) = A(J, 0)*X + A(J - 2, 1)
      Y(2) = B(J + 1)*X + B(J + 3)
      Y(3) = C*X
      K = NEG + 10*NREM + 100*NMOD + 1000*NEAR + 10000*NCUT
      END

      BLOCK DATA
      COMMON /GASCON/ RGAS, GAMMA, NORDER, TREF(3)
      COMMON /MEMO/ MEMOA, MEMOB
      DOUBLE PRECISION MEMOA, MEMOB
      DATA RGAS /0.287/, GAMMA /1.4/, NORDER /3/, TREF /0.1, 0.22, 0.3/
      DATA MEMOA /1.5D0/, MEMOB /2.5D0/
      END

C     A MEMO IN COMMON THAT BEGINS WITH ITS VALUE IN BLOCK DATA
      SUBROUTINE MEMORY(X, Y)
      DOUBLE PRECISION X, Y, MEMOA, MEMOB
      COMMON /MEMO/ MEMOA, MEMOB
      IF (X .GT. 50) MEMOB = X
      Y = X*MEMOB
      END

C     Functions by the names that Fortran 77 has for each type.
      SUBROUTINE OLDNAM(X, Y, I, J, D, K)
      DOUBLE PRECISION X, Y, D(6)
      INTEGER I, J, K(7)
      D(1) = DMIN1(X, Y) + 10*DMAX1(X, Y)
      D(2) = DNINT(X) + 100*DINT(Y)
      D(3) = DABS(X) + DSIGN(X, Y) + DMOD(X, DABS(Y) + 1)
      D(4) = AMIN1(FLOAT(I), FLOAT(J)) + 10*AMAX1(FLOAT(I), FLOAT(J))
      D(5) = AMOD(FLOAT(I), FLOAT(IABS(J) + 1))
      D(6) = X/DPROD(FLOAT(I) + 0.5, -FLOAT(IABS(J) + 1))
      K(1) = MAX0(I, J) + 100*MIN0(I, J)
      K(2) = IDNINT(X)
      K(3) = ISIGN(I, J)
      K(4) = IFIX(FLOAT(I)*0.5)
      K(5) = NINT(10*ALOG10(FLOAT(IABS(I) + 1)))
      K(6) = IDINT(Y)
      K(7) = IDIM(I, J)
      END

C     THE MARK OF CONTINUATION THAT PREPROCESSORS HAVE AS WELL
      SUBROUTINE HASHES(X, Y)
      DOUBLE PRECISION X, Y
      Y = X*3.14159
     #26535D0
     # + 1.D0
      IF (X .GT. 1.D0) Y = Y*
     #2
      END
