C     Names of one memory that a procedure does not use, as an included file declares them.
      SUBROUTINE UNUSED(X, Y, K)
      DOUBLE PRECISION X, Y, A, B, C, SCALES(4), WHOLE(9)
      LOGICAL LFLAG, LFLAGS(3)
      COMMON /LENGTH/ SCALES, NLONG, LFLAGS
      EQUIVALENCE (A, B), (B, C), (WHOLE(3), SCALES(3))
      EQUIVALENCE (LFLAG, LFLAGS(1))
      DOUBLE PRECISION SUMUP
      EXTERNAL SUMUP
      D = 0.5
      Y = SUMUP(X) + D*NLONG
      K = NLONG
      END

C     The other name of memory that UNUSED and SUMUP do not name.
      SUBROUTINE PARTED(X, Y)
      DOUBLE PRECISION X, Y, Z(2)
      CALL APART(X, Z)
      Y = Z(1) - 2*Z(2)
      END

      SUBROUTINE APART(X, Z)
      DOUBLE PRECISION X, Z(2), P(2), Q, R
      EQUIVALENCE (P(2), Q)
      SAVE P
      DATA P /2.D0, 3.D0/
      DATA R /0.75D0/
      Z(1) = X*R
      Z(2) = X + R
      END

      DOUBLE PRECISION FUNCTION SUMUP(X)
      DOUBLE PRECISION X, SCALES(4), U(4)
      LOGICAL LFLAGS(3)
      COMMON /LENGTH/ SCALES, NLONG, LFLAGS
      EQUIVALENCE (U, SCALES)
      SUMUP = X
      DO 10 I = 1, NLONG
        SUMUP = SUMUP + 1.D0/(I + X*X)
   10 CONTINUE
      END

C     An included file declares texts that the procedure does not name.
      SUBROUTINE KEEPER(X, Y)
      DOUBLE PRECISION X, Y, MEMOB
      COMMON /MEMO/ MEMOB
      CALL RESET(3)
      Y = X*MEMOB
      END

      SUBROUTINE RESET(N)
      DOUBLE PRECISION MEMOB
      CHARACTER TITLE*8, LINES(2)*4, WORD*3
      COMMON /MEMO/ MEMOB
      COMMON /TITLES/ TITLE, LINES
      EQUIVALENCE (TITLE, WORD)
      MEMOB = N + 0.5D0
      END

      BLOCK DATA
      DOUBLE PRECISION SCALES(4)
      LOGICAL LFLAGS(3)
      COMMON /LENGTH/ SCALES, NLONG, LFLAGS
      DATA SCALES /1.D0, 2.D0, 3.D0, 4.D0/, NLONG /3/
      END
