"""ASE Atoms as frames and back, equal to the last bit. Colours, radii and bonds are derived, never stored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from workroom.packs.atoms.plain_values import from_json, is_plain, to_json

if TYPE_CHECKING:
    from ase import Atoms

Frame = dict[str, Any]
_OWN = ("numbers", "positions")
_MAX_KEY = 128
_MAX_JSON = 60_000  # bytes; a frame holds small JSON only
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def to_frame(atoms: Atoms) -> Frame:
    """The frame of a structure, with its arrays, info, constraints and the results of its calculator."""
    frame: Frame = {
        "numbers": atoms.arrays["numbers"],
        "positions": atoms.arrays["positions"],
        "cell": np.array(atoms.cell),
        "pbc": np.array(atoms.pbc),
    }
    if np.any(atoms.get_celldisp()):
        frame["celldisp"] = np.array(atoms.get_celldisp())
    for name, array in atoms.arrays.items():
        if name not in _OWN:
            frame[f"arrays.{name}"] = _array(array, f"arrays['{name}']")
    frame.update(_from_info(atoms.info))
    frame.update(_from_calculator(atoms))
    frame.update(_from_constraints(atoms.constraints))
    return frame


def to_atoms(frame: Mapping[str, Any]) -> Atoms:
    """The structure of a frame. Raises ValueError if it has no `numbers` and `positions`."""
    try:
        from ase import Atoms
    except ModuleNotFoundError as error:
        raise ImportError("atoms need ASE: pip install 'workroom[atoms]'") from error
    if "numbers" not in frame or "positions" not in frame:
        raise ValueError("this frame has no atoms: it needs the keys 'numbers' and 'positions'")
    atoms = Atoms(
        numbers=frame["numbers"],
        positions=frame["positions"],
        cell=frame.get("cell"),
        pbc=frame.get("pbc"),
        celldisp=frame.get("celldisp"),
    )
    for name, array in _named(frame, "arrays."):
        atoms.arrays[name] = np.array(array)
    atoms.info = _info(frame)
    atoms.constraints = list(_constraints(frame))
    _restore_calculator(atoms, frame)
    return atoms


def has_atoms(frame: Mapping[str, Any]) -> bool:
    return "numbers" in frame and "positions" in frame


def _named(frame: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    return ((key.removeprefix(prefix), value) for key, value in frame.items() if key.startswith(prefix))


def _array(array: np.ndarray[Any, Any], where: str) -> np.ndarray[Any, Any]:
    if array.dtype.hasobject:
        raise TypeError(f"{where} is an array of objects, which a frame cannot hold")
    return array


def _value(value: Any, where: str) -> Any:
    """Arrays and scalars as they are, other NumPy scalars as arrays without dimensions, the rest as JSON."""
    if isinstance(value, np.ndarray):
        return _array(value, where)
    if is_plain(value):
        return value
    if isinstance(value, np.generic) and not value.dtype.hasobject and value.dtype.kind in "biufcU":
        return np.asarray(value)
    return to_json(value, where)


def _restored(value: Any) -> Any:
    """Arrays are copied: those of a frame may be read-only."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.ndim else value[()]
    return from_json(value)


def _from_info(info: Mapping[Any, Any]) -> Frame:
    """Names that are no key of a frame go into one JSON object, `info`."""
    found, others = {}, {}
    for name, value in info.items():
        if _is_key(name):
            found[f"info.{name}"] = _value(value, f"info['{name}']")
        else:
            others[name] = value
    return found | ({"info": to_json(others, "info")} if others else {})


def _is_key(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= _MAX_KEY - len("info.") and not _CONTROL.search(name)


def _info(frame: Mapping[str, Any]) -> dict[Any, Any]:
    named = {name: _restored(value) for name, value in _named(frame, "info.")}
    return {**named, **from_json(frame.get("info", {}))}


def _from_calculator(atoms: Atoms) -> Frame:
    """The results that belong to these positions; a calculator that has none computes nothing."""
    results = getattr(atoms.calc, "results", None)
    if not results or atoms.calc.check_state(atoms):
        return {}
    found = {
        f"calc.{name}": _value(value, f"the result '{name}'")
        for name, value in results.items()
        if value is not None
    }
    name = getattr(atoms.calc, "name", None)
    return found | ({"calculator": str(name)} if name and name != "unknown" else {})


def _restore_calculator(atoms: Atoms, frame: Mapping[str, Any]) -> None:
    results = {name: _restored(value) for name, value in _named(frame, "calc.")}
    if not results:
        return
    from ase.calculators.singlepoint import SinglePointCalculator

    atoms.calc = SinglePointCalculator(atoms)
    atoms.calc.results.update(results)
    if "calculator" in frame:
        atoms.calc.name = frame["calculator"]


def _from_constraints(constraints: list[Any]) -> Frame:
    """As JSON. Where that is long, lists of numbers become arrays of their own, `constraints.NUMBER.NAME`."""
    if not constraints:
        return {}
    found = [to_json(_described(each), "constraints") for each in constraints]
    if len(orjson.dumps(found)) <= _MAX_JSON:
        return {"constraints": found}
    arrays: Frame = {}
    for number, constraint in enumerate(found):
        for name, value in list(constraint["kwargs"].items()):
            array = _as_array(value)
            if array is not None:
                del constraint["kwargs"][name]
                arrays[f"constraints.{number}.{name}"] = array
    return {"constraints": found, **arrays}


def _as_array(value: Any) -> np.ndarray[Any, Any] | None:
    """A list of numbers, or of such lists, if the array returns the same list."""
    if not isinstance(value, list) or not value:
        return None
    try:
        array = np.array(value)
    except ValueError:  # of several lengths
        return None
    is_same = array.dtype.kind in "bif" and orjson.dumps(array.tolist()) == orjson.dumps(value)
    return array if is_same else None


def _described(constraint: Any) -> dict[str, Any]:
    if not hasattr(constraint, "todict"):
        raise TypeError(f"a frame cannot hold the constraint {type(constraint).__name__}: it has no todict()")
    return dict(constraint.todict())


def _constraints(frame: Mapping[str, Any]) -> Iterator[Any]:
    found = from_json(frame.get("constraints") or [])
    if not found:
        return
    from ase.constraints import dict2constraint

    for number, described in enumerate(found):
        arrays = {name: array.tolist() for name, array in _named(frame, f"constraints.{number}.")}
        yield dict2constraint({**described, "kwargs": described["kwargs"] | arrays})
