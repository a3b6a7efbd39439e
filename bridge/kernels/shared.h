/* Per-run data of the kernels: set once by the host before the first launch, read by every point.
 *
 * The struct is plain C between the two marks, so that cffi reads the same text (sharedstruct.py);
 * bridge/physics/shared.py makes the values. Equations and symbols: docs/physics.md, sections 2 to 12. Per-species arrays have ns
 * entries; pair tables are packed i <= j, row by row, ns(ns+1)/2 entries.
 */
#pragma once
#ifdef __CUDACC_RTC__
typedef long long int64_t;
#else
#include <stdint.h>
#endif

/* Coefficients of a fitted collision integral: polynomials of degree 17 in ln T. */
#define OMEGA11_TERMS 18

/* Rows of Takahashi's table, 18, padded to whole vectors of eight. */
#define TAKAHASHI_ROWS 24

/* Records of the same, one for each tenth of Pr from 0 to 5. */
#define TAKAHASHI_STEPS 51

/* Numbers per species, and coefficients of a fit, of the kinetic theory. */
#define KINETIC_NUMBERS 8
#define KINETIC_TERMS 8

/* Numbers per species of the friction theory. */
#define FRICTION_NUMBERS 12

#ifndef BRIDGE_SHARED_DECLARED /* a build that lays the members out its own way has its own */
/* clang-format off */
/* begin shared */
struct Shared {
    int64_t ns;
    int64_t pairs;             /* ns(ns+1)/2 */

    /* option flags */
    int64_t cubic;             /* 0 PENG_ROBINSON, 1 SOAVE_REDLICH_KWONG */
    int64_t prCross;           /* 0 SIGNED, 1 ABS */
    int64_t thermoExtrap;      /* 0 CONST_CP, 1 POLYNOMIAL */
    int64_t rootPolicy;        /* 0 MIN_GIBBS, 1 LARGEST, 2 SMALLEST */
    int64_t chungDense;        /* 0 PUBLISHED, 1 BOUNDED */
    int64_t dilute;            /* 0 CHUNG, 1 KINETIC */
    int64_t viscosity;         /* 0 CHUNG, 1 FRICTION */
    int64_t takaMode;          /* 0 GLOBAL, 1 PAIRWISE */
    int64_t diffModel;         /* 0 CHAPMAN_ENSKOG, 1 FULLER */
    int64_t massFraction;      /* 0 MASS_FORM, 1 MOLE_FORM */
    int64_t volumeShift;       /* 0 NONE, 1 PENELOUX */
    int64_t anyKij;            /* 1 when some interaction coefficient is not zero */

    /* scalars */
    double R;                  /* J/(mol K) */
    double P0;                 /* Pa, reference pressure of the entropies */
    double TloH, ThiH;         /* K, range of the temperature search */
    double Tleast, Tmost;      /* K, BAD_T outside: formulas leave the range of a double */
    double Pleast, Pmost;      /* Pa, BAD_P outside */
    double rhoLeast;           /* kg/m3, BAD_RHO below */
    double smallSum;           /* BAD_Y below this sum of mass fractions */
    double clipTolerance;      /* Y_CLIPPED below minus this */
    double renormTolerance;    /* Y_RENORM beyond this */
    double traceMassFraction;  /* T_EXTRAP with POLYNOMIAL looks at species above this */
    double fitLow, fitHigh;    /* K, largest Tlow and smallest Thigh: between them all fits hold */
    double nearCritical;       /* NEAR_CRITICAL above this P kappaT */
    double newtonTolerance;    /* relative, on T */
    double bracketTolerance;   /* relative width of a collapsed bracket */
    double bracketEnd;         /* relative, "still at the end of the range" */
    int64_t newtonLimit;       /* evaluations of h(T) */
    double tpdTolerance;       /* TWO_PHASE below minus this, in units of R T */
    double stabilityTolerance; /* of a stationary point: mean square of its residuals */
    double feedDistance;       /* mean square of ln(w/X) below which a trial phase is the feed */
    double lnTraceOfPure;      /* logarithm of the feed that is in a nearly pure trial phase */
    double lnAbsent;           /* stands for ln X of a species that is not there */
    int64_t stabilityLimit;    /* most trial phases of a search */
    double flashTolerance;     /* largest logarithm of the ratio of both fugacities of a species */
    int64_t flashLimit;        /* most splits that a flash tries */

    /* species */
    const double* W;           /* kg/mol */
    const double* invW;        /* mol/kg */
    const double* Tc;          /* K */
    const double* Pc;          /* Pa */
    const double* Vc;          /* m3/mol */
    const double* Zc;          /* Pc Vc/(R Tc) */
    const double* omega;       /* acentric factor */

    /* NASA-7 */
    const double* nasa;        /* (ns,17): Tlow, Tmid, Thigh, a1..a7 low, a1..a7 high */
    const double* nasaEnthalpy; /* (ns,19): Tlow, Tmid, Thigh; h/R: a6 a1 a2/2 .. a5/5 low, same
                                 * high; lines below Tlow and above Thigh */
    const double* rangeEnds;   /* (3 ns + 1) K, ascending, each once: where some species gets another
                                * range; then infinity */
    const double* fitEnds;     /* (2,ns,3), below and above the fits: a + b T, by which cp/(R W) may be
                                * off, and what T_EXTRAP allows it to be */
    const double* lnTlow;
    const double* lnThigh;

