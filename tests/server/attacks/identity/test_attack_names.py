"""Names that look like other names, names that cannot be seen, and names as people really have them."""

from __future__ import annotations

from itertools import count

import httpx
import pytest

from support.access_scenario import PASSWORD, AccessScenario
from support.users import Person, the_problem

pytestmark = pytest.mark.either_mode

_numbers = count(1)


def come_in(scenario: AccessScenario, name: str) -> httpx.Response:
    return scenario.nobody.post("/api/login", json={"name": name})


def guest(scenario: AccessScenario, name: str) -> dict[str, str]:
    answer = come_in(scenario, name)
    assert answer.status_code == 200, answer.text
    document: dict[str, str] = answer.json()
    return document


def people(person: Person, *ids: str) -> list[dict[str, str | None]]:
    answer = person.get("/api/people", params={"id": list(ids)})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, str | None]] = answer.json()["items"]
    return items


@pytest.mark.parametrize(
    ("name", "user"),
    [
        ("Grace Hopper", "grace-hopper"),
        ("O'Neil", "oneil"),
        ("O’Brien", "obrien"),  # noqa: RUF001
        ("李雷", "lilei"),
        ("Zoë", "zoe"),
        ("J. R. R. Tolkien", "j-r-r-tolkien"),
        ("Łukasz Żółw", "lukasz-zolw"),
        ("Мария Кюри", "mariya-kyuri"),
        ("김철수", "gimcheolsu"),
        ("सीता", "sita"),
        ("山田 Taro", "shantian-taro"),
        ("gpu-box", "gpu-box"),
        ("ada@lab.org", "ada@lab.org"),
    ],
)
def test_people_come_in_under_their_names_and_see_them_as_they_typed_them(
    scenario: AccessScenario, name: str, user: str
) -> None:
    answer = guest(scenario, f"  {name} ")

    assert (answer["user"], answer["display_name"], answer["role"]) == (user, name, "guest")
    me = scenario.bearer(user, answer["token"])
    assert me.get("/api/users/me").json()["display_name"] == name
    assert me.post("/api/token/renew").json()["display_name"] == name
    assert people(scenario.member, user) == [{"id": user, "display_name": name, "role": "guest"}]


def test_a_name_that_is_taken_is_given_with_a_number(scenario: AccessScenario) -> None:
    first, second, third = (guest(scenario, name) for name in ("Ann Lee", "ann lee", "Ann  Lee"))

    assert [each["user"] for each in (first, second, third)] == ["ann-lee", "ann-lee-2", "ann-lee-3"]
    shown = [each["display_name"] for each in (first, second, third)]
    assert shown == ["Ann Lee", "ann lee (2)", "Ann Lee (3)"]


def test_two_names_with_one_id_keep_their_display_names(scenario: AccessScenario) -> None:
    plain, accented = guest(scenario, "Chloe"), guest(scenario, "Chloé")

    assert (plain["user"], plain["display_name"]) == ("chloe", "Chloe")
    assert (accented["user"], accented["display_name"]) == ("chloe-2", "Chloé")


@pytest.mark.parametrize(
    "name",
    [
        "\u0430dmin",  # Cyrillic a
        "\u0391dmin",  # Greek capital alpha
        "\u13aaDMIN",  # Cherokee
        "s\u0435rver",
        "Grace \u041d\u043epper",
        "Ivan Иван",
    ],
)
def test_a_name_of_mixed_scripts_is_refused(scenario: AccessScenario, name: str) -> None:
    problem = the_problem(come_in(scenario, name), 422, "invalid_name")

    assert "one script" in problem["detail"]


@pytest.mark.parametrize(
    "name", ["admin", "ADMIN", "ADMlN", "adm\u0131n", "\u0251dmin", "workr00m", "server", "Public"]
)
def test_nobody_is_confusable_with_the_admin_or_the_server(scenario: AccessScenario, name: str) -> None:
    the_problem(come_in(scenario, name), 409, "name_taken")


@pytest.mark.parametrize(
    "name",
    [
        "ad\u200bmin",  # zero width space
        "\u202enimda",  # right-to-left override
        "ada\u2066",
        "ada\u00ad",  # soft hyphen
        "\ufeffada",
        "ada\u3164",  # Hangul filler, a letter that nobody sees
        "ada\ufe0f",
        "ada\u2800",
        "ada\n",
        "ada\nbob",
        "ada\x00",
        "\u0301",
        "\u0301ada",
        "a\u0301\u0302\u0303\u0304\u0305",
        "...",
        " ",
        "a/b",
        "<b>",
        "🚀",
    ],
)
def test_a_name_with_something_that_cannot_be_seen_is_refused(scenario: AccessScenario, name: str) -> None:
    the_problem(come_in(scenario, name), 422, "invalid_name")


def test_joiners_that_some_scripts_need_make_no_other_name(scenario: AccessScenario) -> None:
    the_problem(come_in(scenario, "ad\u200dmin"), 409, "name_taken")


