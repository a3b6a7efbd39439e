"""The quantities of the package as attributes, for type checkers.

Made from bridge/kernels/catalogue.toml by docs/generate.py.
"""

from __future__ import annotations

import numpy as np


class Attributes:
    """Names that a `Result` may have; a quantity of a kernel pack is an item alone."""

    __slots__ = ()

    #: temperature, K
    T: np.ndarray
    #: pressure, Pa
    P: np.ndarray
    #: mass fractions as given, 1, (NS)
    Y: np.ndarray
    #: mass fractions of all species but the last, 1, (NS-1)
    Y_leading: np.ndarray
    #: specific enthalpy to be met, J/kg
    h_target: np.ndarray
    #: specific entropy to be met, J/(kg K)
    s_target: np.ndarray
    #: density to be met, kg/m3
    rho_target: np.ndarray
    #: specific internal energy to be met, heats of formation included, J/kg
    e_target: np.ndarray
    #: first guess of the temperature, K
    T0: np.ndarray
    #: velocity vector, m/s, (3)
    velocity: np.ndarray
    #: least preconditioning velocity, m/s
    Vref: np.ndarray
    #: position of the point along x in the bound arrays; the run gives it, 1
    position_i: np.ndarray
    #: position of the point along y, 1
    position_j: np.ndarray
    #: position of the point along z, 1
    position_k: np.ndarray
    #: mask of a set: results of points where it is 0 are not written, 1
    iblank: np.ndarray
    #: cleaned mass fractions: no negatives, sum one, 1, (NS)
    Yc: np.ndarray
    #: mole fractions, 1, (NS)
    X: np.ndarray
    #: molar mass of the mixture, kg/mol
    W: np.ndarray
    #: ideal-gas heat capacities, J/(mol K), (NS)
    cp0_i: np.ndarray
    #: ideal-gas enthalpies, heat of formation included, J/mol, (NS)
    h0_i: np.ndarray
    #: ideal-gas entropies at the reference pressure, J/(mol K), (NS)
    s0_i: np.ndarray
    #: ideal-gas heat capacity at constant pressure of the mixture, J/(mol K)
    cp_ideal: np.ndarray
    #: ideal-gas heat capacity at constant volume of the mixture, J/(mol K)
    cv_ideal: np.ndarray
    #: ideal-gas enthalpy of the mixture, J/mol
    h_ideal: np.ndarray
    #: ideal-gas entropy of the mixture at T and P, J/(mol K)
    s_ideal: np.ndarray
    #: attraction square root of each species, signed, (Pa m6)^0.5/mol, (NS)
    u_i: np.ndarray
    #: du_i/dT, (Pa m6)^0.5/(mol K), (NS)
    u_i_T: np.ndarray
    #: d2u_i/dT2, (Pa m6)^0.5/(mol K2), (NS)
    u_i_TT: np.ndarray
    #: sum over j of (1 - k_ij) X_j u_j, (Pa m6)^0.5/mol, (NS)
    G_i: np.ndarray
    #: dG_i/dT, (Pa m6)^0.5/(mol K), (NS)
    G_i_T: np.ndarray
    #: attraction of the mixture, Pa m6/mol2
    a: np.ndarray
    #: da/dT, Pa m6/(mol2 K)
    a_T: np.ndarray
    #: d2a/dT2, Pa m6/(mol2 K2)
    a_TT: np.ndarray
    #: covolume of the mixture, m3/mol
    b: np.ndarray
    #: sum over j of X_j a_ij, Pa m6/mol2, (NS)
    S_i: np.ndarray
    #: dS_i/dT, Pa m6/(mol2 K), (NS)
    S_i_T: np.ndarray
    #: a P/(R T)^2, 1
    A: np.ndarray
    #: b P/(R T), 1
    B: np.ndarray
    #: largest root of the cubic above B, 1
    Zmax: np.ndarray
    #: smallest root of the cubic above B, Zmax where there is one root, 1
    Zmin: np.ndarray
    #: number of roots above B, 1 or 3, 1
    nRoots: np.ndarray
    #: the chosen root of the cubic, 1
    Z_pr: np.ndarray
    #: compressibility factor P v/(R T), 1
    Z: np.ndarray
    #: molar volume of the chosen root, v without the shift, m3/mol
    v_pr: np.ndarray
    #: molar volume, m3/mol
    v: np.ndarray
    #: density, kg/m3
    rho: np.ndarray
    #: v_pr^2 + 2 b v_pr - b^2, m6/mol2
    D: np.ndarray
    #: log term of the departure functions, mol/m3
    K: np.ndarray
    #: dP/dv at constant T, Pa mol/m3
    P_v: np.ndarray
    #: dP/dT at constant v, Pa/K
    P_T: np.ndarray
    #: isothermal compressibility, 1/Pa
    kappaT: np.ndarray
    #: thermal expansion coefficient, 1/K
    alphaV: np.ndarray
    #: P kappaT, the condition of the density, 1
    Pkappa: np.ndarray
    #: enthalpy, J/kg
    h: np.ndarray
    #: internal energy, J/kg
    u: np.ndarray
    #: entropy, J/(kg K)
    s: np.ndarray
    #: Gibbs energy, J/kg
    g: np.ndarray
    #: heat capacity at constant volume, J/(kg K)
    cv: np.ndarray
    #: heat capacity at constant pressure, J/(kg K)
    cp: np.ndarray
    #: cp/cv, 1
    gamma: np.ndarray
    #: drho/dP at constant T, Y, kg/(m3 Pa)
    rho_p: np.ndarray
    #: drho/dT at constant P, Y, kg/(m3 K)
    rho_T: np.ndarray
    #: dh/dP at constant T, Y, m3/kg
    h_p: np.ndarray
    #: dh/dT at constant P, Y, J/(kg K)
    h_T: np.ndarray
    #: speed of sound, m/s
    c: np.ndarray
    #: dP/d(rho e) at constant densities of all species, e the internal energy, 1
    p_rhoe: np.ndarray
    #: dP/drho_i at constant densities of the other species and constant rho e, Pa m3/kg, (NS)
    p_rhoi: np.ndarray
    #: n dP/dn_i at constant T, V, for one mole, Pa/mol, (NS)
    P_i: np.ndarray
    #: partial molar volumes, m3/mol, (NS)
    vbar_i: np.ndarray
    #: partial molar enthalpies, J/mol, (NS)
    hbar_i: np.ndarray
    #: logarithms of the fugacity coefficients, 1, (NS)
    lnphi_i: np.ndarray
    #: lowest stationary tangent-plane distance over R T: negative where the mixture splits, 1
    tpd: np.ndarray
    #: trial phases of the stability test while it runs, then zero, 1, (6*NS)
    stability_work: np.ndarray
    #: mole fractions of the trial phase of tpd; the feed where it is the only one, 1, (NS)
    trial_i: np.ndarray
    #: moles of vapour in equilibrium, per mole of feed; 1 or 0 of one phase, 1
    vapour_fraction: np.ndarray
    #: mass of vapour in equilibrium, per mass of feed, 1
    vapour_mass_fraction: np.ndarray
    #: mole fractions of the liquid in equilibrium; the feed where it is one phase, 1, (NS)
    x_i: np.ndarray
    #: mole fractions of the vapour in equilibrium; the feed where it is one phase, 1, (NS)
    y_i: np.ndarray
    #: trial splits of the flash while it runs, then zero, 1, (15*NS)
    flash_work: np.ndarray
    #: lnK_i of the last flash of the point, zeros where there is none, 1, (NS)
    lnK0_i: np.ndarray
    #: ln(y_i/x_i) of two phases, zeros of one, 1, (NS)
    lnK_i: np.ndarray
    #: splits that the flash tried, 0 where there is one phase, 1
    flash_iterations: np.ndarray
    #: speed of sound of liquid and vapour that stay in equilibrium; c of one phase, m/s
    c_eq: np.ndarray
    #: p_rhoe of liquid and vapour that stay in equilibrium, at constant Y, 1
    p_rhoe_eq: np.ndarray
    #: species that cross between two phases while their answer is sought, then zero, 1, (6*NS)
    crossing_work: np.ndarray
    #: splits at a given density and energy while they are sought, then zero, 1, (15*NS)
    density_work: np.ndarray
    #: density of liquid and vapour together in equilibrium, kg/m3
    rho_eq: np.ndarray
    #: specific enthalpy of liquid and vapour together in equilibrium, J/kg
    h_eq: np.ndarray
    #: vapour pressure of a pure species, Pa
    P_sat: np.ndarray
    #: density of the liquid in equilibrium, kg/m3
    rho_liquid: np.ndarray
    #: density of the vapour in equilibrium, kg/m3
    rho_vapour: np.ndarray
    #: specific enthalpy of the liquid in equilibrium, J/kg
    h_liquid: np.ndarray
    #: specific enthalpy of the vapour in equilibrium, J/kg
    h_vapour: np.ndarray
    #: chemical potentials, J/mol, (NS)
    mu_i: np.ndarray
    #: density derivatives by mass fraction, degree-one extension, kg/m3, (NS)
    rho_Yi: np.ndarray
    #: enthalpy derivatives by mass fraction, degree-one extension, J/kg, (NS)
    h_Yi: np.ndarray
    #: rho_Yi with the last species eliminated, kg/m3, (NS-1)
    rho_Yi_reduced: np.ndarray
    #: h_Yi with the last species eliminated, J/kg, (NS-1)
    h_Yi_reduced: np.ndarray
    #: total enthalpy, J/kg
    h0: np.ndarray
    #: density times total enthalpy, J/m3
    rhoh0: np.ndarray
    #: preconditioned drho/dP, kg/(m3 Pa)
    r_p: np.ndarray
    #: h(T) - h_target, or T (s(T) - s_target), J/kg
    h_residual: np.ndarray
    #: Newton step of the temperature, huge where cp is no slope, K
    dT: np.ndarray
    #: lower end of the temperature bracket, K
    lo: np.ndarray
    #: upper end of the temperature bracket, K
    hi: np.ndarray
    #: h_residual at the lower end of the bracket, J/kg
    h_residual_lo: np.ndarray
    #: h_residual at the upper end of the bracket, J/kg
    h_residual_hi: np.ndarray
    #: compressibility factor at the lower end of the bracket, 1
    Z_lo: np.ndarray
    #: compressibility factor at the upper end of the bracket, 1
    Z_hi: np.ndarray
    #: last step of the temperature search, K
    step: np.ndarray
    #: step before the last, K
    stepOld: np.ndarray
    #: 1 where the temperature search has ended, 1
    done: np.ndarray
    #: evaluations of the temperature search, 1
    iterations: np.ndarray
    #: status bits of the temperature search, 1
    status_newton: np.ndarray
    #: pseudo-critical temperature, mole-fraction mean, K
    Tcm: np.ndarray
    #: pseudo-critical pressure, Prausnitz-Gunn, Pa
    Pcm: np.ndarray
    #: pseudo-critical pressure, mole-fraction mean, Pa
    PcKay: np.ndarray
    #: pseudo-critical volume, mole-fraction mean, m3/mol
    Vcm: np.ndarray
    #: pseudo-critical compressibility factor, mole-fraction mean, 1
    Zcm: np.ndarray
    #: acentric factor, mole-fraction mean, 1
    omegam: np.ndarray
    #: T/Tcm, 1
    Tr: np.ndarray
    #: P/PcKay, 1
    Pr: np.ndarray
    #: Chung mixture diameter, angstrom
    sigma_m: np.ndarray
    #: Chung mixture well depth over kB, K
    eps_m: np.ndarray
    #: Chung mixture acentric factor, 1
    omega_m: np.ndarray
    #: fourth power of the reduced dipole moment of the mixture, 1
    mr4: np.ndarray
    #: Chung association factor of the mixture, 1
    kappa_m: np.ndarray
    #: Chung mixture critical temperature, K
    Tcm_chung: np.ndarray
    #: Chung mixture critical volume, cm3/mol
    Vcm_chung: np.ndarray
    #: Chung pseudo molar mass of the mixture, g/mol
    M_m: np.ndarray
    #: T/eps_m, floored, 1
    Tstar: np.ndarray
    #: collision integral of viscosity, 1
    Omega22: np.ndarray
    #: dense-fluid viscosity coefficients E_1..E_10, 1, (10)
    E: np.ndarray
    #: dense-fluid conductivity coefficients B_1..B_7, 1, (7)
    B_chung: np.ndarray
    #: shape and polarity factor, 1
    Fc: np.ndarray
    #: Vcm/(6 v), capped, 1
    y: np.ndarray
    #: (1 - y/2)/(1 - y)^3, 1
    G1: np.ndarray
    #: dilute-gas viscosity, Pa s
    eta0: np.ndarray
    #: dilute-gas viscosities of the species, Pa s, (NS)
    eta0_i: np.ndarray
    #: sums over j of X_j phi_ij, Wilke's weights of the viscosities, 1, (NS)
    wilke_i: np.ndarray
    #: viscosity, Pa s
    eta: np.ndarray
    #: heat-capacity factor of the conductivity, 1
    psi: np.ndarray
    #: dilute-gas thermal conductivity, W/(m K)
    lambda0: np.ndarray
    #: thermal conductivity, W/(m K)
    lambda_: np.ndarray
    #: low-pressure binary diffusion coefficients, i <= j row by row, m2/s, (pairs)
    D0_ij: np.ndarray
    #: high-pressure factor of the diffusion coefficients, 1
    takahashi: np.ndarray
    #: mixture-averaged diffusion coefficients, m2/s, (NS)
    D_im: np.ndarray
    #: Fick matrix of the Stefan-Maxwell equations, row by row, m2/s, (NS*NS)
    D_fick: np.ndarray
