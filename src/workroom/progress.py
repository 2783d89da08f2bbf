"""A drop-in replacement for tqdm that reports a job's progress: `from workroom.progress import tqdm`.

Outside of jobs it is the real tqdm if that is installed; otherwise it shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from workroom.runtime.context import current_job

try:
    from tqdm import tqdm as _real
except ModuleNotFoundError:
    _real = None

T = TypeVar("T")

__all__ = ["tqdm", "trange"]


class tqdm(Generic[T]):  # noqa: N801 - the name that it replaces
    """Accepts all arguments of tqdm, and ignores those about the look of the bar."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        if _real is not None and current_job() is None:
            return _real(*args, **options)
        return super().__new__(cls)

    def __init__(
        self,
        iterable: Iterable[T] | None = None,
        desc: str | None = None,
        total: float | None = None,
        *_: Any,
        initial: float = 0,
        disable: bool | None = False,
        **__: Any,
    ) -> None:
        self.iterable = iterable
        self.desc = desc or ""
        self.total = len(iterable) if total is None and isinstance(iterable, Sized) else total
        self.n = initial
        self.disable = bool(disable)
        self._postfix = ""
        self._job = None if disable else current_job()

    def __iter__(self) -> Iterator[T]:
        assert self.iterable is not None, "tqdm has no iterable"
        if self._job is None:
            yield from self.iterable
            return
        check, refresh = self._job.check, self.refresh  # locals: this loop is hot
        for item in self.iterable:
            check()
            yield item
            self.n += 1
            refresh()
        refresh()

    def __len__(self) -> int:
        return int(self.total or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def update(self, n: float | None = 1) -> None:
        self.n += 1 if n is None else n
        self.refresh()

    def refresh(self, *_: Any, **__: Any) -> None:
        if self._job is not None:
            fraction = self.n / self.total if self.total else None
            self._job.progress(fraction, self.desc + self._postfix, current=self.n, total=self.total)

    def reset(self, total: float | None = None) -> None:
        self.n = 0
        self.total = self.total if total is None else total
        self.refresh()

    def set_description(self, desc: str | None = None, refresh: bool = True) -> None:
        self.desc = desc or ""
        if refresh:
            self.refresh()

    set_description_str = set_description

    def set_postfix(
        self, ordered_dict: dict[str, object] | None = None, refresh: bool = True, **values: object
    ) -> None:
        shown = ", ".join(f"{name}={value}" for name, value in {**(ordered_dict or {}), **values}.items())
        self.set_postfix_str(shown, refresh)

    def set_postfix_str(self, text: str = "", refresh: bool = True) -> None:
        self._postfix = f" {text}" if text else ""
        if refresh:
            self.refresh()

    def close(self) -> None:
        self.refresh()

    def clear(self, *_: Any, **__: Any) -> None: ...

    @classmethod
    def write(cls, text: str, file: Any = None, end: str = "\n", **_: Any) -> None:
        print(text, file=file, end=end)


def trange(*limits: int, **options: Any) -> tqdm[int]:
    return tqdm(range(*limits), **options)