def test_a_name_has_at_most_64_characters(scenario: AccessScenario) -> None:
    assert guest(scenario, "é" * 64)["display_name"] == "é" * 64
    assert guest(scenario, "e\u0308" * 64)["display_name"] == "ë" * 64  # as they are seen
    problem = the_problem(come_in(scenario, "é" * 65), 422, "invalid_name")
    assert "64" in problem["detail"]


def test_a_confusable_name_in_another_script_is_refused(scenario: AccessScenario) -> None:
    guest(scenario, "copa")
    problem = the_problem(come_in(scenario, "сора"), 409, "name_taken")  # noqa: RUF001 - Cyrillic

    assert "resembles" in problem["detail"]


def test_the_first_who_has_a_look_keeps_it_whatever_the_script(scenario: AccessScenario) -> None:
    guest(scenario, "хер")  # noqa: RUF001 - Cyrillic

    the_problem(come_in(scenario, "xep"), 409, "name_taken")


def test_an_admin_cannot_add_a_user_with_a_confusable_name(scenario: AccessScenario) -> None:
    guest(scenario, "Pepe Copa")
    body = {"name": "pepe", "display_name": "Рере Сора", "password": PASSWORD}  # noqa: RUF001 - Cyrillic

    the_problem(scenario.admin.post("/api/users", json=body), 409, "name_taken")
    answer = scenario.admin.post("/api/users", json={**body, "display_name": "Pepe"})
    assert answer.status_code == 201
    assert (answer.json()["name"], answer.json()["display_name"]) == ("pepe", "Pepe")


def rename(person: Person, name: str) -> httpx.Response:
    return person.request("PATCH", "/api/users/me", json={"display_name": name})


def test_a_person_changes_the_own_display_name_and_keeps_the_id(scenario: AccessScenario) -> None:
    somebody = scenario.person("renamer")
    socket = somebody.listen()
    name = f"Renée O'Hara {next(_numbers)}"

    assert rename(somebody, name).json()["display_name"] == name
    assert somebody.get("/api/users/me").json()["user"] == somebody.user
    assert people(scenario.member, somebody.user)[0]["display_name"] == name
    assert rename(somebody, name.upper()).status_code == 200  # it is theirs
    socket.flush()


def test_nobody_takes_the_display_name_of_another(scenario: AccessScenario) -> None:
    somebody, other = scenario.person("taker"), guest(scenario, "Taken Name")

    the_problem(rename(somebody, "taken name"), 409, "name_taken")
    the_problem(rename(somebody, other["user"]), 409, "name_taken")
    the_problem(rename(somebody, "Admin"), 409, "name_taken")
    the_problem(rename(somebody, "\u0430dmin"), 422, "invalid_name")
    the_problem(rename(scenario.job, "A Job"), 403, "forbidden")


def test_who_has_a_display_name_logs_in_and_is_added_by_it(scenario: AccessScenario) -> None:
    body = {"name": "mary", "display_name": "Mary Shelley", "password": PASSWORD}
    assert scenario.admin.post("/api/users", json=body).status_code == 201
    answers = [
        scenario.nobody.post("/api/login", json={"name": name, "password": PASSWORD}).json()
        for name in ("mary", "Mary Shelley", "mary shelley", "MARY")
    ]
    assert {(each["user"], each["display_name"]) for each in answers} == {("mary", "Mary Shelley")}

    room = scenario.fresh_room()
    members = f"/api/rooms/{room}/members"
    assert scenario.owner.post(members, json={"user": "Mary Shelley"}).status_code == 201
    assert "mary" in scenario.owner.get(members).json()["items"]
    the_problem(scenario.owner.post(members, json={"user": "Mary Nobody"}), 404, "account_not_found")


def test_an_unknown_id_reveals_nothing_and_ids_are_bounded(scenario: AccessScenario) -> None:
    seen = people(scenario.guest, "not-there", scenario.member.user, "admin", "workroom:server", "not-there")

    assert [each["id"] for each in seen] == ["not-there", scenario.member.user, "admin", "workroom:server"]
    assert [each["role"] for each in seen] == [None, "guest", "admin", "runner"]
    assert seen[0]["display_name"] is None
    assert len(people(scenario.guest, *(f"id-{number}" for number in range(100)))) == 100
    too_many = {"id": [f"id-{number}" for number in range(101)]}
    the_problem(scenario.guest.get("/api/people", params=too_many), 422, "invalid_request")
    the_problem(scenario.guest.get("/api/people"), 422, "invalid_request")
    the_problem(scenario.nobody.get("/api/people", params={"id": "ada"}), 401, "unauthenticated")


@pytest.mark.parametrize("word", ["r\u043eom", "room\u200b", "\u202eroom", "\u0440\u043e\u043e\u043c"])
def test_names_of_rooms_and_extensions_are_ascii(scenario: AccessScenario, word: str) -> None:
    assert scenario.owner.post("/api/rooms", json={"name": word}).status_code == 422
    for field in ("category", "name"):
        offer = {"category": "analysis", "name": "Echo", "schema": {"type": "object"}, "room": scenario.open}
        assert scenario.owner.register({**offer, field: word}).status_code == 422
