C     Jumps backwards that are loops. Counters end them where numbers are no numbers.
      SUBROUTINE SEARCH(X, K, Y)
      DOUBLE PRECISION X, Y, T(9)
      DATA T /-40., -3., 0., .5, 1., 1.75, 2.25, 9., 77./
      K = 0
      LOW = 1
      LAST = 9
    1 IF (LAST - LOW .GT. 1) THEN
        I = (LAST + LOW)/2
        IF (T(I) .EQ. X) GOTO 10
        IF (T(I) .GT. X) THEN
          LAST = I
        ELSE
          LOW = I
        END IF
        GOTO 1
      END IF
      Y = T(LAST) - T(LOW)
      RETURN
   10 K = I
      Y = LOW
      END

C     The test at the end, of a point and of all points.
      SUBROUTINE ROOT(X, Y, N, M)
      DOUBLE PRECISION X, Y, Z
      Y = 1 + ABS(X)
      N = 0
   20 Z = Y
      N = N + 1
      Y = (Y + ABS(X)/Y)/2
      IF (ABS(Y - Z) .GT. 1.D-9*Y .AND. N .LT. 30) GO TO 20
      M = 1
   30 CONTINUE
      M = M*3
      IF (M .LT. 100) GO TO 30
      END

C     Two loops of which the inner one begins behind the head of the outer one.
      SUBROUTINE FACTOR(K, L, N)
      INTEGER NTRY(4)
      DATA NTRY /3, 4, 2, 5/
      L = 0
      N = MOD(ABS(K), 3000) + 1
      J = 0
  100 J = J + 1
      IF (J .LE. 4) THEN
        M = NTRY(J)
      ELSE
        M = M + 2
      END IF
  200 NQ = N/M
      IF (N - M*NQ .NE. 0) THEN
        IF (J .GT. 12) GOTO 300
        GOTO 100
      END IF
      L = 10*MOD(L, 1000000) + M
      N = NQ
      IF (N .NE. 1) GO TO 200
  300 N = N + 10000*J
      END

C     Several targets of one jump, one of them the head; a jump forward to the head.
      SUBROUTINE SEVERL(X, I, Y, K)
      DOUBLE PRECISION X, Y
      Y = X
      K = 0
      IF (X .GT. 1.D0) GO TO 40
      Y = Y - 1
   40 K = K + 1
      IF (K .GT. 20) GO TO 60
      IF (Y - 3.D0) 45, 60, 50
   45 Y = Y + 1
      IF (K - 9) 40, 40, 60
   50 Y = Y/2
      GO TO (60, 40, 55), I
   55 Y = Y - 0.25D0
      GO TO 40
   60 Y = Y + 100*K
   70 Y = Y + 1
      K = K + 100
      GO TO (90, 70, 80), K/200
      IF (K .GT. 500) GO TO 90
   80 GO TO 70
   90 Y = 2*Y
      END

C     Out of loops to the head, and out of the loop and around it.
      SUBROUTINE DEEP(X, N, Y, K)
      DOUBLE PRECISION X, Y, A(5)
      K = 0
      Y = X
      DO 130 I = 1, 3
  110   K = K + 1
        DO 120 J = 1, 5
          A(J) = Y + J
          IF (K .GT. 60) GO TO 140
          IF (A(J) .GT. 7.D0 .AND. A(J) .LT. 1.D3) THEN
            Y = Y - 2.5D0
            GO TO 110
          END IF
          IF (J .GT. N) GO TO 125
  120   CONTINUE
        IF (Y .LT. 2.D0) THEN
          Y = Y + I
          IF (K .LT. 40) GO TO 110
          Y = Y + 0.5D0
        END IF
  125   Y = Y + 1
        IF (MOD(K, 2) .EQ. 1) THEN
          Y = Y + A(1)/8
          K = K + 1
          GO TO 110
        END IF
  130 CONTINUE
  140 Y = Y + K
      END

C     No way out at the end; a head that is all there is; the last arm goes back.
      SUBROUTINE TURNS(X, I, Y, K)
      DOUBLE PRECISION X, Y
      K = ABS(MOD(I, 7))
      Y = X
  150 K = K + 1
      IF (K .GT. 12) GO TO 160
      Y = Y + K
      IF (Y .GT. 50.D0) GO TO 160
      GO TO 150
  160 IF (K .GT. 0) THEN
        K = K - 1
        IF (MOD(K, 4) .EQ. 1) GO TO 160
        Y = Y*1.25D0
        GO TO 160
      ELSE
        Y = Y - 1
      END IF
  170 IF (K .LT. 5) THEN
        K = K + 1
      ELSE IF (K .LT. 20 .AND. Y .LT. 60.D0) THEN
        Y = Y + 7
        K = K + 2
        GO TO 170
      ELSE
        Y = -Y
      END IF
  180 Y = Y + 0.125D0
      K = K + 1
      IF (MOD(K, 9) .NE. 0) THEN
        Y = Y + 1
        GO TO 180
      END IF
      END
