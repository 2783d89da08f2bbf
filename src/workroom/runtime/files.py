"""Extension fields that hold a file of the room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

FETCH = "workroom_fetch"  # the key of the download function in the validation context
FORMAT = "workroom-file"


class File:
    """A file of the room, as a field of an extension::

        class Count(Extension):
            trajectory: File

            def run(self):
                with self.trajectory.open() as file: ...

    Its value is what `room.upload(...)` returned, or the id of a file.
    """

    def __init__(self, file_id: str, fetch: Callable[[str], Path] | None = None) -> None:
        self.id = file_id
        self._fetch = fetch

    def path(self) -> Path:
        """The path of a local copy, downloaded on first use and deleted when the job ends."""
        if self._fetch is None:
            raise RuntimeError("a file can be opened only inside run(); elsewhere use room.download(...)")
        return self._fetch(self.id)

    def open(self) -> IO[bytes]:
        return self.path().open("rb")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"File({self.id!r})"

    @classmethod
    def _validated(cls, value: Any, info: core_schema.ValidationInfo) -> File:
        if not isinstance(value, str | File):
            raise ValueError("expected a file of the room: what room.upload(...) returned, or its id")
        fetch = cast(dict[str, Any], info.context or {}).get(FETCH)
        if isinstance(value, File):
            return value
        return File(value, fetch)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda file: file.id, return_schema=core_schema.str_schema()
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "format": FORMAT}


class FileRef(File):
    """An uploaded file. `document` is the server's description of it."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(str(document["id"]))
        self.document = document

    @property
    def name(self) -> str:
        return str(self.document["name"])

    @property
    def size(self) -> int:
        return int(self.document["size"])
