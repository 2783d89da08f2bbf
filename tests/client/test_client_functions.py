"""Plain functions become extensions."""

from __future__ import annotations

from typing import Any

import pytest

from support.sync_rooms import Enter
from workroom import AsyncRoom, Extension, JobContext, Room
from workroom.errors import Forbidden, InvalidData
from workroom.testing.processes import ServerProcess


def add(a: int, b: int = 2) -> int:
    """Adds two numbers."""
    return a + b


async def add_later(a: int, b: int = 2) -> int:
    return a + b


def where(room: Room, times: int = 1) -> str:
    return room.name * times


async def where_later(room: AsyncRoom, times: int = 1) -> str:
    return f"{type(room).__name__} {room.name}" * times


def which(job: JobContext) -> str:
    return job.id


async def which_later(a: int, job: JobContext) -> list[object]:
    job.progress(1.0)
    return [a, job.id]


def both(job: JobContext, room: Room, text: str = "x") -> list[str]:
    return [job.room, room.name, text]


def untyped(a, b=3):  # type: ignore[no-untyped-def]
    return [a, b]


def test_a_function_is_an_extension_at_once(enter: Enter) -> None:
    room = enter("worker")

    made = room.extension(add)

    assert issubclass(made, Extension)
    assert (made.category, made.extension_name) == ("analysis", "add")
    (shown,) = [each for each in room.extensions() if each["scope"] == "room"]
    assert shown["schema"]["description"] == "Adds two numbers."
    assert shown["schema"]["required"] == ["a"]
    assert room.submit(made(a=40)).result(timeout=10) == 42


def test_a_function_can_be_decorated_with_options(enter: Enter) -> None:
    room = enter("worker")

    @room.extension(category="modifiers", name="Sum", priority=3)  # type: ignore[untyped-decorator]
    def total(a: int) -> int:
        return a + 1

    (shown,) = [each for each in room.extensions() if each["scope"] == "room"]
    assert (shown["category"], shown["name"], shown["policy"]["priority"]) == ("modifiers", "Sum", 3)
    assert room.submit(total(a=1)).result(timeout=10) == 2


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        (add, {"a": 1}, 3),
        (add_later, {"a": 1, "b": 5}, 6),
        (where, {"times": 2}, "{room}{room}"),
        (where_later, {}, "AsyncRoom {room}"),
        (which, {}, "{job}"),
        (which_later, {"a": 1}, [1, "{job}"]),
        (both, {"text": "y"}, ["{room}", "{room}", "y"]),
        (untyped, {"a": [1]}, [[1], 3]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_function_gets_its_values_and_the_parameters_it_names(
    enter: Enter, name: str, function: Any, values: dict[str, Any], expected: Any
) -> None:
    room = enter("worker")
    room.extension(function)

    job = room.submit_named("analysis", function.__name__, values)

    def told(value: Any) -> Any:
        if isinstance(value, list):
            return [told(each) for each in value]
        return value.format(room=name, job=job.id) if isinstance(value, str) else value

    assert job.result(timeout=10) == told(expected)


def test_what_is_injected_is_no_part_of_the_form(enter: Enter) -> None:
    room = enter("worker")

    made = room.extension(both)

    assert made.model_json_schema()["properties"].keys() == {"text"}


def test_a_value_of_the_wrong_type_is_refused_by_the_server(enter: Enter) -> None:
    room = enter("worker")
    room.extension(add)

    with pytest.raises(InvalidData, match="/a"):
        room.submit_named("analysis", "add", {"a": "many"})


async def test_an_asyncio_room_serves_decorated_functions_too(server: ServerProcess, name: str) -> None:
    async with AsyncRoom(name, server.url, user="worker") as room:
        later = room.extension(add_later)

        @room.extension(category="modifiers", slots=1)  # type: ignore[untyped-decorator]
        def double(a: int) -> int:
            return 2 * a

        assert await (await room.submit(later(a=40))).result(timeout=10) == 42
        assert await (await room.submit(double(a=21))).result(timeout=10) == 42
        (worker,) = await room.workers()
        assert [each["name"] for each in worker["extensions"]] == ["add_later", "double"]


async def test_the_next_call_of_an_asyncio_room_raises_for_a_function_it_could_not_register(
    server: ServerProcess, name: str
) -> None:
    async with AsyncRoom(name, server.url, user="worker") as room:
        room.extension(public=True)(add_later)

        with pytest.raises(Forbidden):
            await room.jobs()

        assert await room.jobs() == []


async def test_leaving_an_asyncio_room_raises_for_a_function_that_was_not_registered(
    server: ServerProcess, name: str
) -> None:
    room = AsyncRoom(name, server.url, user="worker")
    room.extension(public=True)(add_later)

    with pytest.raises(Forbidden):
        await room.aclose()
