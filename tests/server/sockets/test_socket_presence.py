"""Who is in a room: people whose sockets have joined it."""

from __future__ import annotations

from support.users import Person, the_problem
from workroom.testing.processes import eventually


def present(person: Person, room: str) -> list[str]:
    return [each["user"] for each in person.items(f"/api/rooms/{room}/presence")]


def test_people_are_there_from_join_to_leave(ada: Person, bob: Person, room: str) -> None:
    assert present(ada, room) == []
    first, second = ada.listen(), bob.listen()
    first.call("room:join", {"room": room})
    eventually(lambda: present(ada, room) == [ada.user])
    second.call("room:join", {"room": room})
    eventually(lambda: present(ada, room) == [ada.user, bob.user])

    second.call("room:leave", {"room": room})

    eventually(lambda: present(ada, room) == [ada.user])


def test_somebody_with_two_tabs_leaves_with_the_last_one(ada: Person, bob: Person, room: str) -> None:
    tabs = [bob.listen(), bob.listen()]
    for tab in tabs:
        tab.call("room:join", {"room": room})
    eventually(lambda: present(ada, room) == [bob.user])
    ada.listen(room)
    eventually(lambda: present(ada, room) == [bob.user, ada.user])

    tabs[0].call("room:leave", {"room": room})
    tabs[1].close()

    eventually(lambda: present(ada, room) == [ada.user])


def test_others_are_notified(ada: Person, bob: Person, room: str) -> None:
    socket = ada.listen()
    socket.call("room:join", {"room": room})
    eventually(lambda: present(ada, room) == [ada.user])

    bob.listen(room)

    eventually(lambda: present(ada, room) == [ada.user, bob.user])
    eventually(lambda: {"room": room} in socket.items("presence:changed"))


def test_nobody_learns_who_is_in_a_hidden_room(ada: Person, bob: Person, room: str) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    the_problem(bob.get(f"/api/rooms/{room}/presence"), 404, "room_not_found")


def test_who_loses_the_room_is_not_there_any_more(ada: Person, bob: Person, room: str) -> None:
    bob.listen(room)
    eventually(lambda: present(ada, room) == [bob.user])

    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    eventually(lambda: present(ada, room) == [])
