"""The router and route class of all routes: JSON by orjson, and strict query parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from difflib import get_close_matches
from typing import Any, get_origin
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from workroom.domain.schema.json_parts import check_parts
from workroom.errors import InvalidRequest, WorkroomError
from workroom.services.json_codec import decode

_SYNONYMS = {"roomId": "room"}
_MAX_SHOWN = 100
_MAX_FAULTS = 20


class Router(APIRouter):
    """Operation ids are the names of the functions."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            route_class=JsonRoute, generate_unique_id_function=lambda route: route.name, **options
        )


class JsonRoute(APIRoute):
    """Parses bodies with orjson, which refuses NaN and deep nesting.

    Unknown query parameters are refused, except by routes outside the schema, which serve the page.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = _query_names(self.dependant)
        is_strict = self.include_in_schema

        async def handle_with_orjson(request: Request) -> Response:
            scope = request.scope
            if is_strict and scope["query_string"]:
                scope = {**scope, "query_string": _known_query(scope["query_string"], known)}
            try:
                return await handle(OrjsonRequest(scope, request.receive))
            except HTTPException as error:  # FastAPI wraps errors raised while parsing the body
                if isinstance(error.__cause__, WorkroomError):
                    raise error.__cause__ from None
                raise

        return handle_with_orjson


class OrjsonRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        check_parts(body, self.app.state.services.settings.max_json_parts)
        return decode(body)


def _query_names(dependant: Dependant) -> dict[str, bool]:
    """The query parameters of a route and its dependencies, and whether each may be repeated."""
    own = {field.alias: get_origin(field.field_info.annotation) is list for field in dependant.query_params}
    return own | {name: many for each in dependant.dependencies for name, many in _query_names(each).items()}


def _known_query(query: bytes, known: dict[str, bool]) -> bytes:
    """The query with synonyms replaced; refuses unknown names, and repeated ones except for lists."""
    pairs = [
        (_SYNONYMS.get(name, name) if _SYNONYMS.get(name) in known else name, value)
        for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    ]
    counts = Counter(name for name, _ in pairs)
    faults = [_unknown(name, known) for name in counts if name not in known]
    faults += [
        {"path": f"/query/{name}", "message": "is given more than once"}
        for name, times in counts.items()
        if times > 1 and not known.get(name, True)
    ]
    if faults:
        raise _refusal(faults)
    return urlencode(pairs).encode() if any(name.encode() in query for name in _SYNONYMS) else query


def _unknown(name: str, known: Iterable[str]) -> dict[str, str]:
    near = get_close_matches(name[:_MAX_SHOWN], known, 1)
    hint = f": did you mean '{near[0]}'?" if near else ""
    return {"path": f"/query/{name[:_MAX_SHOWN]}", "message": f"is not a parameter of this route{hint}"}


def _refusal(faults: list[dict[str, str]]) -> InvalidRequest:
    where = "; ".join(f"{fault['path']}: {fault['message']}" for fault in faults[:3])
    return InvalidRequest(
        f"the request does not have the expected form: {where}", errors=faults[:_MAX_FAULTS]
    )
