"""Data frames and series of pandas and polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workroom.runtime.results.arrays import floats
from workroom.runtime.results.envelopes import table_envelope

if TYPE_CHECKING:
    from workroom.runtime.results.encoding import Encoder


def pandas_frame(value: Any, encoder: Encoder) -> Any:
    """An index with names or labels of its own becomes the first columns."""
    frame = value if _is_counting(value.index) else value.reset_index(names=_index_names(value.index))
    names = _unique([_column_name(each) for each in frame.columns])
    columns = (frame.iloc[:, number] for number in range(len(names)))
    return table_envelope(
        {name: _pandas_column(column, encoder) for name, column in zip(names, columns, strict=True)}
    )


def pandas_series(value: Any, encoder: Encoder) -> Any:
    """A list, or a table if the index has labels."""
    if _is_counting(value.index):
        return _pandas_column(value, encoder)
    return pandas_frame(value.to_frame(name="value" if value.name is None else value.name), encoder)


def pandas_index(value: Any, encoder: Encoder) -> Any:
    return encoder.encode_list(value.tolist())


def _pandas_column(column: Any, encoder: Encoder) -> Any:
    if str(column.dtype).startswith("float"):
        return floats(column.to_numpy())
    missing = column.isna().tolist()
    items = column.tolist()
    return encoder.encode_list(
        [None if is_missing else each for each, is_missing in zip(items, missing, strict=True)]
    )


def _is_counting(index: Any) -> bool:
    """Whether the index only counts the rows: 0, 1, 2 …"""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _index_names(index: Any) -> list[str]:
    names = list(index.names)
    fallback = ["index"] if len(names) == 1 else [f"level_{number}" for number in range(len(names))]
    return [other if name is None else str(name) for name, other in zip(names, fallback, strict=True)]


def _column_name(name: Any) -> str:
    return " ".join(map(str, name)).strip() if isinstance(name, tuple) else str(name)


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def polars_frame(value: Any, encoder: Encoder) -> Any:
    return table_envelope({column.name: polars_series(column, encoder) for column in value.get_columns()})


def polars_lazy(value: Any, encoder: Encoder) -> Any:
    return polars_frame(value.collect(), encoder)


def polars_series(value: Any, encoder: Encoder) -> Any:
    return encoder.encode_list(value.to_list())
