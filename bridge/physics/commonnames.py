"""What people call the species of the shipped table: methane, steam, laughing gas.

A species has one name, its formula: it labels columns and keys. These words lead to it, in
`bridge species` and in the message of a name that is not known.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Formula -> what it is called, the usual name first.
_NAMES = {
    "H2": ("hydrogen",),
    "H": ("atomic hydrogen", "hydrogen atom"),
    "O": ("atomic oxygen", "oxygen atom"),
    "O2": ("oxygen",),
    "OH": ("hydroxyl",),
    "H2O": ("water", "steam", "water vapour", "water vapor"),
    "HO2": ("hydroperoxyl",),
    "H2O2": ("hydrogen peroxide",),
    "C": ("atomic carbon", "carbon atom"),
    "CH": ("methylidyne",),
    "CH2": ("triplet methylene", "methylene"),
    "CH2(S)": ("singlet methylene",),
    "CH3": ("methyl",),
    "CH4": ("methane", "natural gas"),
    "CO": ("carbon monoxide",),
    "CO2": ("carbon dioxide",),
    "HCO": ("formyl",),
    "CH2O": ("formaldehyde",),
    "CH2OH": ("hydroxymethyl",),
    "CH3O": ("methoxy",),
    "CH3OH": ("methanol",),
    "C2H": ("ethynyl",),
    "C2H2": ("acetylene", "ethyne"),
    "C2H3": ("vinyl",),
    "C2H4": ("ethylene", "ethene"),
    "C2H5": ("ethyl",),
    "C2H6": ("ethane",),
    "HCCO": ("ketenyl",),
    "CH2CO": ("ketene",),
    "HCCOH": ("ethynol",),
    "N": ("atomic nitrogen", "nitrogen atom"),
    "NH": ("imidogen",),
    "NH2": ("amidogen",),
    "NH3": ("ammonia",),
    "NNH": ("diazenyl",),
    "NO": ("nitric oxide", "nitrogen monoxide"),
    "NO2": ("nitrogen dioxide",),
    "N2O": ("nitrous oxide", "laughing gas"),
    "HNO": ("nitroxyl",),
    "CN": ("cyano", "cyanogen radical"),
    "HCN": ("hydrogen cyanide",),
    "H2CN": ("methylene amidogen",),
    "HCNN": ("diazomethyl",),
    "HCNO": ("fulminic acid",),
    "HOCN": ("cyanic acid",),
    "HNCO": ("isocyanic acid",),
    "NCO": ("isocyanate",),
    "N2": ("nitrogen",),
    "AR": ("argon",),
    "C3H7": ("propyl",),
    "C3H8": ("propane",),
    "CH2CHO": ("vinoxy",),
    "CH3CHO": ("acetaldehyde",),
    "C12H26": ("dodecane", "n-dodecane"),
}


def called(formula: str) -> str:
    """The usual name of a formula, "" where none is known."""
    return _NAMES.get(formula, ("",))[0]


def meant(word: str, known: Iterable[str]) -> list[str]:
    """Formulas among the known ones that are called so, else those in whose names it is a word:
    "carbon" is part of several."""
    wanted = " ".join(word.lower().replace("_", " ").split())
    names = {formula: _NAMES.get(formula, ()) for formula in known}
    whole = [formula for formula, calls in names.items() if wanted in calls]
    return whole or [
        formula
        for formula, calls in names.items()
        if any(wanted in call.split() for call in calls)
    ]


def formulas(text: str, known: Iterable[str]) -> list[str]:
    """Names with blanks or commas between them, common ones replaced by formulas: "steam, carbon
    dioxide" gives H2O and CO2."""
    names = set(known)
    found: list[str] = []
    words = text.replace(",", " ").split()
    while words:
        # "carbon dioxide" before "carbon"
        for length in (2, 1):
            phrase = " ".join(words[:length])
            named = meant(phrase, names)
            if len(named) == 1 and phrase not in names:
                break
        found.append(named[0] if len(named) == 1 and phrase not in names else phrase)
        del words[:length]
    return found
