"""The elements, for forms that must not wait for ASE."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

_ROWS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu
Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr
Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
SYMBOLS = tuple(_ROWS.split())
_NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS, start=1)}


def _known(symbol: str) -> str:
    if symbol not in _NUMBERS:
        raise ValueError(f"'{symbol}' is not the symbol of an element, like H or Cu")
    return symbol


Element = Annotated[str, Field(json_schema_extra={"enum": list(SYMBOLS)}), AfterValidator(_known)]


def number_of(symbol: str) -> int:
    return _NUMBERS[symbol]
