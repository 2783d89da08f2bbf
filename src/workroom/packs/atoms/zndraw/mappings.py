"""The mappings of a ZnDraw: figures, geometries, and selections by geometry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

import orjson

PARTICLES = "particles"
_SELECTIONS = "selections"


class Figures(MutableMapping[str, Any]):
    """Plotly figures by name; plain dicts where Plotly is not installed."""

    def __init__(self, room: Any) -> None:
        self._room = room

    def __getitem__(self, name: str) -> Any:
        found = self._room.figures[name]
        try:
            from plotly.graph_objects import Figure
        except ModuleNotFoundError:
            return found
        return Figure(found)

    def __setitem__(self, name: str, figure: Any) -> None:
        self._room.figures[name] = orjson.loads(figure.to_json()) if hasattr(figure, "to_json") else figure

    def __delitem__(self, name: str) -> None:
        del self._room.figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._room.figures)

    def __len__(self) -> int:
        return len(self._room.figures)


class Geometries(MutableMapping[str, Any]):
    """Geometries by name, as dicts; models are stored by their fields and the name of their class."""

    def __init__(self, room: Any) -> None:
        self._room = room

    def __getitem__(self, name: str) -> Any:
        return self._room.geometries[name]

    def __setitem__(self, name: str, geometry: Any) -> None:
        if hasattr(geometry, "model_dump"):
            geometry = {"type": type(geometry).__name__, "data": geometry.model_dump(mode="json")}
        self._room.geometries[name] = geometry

    def __delitem__(self, name: str) -> None:
        del self._room.geometries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._room.geometries)

    def __len__(self) -> int:
        return len(self._room.geometries)


class Selections(MutableMapping[str, tuple[int, ...]]):
    """Selected indices by geometry; those of `particles` are the room's selection."""

    def __init__(self, room: Any) -> None:
        self._room = room

    def __getitem__(self, geometry: str) -> tuple[int, ...]:
        return tuple(self._all().get(geometry, ()))

    def __setitem__(self, geometry: str, indices: Iterable[int]) -> None:
        chosen = _checked(indices)
        if geometry == PARTICLES:
            self._room.selection = chosen
        else:
            self._room.state.modify(_SELECTIONS, lambda found: {**(found or {}), geometry: chosen})

    def __delitem__(self, geometry: str) -> None:
        self[geometry] = ()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, list[int]]:
        others: dict[str, list[int]] = self._room.state.get(_SELECTIONS, {})
        return {PARTICLES: self._room.selection or [], **others}


def _checked(indices: Iterable[int]) -> list[int]:
    if isinstance(indices, str | bytes) or not isinstance(indices, Iterable):
        raise ValueError("a selection is an iterable of integers")
    found = [int(each) for each in indices]
    if any(each < 0 for each in found):
        raise ValueError("a selection has no negative indices")
    return found
