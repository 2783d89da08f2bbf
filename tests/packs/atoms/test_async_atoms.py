"""Atoms in asyncio: the same surface as that of a plain room, awaited."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any

import pytest
from ase.build import bulk, molecule

from workroom import AsyncRoom, Room
from workroom.packs.atoms import AsyncAtomsSequence, AtomsSequence, atoms_of
from workroom.testing.processes import ServerProcess

MOLECULES = ("H2O", "CH4", "C6H6")


@pytest.fixture
async def opened(atoms_server: ServerProcess, room: Room) -> AsyncIterator[AsyncRoom]:
    """The same room, in asyncio."""
    async with AsyncRoom(room.name, atoms_server.url, user="ada") as opened:
        yield opened


async def formulas(room: AsyncRoom) -> list[str]:
    return [str(atoms.symbols) async for atoms in atoms_of(room)]


async def test_the_current_step_is_read_and_written_as_atoms(opened: AsyncRoom) -> None:
    with pytest.raises(IndexError, match="the room has no frames"):
        await opened.atoms.get()
    await opened.atoms.set(molecule("H2O"))
    await opened.frames.extend(map(molecule, MOLECULES[1:]))
    await opened.step.set(1)

    assert (await opened.atoms.get()) == molecule("CH4")
    await opened.atoms.set(bulk("Cu"))

    assert await formulas(opened) == ["OH2", "Cu", "C6H6"]


async def test_frames_are_a_sequence_of_atoms(opened: AsyncRoom) -> None:
    found = atoms_of(opened)

    async def later() -> AsyncIterator[Any]:
        yield molecule("C6H6")

    await found.extend(map(molecule, MOLECULES[:2]))
    await found.extend(later())
    assert await found.length() == 3
    assert [str(each.symbols) for each in await found.get(slice(1, None))] == ["CH4", "C6H6"]
    assert [str(each.symbols) for each in await found.get([2, 0])] == ["C6H6", "OH2"]
    assert (await found.get(-1)) == molecule("C6H6")

    await found.append(molecule("N2"))
    await found.insert(0, bulk("Cu"))
    await found.set(1, molecule("NO"))
    await found.delete(2)
    await found.assign(slice(2, None), [molecule("O2")])

    assert await formulas(opened) == ["Cu", "NO", "O2"]


def test_every_way_to_change_a_sequence_has_an_async_form() -> None:
    named = {"__getitem__": "get", "__setitem__": "set", "__delitem__": "delete", "__len__": "length"}
    plain = {named.get(name, name) for name in vars(AtomsSequence) if name in named or name[0] != "_"}

    assert plain <= {name for name, _ in inspect.getmembers(AsyncAtomsSequence)}