    /* attraction and covolume of the cubic, section 5 */
    const double* prB;         /* b_i, m3/mol */
    const double* prQ;         /* q_i = sqrt(ac_i) */
    const double* prM;         /* m_i */
    const double* invSqrtTc;   /* Tc_i^-1/2 */
    const double* prU0;        /* u_i = prU0 - prU1 sqrt(T): q_i (1 + m_i) */
    const double* prU1;        /* q_i m_i Tc_i^-1/2 */
    const double* oneMinusKij; /* (ns,ns) */
    const double* cShift;      /* of the molar volume, m3/mol */

    /* Chung, section 11 */
    const double* chungS;      /* sigma_i^1.5 */
    const double* chungSE;     /* sigma_i^1.5 eps_i^0.5 */
    const double* chungSW;     /* sigma_i^1.5 omega_i */
    const double* chungDipole; /* mu_i^2 sigma_i^-1.5 */
    const double* chungKappa;  /* kappa_i^0.5 */
    const double* chungPair;   /* (ns,ns), i <= j: (2 - delta_ij) eps_ij sigma_ij^2 M_ij^0.5 */
    const double* chungE;      /* (10,4) */
    const double* chungB;      /* (7,4) */
    const double* chungFc;     /* (4): 1, omega, mu_r^4, kappa */
    const double* chungPsi;    /* (12): alpha0; beta 3; z 2; num 4; den 2 */
    double chungSigmaFactor;   /* 0.809 */
    double chungEpsFactor;     /* 1.2593 */
    double chungDipoleFactor4; /* 131.3^4 */
    double chungDilute;        /* eta0 prefactor, Pa s (for Vc in cm3/mol, M in g/mol) */
    double chungDiluteRatio;   /* prefactor of the eta0 inside lambda over chungDilute */
    double chungDense0;        /* eta_p prefactor, Pa s */
    double chungLambdaDilute;  /* 31.2 */
    double chungQ0;
    double tStarMin, yMax;     /* clamps */
    double omegaViscLow, omegaViscHigh, omegaCondLow, omegaCondHigh;

    /* kinetic theory, section 11 */
    const double* kineticSpecies; /* (ns,KINETIC_NUMBERS): k/eps; eps^B, B of omega22; W^1/4 over
                                   * the root of eta Omega22/sqrt(T); W^1/2; ln eps; rotational cv/R;
                                   * Zrot F at 298 K; reduced dipole */
    const double* kineticFits; /* (ns,2,KINETIC_TERMS), highest power first: Omega22 over that without
                                * a dipole; A* */
    const double* kineticRatio; /* (ns,ns): (8 (1 + W_i/W_j))^-1/2 */
    double kineticPlace[2];    /* place in the fits: (ln T* - first) second, -1 to 1 */
    double kineticFloor;       /* tStarMin^-B */
    double kineticInner;       /* 1.065 */

    /* friction theory, section 11 */
    const double* frictionSpecies; /* (ns,FRICTION_NUMBERS): Tc; weight M^-0.3; of the repulsive and
                                    * of the attractive pressure, s: 1, Tc/T - 1, exp(Tc/T - 1) - 1,
                                    * exp(2 Tc/T - 2) - 1; of the squared repulsive one, s/Pa: 1,
                                    * (exp(2 Tc/T) - 1) (Tc/T - 1)^2 */
    double frictionMost;       /* of Tc/T */

    /* collision integrals (Neufeld) */
    double omega22[6];         /* A B C D E F; D and F times log2(e), for exp2 */
    double omega22G;           /* 0: no sine term */
    double omega22Sine[3];     /* S W P */
    double omega11[8];         /* A B C D E F G H; D, F and H times log2(e), for exp2 */
    double omega11Floor;       /* tStarMin^-B */

    /* diffusion, section 12 */
    const double* invDiffusionPair; /* pairs: D0 = T^1.5/(P Omega11 this), or T^1.75/(P this) */
    const double* invEpsPair;     /* pairs: 1/eps_ij, 1/K */
    const double* epsPowPair;     /* pairs: eps_ij^B, B of omega11 */
    const double* polarPair;      /* pairs: 0.19 delta_ij^2 eps_ij, K; zero with CHUNG */
    int64_t omega11Fitted;        /* 1: FITTED */
    const double* omega11Fit;     /* (pairs, OMEGA11_TERMS): Omega11 invDiffusionPair, see FITTED */
    double omega11FitLow, omega11FitHigh; /* K, where the fit holds */
    double omega11FitMiddle, omega11FitInverse; /* place in it: (ln T - middle) inverse */
    double diffusionFloor;        /* 1e-20 added to the mole fractions */
    const double* takahashi;      /* (7,TAKAHASHI_ROWS) columns Pr, 1/(step to the next), DP A B C E
                                   * (B and E times log2(e), for exp2);
                                   * row 0 is Pr = 0, factor 1; row 17 the last of the table */
    const double* takahashiSteps; /* (TAKAHASHI_STEPS,12) records: Pr and 1/(step to the next) of the
                                   * row below, DP A B C E of it and of the next one */
    double takahashiTrMin;
    double takahashiGainMax;      /* DIFF_RANGE above this n D over that of the dilute gas */
    double riaziWhitson[5];       /* amplitude - 1; exponent: constant, of omega, of Pr, of omega Pr */
    double riaziWhitsonBlend;     /* square of the (eta/eta0 - 1) where half of the amplitude is there */
    double riaziWhitsonMost;      /* DIFF_RANGE where Pr alone changes ln(n D) by more than this */
    double prZc;                  /* of the cubic's critical point: denser is a liquid */
};
/* end shared */
/* clang-format on */
#endif

typedef struct Shared Shared;
