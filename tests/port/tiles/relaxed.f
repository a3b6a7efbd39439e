C     Of fixed form, outside of modules.
      SUBROUTINE RELAXED(N, M, A, B)
      INTEGER N, M, I, J
      DOUBLE PRECISION A(N, *), B(N, M)
      DO 20 J = 1, M
        DO 10 I = 2, N
          B(I, J) = B(I, J) + 0.25D0*(A(I, J) - A(I-1, J))
   10   CONTINUE
   20 CONTINUE
      END
C     The same call in fixed form.
      SUBROUTINE DRIVEN(N, M, MANY, A, B)
      INTEGER N, M, MANY, L
      DOUBLE PRECISION A(N, M, MANY), B(N, M, MANY)
      DO 10 L = 1, MANY
C$BRIDGE BEGIN FIXED
        CALL RELAXED(N, M, A(1, 1, L),
     &               B(1, 1, L))
C$BRIDGE END
   10 CONTINUE
      END
