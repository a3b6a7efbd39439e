! Correlation tables of the transport models, as Fortran parameters
! (docs/physics.md, sections 11 and 12, default tables).
module chungTablesModule
  use useGENKindDefs, only: dp
  implicit none
  private

  ! Row i: E_i = e0 + e1 omega + e2 mr4 + e3 kappa (viscosity), Chung et al. 1988.
  real(dp), parameter, public :: chungE(4, 10) = reshape([ &
    6.32402_dp, 50.4119_dp, -51.6801_dp, 1189.02_dp, &
    0.0012102_dp, -0.0011536_dp, -0.0062571_dp, 0.037283_dp, &
    5.28346_dp, 254.209_dp, -168.481_dp, 3898.27_dp, &
    6.62263_dp, 38.0957_dp, -8.46414_dp, 31.4178_dp, &
    19.7454_dp, 7.63034_dp, -14.3544_dp, 31.5267_dp, &
    -1.89992_dp, -12.5367_dp, 4.98529_dp, -18.1507_dp, &
    24.2745_dp, 3.44945_dp, -11.2913_dp, 69.3466_dp, &
    0.79716_dp, 1.11764_dp, 0.012348_dp, -4.11661_dp, &
    -0.23816_dp, 0.067695_dp, -0.8163_dp, 4.02528_dp, &
    0.068629_dp, 0.34793_dp, 0.59256_dp, -0.72663_dp], [4, 10])

  ! Row i: B_i = b0 + b1 omega + b2 mr4 + b3 kappa (conductivity), and its prefactor.
  real(dp), parameter, public :: chungB(4, 7) = reshape([ &
    2.41657_dp, 0.74824_dp, -0.91858_dp, 121.721_dp, &
    -0.50924_dp, -1.50936_dp, -49.9912_dp, 69.9834_dp, &
    6.61069_dp, 5.62073_dp, 64.7599_dp, 27.0389_dp, &
    14.5425_dp, -8.91387_dp, -5.63794_dp, 74.3435_dp, &
    0.79274_dp, 0.82019_dp, -0.69369_dp, 6.31734_dp, &
    -5.8634_dp, 12.8005_dp, 9.58926_dp, -65.5292_dp, &
    81.171_dp, 114.158_dp, -60.841_dp, 466.775_dp], [4, 7])
  real(dp), parameter, public :: chungQ0 = 0.0040235825_dp

  ! Columns Pr, DP, A, B, C, E of Takahashi 1974: f = DP (1 - A Tr**-B)(1 - C Tr**-E).
  real(dp), parameter, public :: takahashi(6, 17) = reshape([ &
    0.1_dp, 1.01_dp, 0.038042_dp, 1.52267_dp, 0.0_dp, 1.0_dp, &
    0.2_dp, 1.01_dp, 0.067433_dp, 2.16794_dp, 0.0_dp, 1.0_dp, &
    0.3_dp, 1.01_dp, 0.098317_dp, 2.4291_dp, 0.0_dp, 1.0_dp, &
    0.4_dp, 1.01_dp, 0.13761_dp, 2.77605_dp, 0.0_dp, 1.0_dp, &
    0.5_dp, 1.01_dp, 0.175081_dp, 2.98256_dp, 0.0_dp, 1.0_dp, &
    0.6_dp, 1.01_dp, 0.216376_dp, 3.11384_dp, 0.0_dp, 1.0_dp, &
    0.8_dp, 1.01_dp, 0.314051_dp, 3.50264_dp, 0.0_dp, 1.0_dp, &
    1.0_dp, 1.02_dp, 0.385736_dp, 3.07773_dp, 0.141211_dp, 13.45454_dp, &
    1.2_dp, 1.02_dp, 0.514553_dp, 3.54744_dp, 0.278407_dp, 14.0_dp, &
    1.4_dp, 1.02_dp, 0.599184_dp, 3.61216_dp, 0.372683_dp, 10.009_dp, &
    1.6_dp, 1.02_dp, 0.557725_dp, 3.41882_dp, 0.504894_dp, 8.57519_dp, &
    1.8_dp, 1.03_dp, 0.593007_dp, 3.18415_dp, 0.678469_dp, 10.37483_dp, &
    2.0_dp, 1.03_dp, 0.696001_dp, 3.3766_dp, 0.665702_dp, 11.21674_dp, &
    2.5_dp, 1.04_dp, 0.79077_dp, 3.27984_dp, 0.0_dp, 1.0_dp, &
    3.0_dp, 1.05_dp, 0.5021_dp, 2.39031_dp, 0.602907_dp, 6.19043_dp, &
    4.0_dp, 1.06_dp, 0.837452_dp, 3.23513_dp, 0.0_dp, 1.0_dp, &
    5.0_dp, 1.07_dp, 0.89039_dp, 3.13001_dp, 0.0_dp, 1.0_dp], [6, 17])

end module chungTablesModule
