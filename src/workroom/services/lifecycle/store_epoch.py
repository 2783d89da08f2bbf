"""Remembers which store the server worked on, so that an emptied or exchanged one is noticed."""

from __future__ import annotations

from pathlib import Path

from workroom.errors import StartRefused

FILE = "store.epoch"  # in the data directory: the epoch of the store and its URL


class StoreEpoch:
    """Another URL is another store, which may have any epoch."""

    def __init__(self, data_dir: Path, url: str) -> None:
        self.path = data_dir / FILE
        self._url = _without_password(url)

    @property
    def expected(self) -> str | None:
        """The epoch that the store must have, or None if it was not used before."""
        try:
            epoch, _, url = self.path.read_text().strip().partition(" ")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StartRefused(f"cannot read {self.path}: {error}. Make it readable, or delete it") from error
        return epoch if epoch and url == self._url else None

    def remember(self, epoch: str) -> None:
        if epoch != self.expected:
            written = self.path.with_suffix(".new")
            written.write_text(f"{epoch} {self._url}\n")
            written.replace(self.path)

    @property
    def explanation(self) -> str:
        return (
            f"{self._url} is not the store that this server worked on before: it was emptied or exchanged."
            f" Restore it; or, to begin anew with what is there now, delete {self.path}"
        )


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
