C     Old forms in fixed form: blanks anywhere, shared labels, old types.
      PROGRAM OLD
      REAL*8 X(10), Y, D
      COMMON /BLK/ X, Y
      INTEGER I, J
      CALL FILL (X, 10)
      DO 20 I = 1, 10
      DO 20 J = 1, 2
   20 X(I) = X(I) + J
      Y = 0.D0
      D O 3 0 I = 1, 1 0
      Y = Y + X(I)
   30 C O N T I N U E
      IF (Y .GT. 1 00.0D0) G O T O 40
      Y = -Y
   40 PRINT *, Y
      END

      SUBROUTINE FILL (X, N)
      IMPLICIT REAL*8 (A-H, O-Z)
      DIMENSION X(N)
      DOUBLEPRECISION Z
      LOGICAL*1 FLAG
      CHARACTER*(*) NAME
      CHARACTER*8 OTHER, THIRD*3
      PARAMETER (HALF = 0.5D0, NAME = 'IT''S ! NO COMMENT')
      DATA FLAG /.TRUE./, Z, W /2*1.5/
      SQUARE(A) = A*A
! a comment in column 1
* another
      DO10I=1,N
        X(I) = SQUARE(HALF*I)
     &       + Z
c       in between
     1       + W
10    CONTINUE
      IF (N) 50, 60, 70
   50 RETURN
   60 GO TO (50, 70), N
   70 IF(N.EQ.1)THEN
         X(1)=1.E0
      ELSE IF(N.EQ.2) THEN
         X(1)=2.
      ELSE
         X(1)=3.E-1
      END IF
      E N D

      DOUBLE PRECISION FUNCTION TWICE (A)
      DOUBLE PRECISION A
      TWICE = 2 * A                                                     00010000
      RETURN
      END

      BLOCK DATA
      REAL*8 X(10), Y
      COMMON /BLK/ X, Y
      DATA X /10*2.5D0/, Y /-1D0/
      END
