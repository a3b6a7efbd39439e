"""The composites of the package as methods of `TVProperties`.

Made from bridge/kernels/catalogue.toml by docs/generate.py.
"""

from __future__ import annotations

from abc import abstractmethod


class Composites:
    """One method for each composite; those of packs go by `composite(name, n)`."""

    @abstractmethod
    def composite(self, name: str, n: int) -> None:
        """See `TVProperties.composite`."""

    def prEOSThermalProperties(self, n: int) -> None:
        """Compute prEOSThermalProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, W kg/mol, Z, h J/kg, cp J/(kg K), cv J/(kg K), gamma, c m/s, rho_p kg/(m3
        Pa), rho_T kg/(m3 K), h_p m3/kg, h_T J/(kg K), status.
        """
        self.composite("prEOSThermalProperties", n)

    def prEOSRhohFromTPprop(self, n: int) -> None:
        """Compute prEOSRhohFromTPprop on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, h J/kg, status.
        """
        self.composite("prEOSRhohFromTPprop", n)

    def prEOSGammaJacobianProperties(self, n: int) -> None:
        """Compute prEOSGammaJacobianProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, W kg/mol, Z, h J/kg, cp J/(kg K), cv J/(kg K), gamma, c m/s, rho_p kg/(m3
        Pa), rho_T kg/(m3 K), h_p m3/kg, h_T J/(kg K), rho_Yi (NS) kg/m3, h_Yi (NS) J/kg, status.
        """
        self.composite("prEOSGammaJacobianProperties", n)

    def prEOSViscousProperties(self, n: int) -> None:
        """Compute prEOSViscousProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes eta Pa s, lambda W/(m K), D_im (NS) m2/s, h_Yi (NS) J/kg, Tcm K, Pcm Pa, PcKay Pa,
        Vcm m3/mol, Zcm, omegam, Tr, Pr, rho kg/m3, status.
        """
        self.composite("prEOSViscousProperties", n)

    def prEOSViscousFluxProperties(self, n: int) -> None:
        """Compute prEOSViscousFluxProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes eta Pa s, lambda W/(m K), D_im (NS) m2/s, h_Yi (NS) J/kg, Tcm K, Pcm Pa, PcKay Pa,
        Vcm m3/mol, Zcm, omegam, Tr, Pr, rho kg/m3, status.
        """
        self.composite("prEOSViscousFluxProperties", n)

    def prEOSPhaseStability(self, n: int) -> None:
        """Compute prEOSPhaseStability on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes tpd, status.
        """
        self.composite("prEOSPhaseStability", n)

    def chungCalcTransProp(self, n: int) -> None:
        """Compute chungCalcTransProp on the views, first n points.

        From T K, P Pa, X (NS), W kg/mol, v m3/mol, cv_ideal J/(mol K), Tr, Pr, status.
        Makes eta Pa s, lambda W/(m K), D_im (NS) m2/s, status.
        """
        self.composite("chungCalcTransProp", n)

    def prEOSCalcTFromHP(self, n: int) -> None:
        """Compute prEOSCalcTFromHP on the views, first n points.

        From h_target J/kg, P Pa, Y (NS), T0 K.
        Makes T K, rho kg/m3, iterations, status.
        """
        self.composite("prEOSCalcTFromHP", n)

    def prEOSCalcTFromRhoP(self, n: int) -> None:
        """Compute prEOSCalcTFromRhoP on the views, first n points.

        From rho_target kg/m3, P Pa, Y (NS).
        Makes T K, h J/kg, status.
        """
        self.composite("prEOSCalcTFromRhoP", n)

    def prEOSCalcTFromSP(self, n: int) -> None:
        """Compute prEOSCalcTFromSP on the views, first n points.

        From s_target J/(kg K), P Pa, Y (NS), T0 K.
        Makes T K, rho kg/m3, h J/kg, iterations, status.
        """
        self.composite("prEOSCalcTFromSP", n)

    def eosThermalProperties(self, n: int) -> None:
        """Compute eosThermalProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, W kg/mol, Z, h J/kg, cp J/(kg K), cv J/(kg K), gamma, c m/s, rho_p kg/(m3
        Pa), rho_T kg/(m3 K), h_p m3/kg, h_T J/(kg K), status.
        """
        self.composite("eosThermalProperties", n)

    def eosRhohFromTPprop(self, n: int) -> None:
        """Compute eosRhohFromTPprop on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, h J/kg, status.
        """
        self.composite("eosRhohFromTPprop", n)

    def eosCalcRhoh0FromTP(self, n: int) -> None:
        """Compute eosCalcRhoh0FromTP on the views, first n points.

        From T K, P Pa, Y (NS), velocity (3) m/s.
        Makes rho kg/m3, h J/kg, h0 J/kg, rhoh0 J/m3, status.
        """
        self.composite("eosCalcRhoh0FromTP", n)

    def eosGammaJacobianProperties(self, n: int) -> None:
        """Compute eosGammaJacobianProperties on the views, first n points.

        From T K, P Pa, Y (NS), velocity (3) m/s, Vref m/s.
        Makes rho kg/m3, W kg/mol, Z, h J/kg, cp J/(kg K), cv J/(kg K), gamma, c m/s, rho_p kg/(m3
        Pa), rho_T kg/(m3 K), h_p m3/kg, h_T J/(kg K), rho_Yi (NS) kg/m3, h_Yi (NS) J/kg, h0 J/kg,
        rhoh0 J/m3, r_p kg/(m3 Pa), status.
        """
        self.composite("eosGammaJacobianProperties", n)

    def eosThermalAndViscousProperties(self, n: int) -> None:
        """Compute eosThermalAndViscousProperties on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes rho kg/m3, W kg/mol, Z, h J/kg, cp J/(kg K), cv J/(kg K), gamma, c m/s, rho_p kg/(m3
        Pa), rho_T kg/(m3 K), h_p m3/kg, h_T J/(kg K), eta Pa s, lambda W/(m K), D_im (NS) m2/s,
        h_Yi (NS) J/kg, Tcm K, Pcm Pa, PcKay Pa, Vcm m3/mol, Zcm, omegam, Tr, Pr, status.
        """
        self.composite("eosThermalAndViscousProperties", n)

    def eosThermalFromRhoE(self, n: int) -> None:
        """Compute eosThermalFromRhoE on the views, first n points.

        From rho_target kg/m3, e_target J/kg, Y (NS), T0 K.
        Makes T K, P Pa, h J/kg, cp J/(kg K), cv J/(kg K), c m/s, p_rhoe, p_rhoi (NS) Pa m3/kg,
        iterations, status.
        """
        self.composite("eosThermalFromRhoE", n)

    def eosSaturation(self, n: int) -> None:
        """Compute eosSaturation on the views, first n points.

        From T K, Y (NS).
        Makes P_sat Pa, rho_liquid kg/m3, rho_vapour kg/m3, h_liquid J/kg, h_vapour J/kg, status.
        """
        self.composite("eosSaturation", n)

    def eosFlashTP(self, n: int) -> None:
        """Compute eosFlashTP on the views, first n points.

        From T K, P Pa, Y (NS).
        Makes vapour_fraction, vapour_mass_fraction, x_i (NS), y_i (NS), rho_liquid kg/m3,
        rho_vapour kg/m3, h_liquid J/kg, h_vapour J/kg, rho_eq kg/m3, h_eq J/kg, c_eq m/s,
        flash_iterations, status.
        """
        self.composite("eosFlashTP", n)

    def eosFlashTPFrom(self, n: int) -> None:
        """Compute eosFlashTPFrom on the views, first n points.

        From T K, P Pa, Y (NS), lnK0_i (NS).
        Makes vapour_fraction, vapour_mass_fraction, x_i (NS), y_i (NS), rho_liquid kg/m3,
        rho_vapour kg/m3, h_liquid J/kg, h_vapour J/kg, rho_eq kg/m3, h_eq J/kg, c_eq m/s,
        flash_iterations, lnK_i (NS), status.
        """
        self.composite("eosFlashTPFrom", n)

    def eosFlashRhoE(self, n: int) -> None:
        """Compute eosFlashRhoE on the views, first n points.

        From rho_target kg/m3, e_target J/kg, Y (NS), T0 K.
        Makes T K, P Pa, vapour_fraction, vapour_mass_fraction, x_i (NS), y_i (NS), rho_liquid
        kg/m3, rho_vapour kg/m3, h_liquid J/kg, h_vapour J/kg, h_eq J/kg, c_eq m/s, p_rhoe_eq,
        iterations, flash_iterations, status.
        """
        self.composite("eosFlashRhoE", n)
