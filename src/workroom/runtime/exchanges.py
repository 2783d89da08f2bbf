"""What a running job exchanges with the outside: ids and intents at providers, questions, and waits."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any

from pydantic import BaseModel

from workroom.runtime.form_schema import FormSchema

Call = Callable[[str, dict[str, Any]], Future[Any]]
Schema = type[BaseModel] | dict[str, Any]


class JobExchanges:
    """Each method names a call of the worker, which returns a future. Safe to use from any thread."""

    def __init__(self, call: Call | None) -> None:
        self._call = call
        self._asked: dict[str, int] = {}  # how often, by text

    def set_external(self, provider: str, id: str) -> Future[Any]:
        return self._send("set_external", provider=provider, id=id)

    def intend(self, provider: str, digest: str) -> Future[Any]:
        return self._send("intend", provider=provider, digest=digest)

    def read(self) -> Future[Any]:
        """The external ids and intents on record, of this attempt and of earlier ones."""
        return self._send("read")

    def ask(self, text: str, schema: Schema, timeout: float | None, key: str | None) -> Future[Any]:
        document = schema if isinstance(schema, dict) else _schema_of(schema)
        timeout_ms = None if timeout is None else timeout * 1000
        return self._send(
            "ask", key=key or self._key(text), text=text, schema=document, timeout_ms=timeout_ms
        )

    @asynccontextmanager
    async def waiting(self, code: str, of: str) -> AsyncIterator[None]:
        """The attempt waits meanwhile, and gives up its slot if it can."""
        if self._call is None:
            yield
            return
        await asyncio.wrap_future(self._send("begin_wait", code=code, of=of))
        try:
            yield
        finally:
            await asyncio.wrap_future(self._send("end_wait"))

    def relay(self, name: str, arguments: dict[str, Any]) -> Future[Any]:
        """Pass on a call of the process that runs the code."""
        return self._send(name, **arguments)

    def _key(self, text: str) -> str:
        """The same for the same text in every attempt, and another one each time it is asked in one."""
        self._asked[text] = self._asked.get(text, 0) + 1
        digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
        return f"{digest[:32]}:{self._asked[text]}"

    def _send(self, name: str, **arguments: Any) -> Future[Any]:
        if self._call is None:
            raise RuntimeError(f"job.{name}() needs a server: this job runs without one")
        return self._call(name, arguments)


def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(schema_generator=FormSchema)


def decode_answer(schema: Schema, answer: Any) -> Any:
    """An instance of the model that was given as the schema; else the values as they are."""
    return answer if isinstance(schema, dict) else schema.model_validate(answer)
