"""The history of a room: annotate, search, act on many, export."""

from __future__ import annotations

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.users import Document, Person, extension, the_problem

pytestmark = pytest.mark.either_mode


def annotate(person: Person, job: Document, **change: Any) -> Document:
    answer = person.request("PATCH", f"/api/jobs/{job['id']}", json=change)
    assert answer.status_code == 200, answer.text
    annotation: Document = answer.json()["annotation"]
    return annotation


def found(person: Person, room: str, q: str, **params: Any) -> list[str]:
    answer = person.get(f"/api/rooms/{room}/jobs", params={"q": q, **params})
    assert answer.status_code == 200, answer.text
    return [job["id"] for job in answer.json()["items"]]


def act(person: Person, room: str, action: str, *jobs: str, **fields: Any) -> list[Document]:
    body = {"action": action, "jobs": list(jobs), **fields}
    answer = person.post(f"/api/rooms/{room}/jobs/actions", json=body)
    assert answer.status_code == 200, answer.text
    items: list[Document] = answer.json()["items"]
    return items


def table(person: Person, room: str, **params: Any) -> list[Document]:
    answer = person.get(f"/api/rooms/{room}/jobs.csv", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


class TestAnnotating:
    def test_everybody_in_the_room_sees_what_somebody_wrote(
        self, ada: Person, bob: Person, room: str
    ) -> None:
        ada.register(extension(room))
        job = ada.order(room)
        listener = ada.listen(room)
        assert job["annotation"] is None
        written = annotate(bob, job, name="Copper", starred=True, tags=["paper", " two  words "], note="odd")

        assert {**written, "at": ""} == {
            "name": "Copper",
            "starred": True,
            "tags": ["paper", "two words"],
            "note": "odd",
            "version": 1,
            "by": bob.user,
            "at": "",
        }
        assert listener.expect("job:annotated") == {"job_id": job["id"], "room": room, "annotation": written}
        assert ada.job(job["id"])["annotation"] == written
        (listed,) = ada.items(f"/api/rooms/{room}/jobs")
        assert listed["annotation"] == written
        assert listed["version"] == job["version"]

    def test_a_change_leaves_out_what_stays_and_empties_what_goes(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        job = ada.order(room)
        annotate(ada, job, name="Copper", note="odd")
        assert annotate(ada, job, starred=True)["name"] == "Copper"

        listener = ada.listen(room)
        assert annotate(ada, job, name="", note="", starred=False) is None
        assert listener.expect("job:annotated")["annotation"] is None
        assert annotate(ada, job, tags=["a"])["version"] == 4

    def test_changes_at_the_same_moment_are_all_kept(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        jobs = [ada.order(room)["id"] for _ in range(2)]
        tags = [f"tag {number}" for number in range(12)]
        with ThreadPoolExecutor(len(tags)) as pool:
            results = list(pool.map(lambda tag: act(ada, room, "tag", *jobs, tags=[tag]), tags))

        assert all("job" in entry for entries in results for entry in entries)
        for job in jobs:
            assert sorted(ada.job(job)["annotation"]["tags"]) == sorted(tags)

    @pytest.mark.parametrize(
        "change",
        [
            {"name": "x" * 101},
            {"tags": ["x"] * 21},
            {"tags": ["x" * 41]},
            {"tags": [""]},
            {"note": "x" * 4001},
            {"starred": 1},
            {"colour": "red"},
        ],
    )
    def test_what_is_too_large_or_unknown_is_refused(self, ada: Person, room: str, change: Document) -> None:
        ada.register(extension(room))
        job = ada.order(room)
        answer = ada.request("PATCH", f"/api/jobs/{job['id']}", json=change)
        the_problem(answer, 422, "invalid_request")
        assert ada.job(job["id"])["annotation"] is None


class TestSearching:
    def test_a_room_s_history_is_searched_by_what_one_types(self, ada: Person, room: str) -> None:
        worker = ada.work(extension(room), extension(room, "Relax"))
        narrow = ada.order(room, data={"window": 3, "calculator": "EMT"})
        worker.run(worker.take())
        wide = ada.order(room, "Relax", data={"window": 9})
        worker.run(worker.take())
        annotate(ada, wide, starred=True, tags=["paper"])

        assert found(ada, room, "window>5") == [wide["id"]]
        assert found(ada, room, "calculator=emt") == [narrow["id"]]
        assert found(ada, room, f"user:{ada.user} since:today state:completed") == [wide["id"], narrow["id"]]
        assert found(ada, room, "user:me starred tag:paper relax") == [wide["id"]]
        assert found(ada, room, "-starred") == [narrow["id"]]
        assert found(ada, room, "window>1", extension="analysis/Relax") == [wide["id"]]
        assert found(ada, room, "window>1", status="failed") == []
        assert found(ada, room, "window>1", user="nobody") == []
        assert found(ada, room, "  ") == [wide["id"], narrow["id"]]

    def test_pages_go_on_by_their_cursor(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        jobs = [ada.order(room, data={"window": number})["id"] for number in range(5)]
        path = f"/api/rooms/{room}/jobs"
        first = ada.get(path, params={"q": "window>=1", "limit": 3}).json()
        rest = ada.get(path, params={"q": "window>=1", "limit": 3, "cursor": first["next_cursor"]}).json()

        assert [job["id"] for job in first["items"] + rest["items"]] == jobs[:0:-1]
        assert (first["examined"], rest["examined"], rest["next_cursor"]) == (3, 2, None)
        assert [job["queue_position"] for job in first["items"]] == [4, 3, 2]

    def test_a_query_that_cannot_be_understood_gets_a_plain_sentence(self, ada: Person, room: str) -> None:
        answer = ada.get(f"/api/rooms/{room}/jobs", params={"q": "since:soon"})
        assert the_problem(answer, 422, "invalid_request")["detail"].startswith("'soon' is not a date")
        too_long = ada.get(f"/api/rooms/{room}/jobs", params={"q": "x" * 501})
        the_problem(too_long, 422, "invalid_request")

    def test_secret_values_and_stack_traces_are_not_found(self, ada: Person, bob: Person, room: str) -> None:
        schema = {
            "type": "object",
            "properties": {"key": {"type": "string", "format": "password", "writeOnly": True}},
        }
        worker = ada.work({**extension(room), "schema": schema})
        ada.order(room, data={"key": "swordfish"})
        item = worker.take()
        worker.start(item)
        error = {
            "type": "ValueError",
            "message": "no frames",
            "details": {"a": "deep"},
            "stack_trace": "line 7",
        }
        worker.finish(item, "failed", error=error)

        assert found(bob, room, "frames") == [item["job_id"]]
        for hidden in ("swordfish", "key=swordfish", '"line 7"', "deep"):
            assert found(bob, room, hidden) == []


class TestManyAtOnce:
    def test_each_job_gets_its_own_result(self, ada: Person, bob: Person, room: str) -> None:
        ada.register(extension(room))
        elsewhere = ada.create_room(f"{room}-b")
        ada.register(extension(elsewhere))
        mine, other, ended = bob.order(room), ada.order(room), bob.order(room)
        bob.delete(f"/api/jobs/{ended['id']}")
        foreign = bob.order(elsewhere)

        ids = [each["id"] for each in (mine, other, ended, foreign)]
        results = act(bob, room, "cancel", *ids, "no-such-job", mine["id"])
        assert [each.get("error", {}).get("code") for each in results] == [
            None,
            "forbidden",
            None,
            "job_not_found",
            "job_not_found",
            None,
        ]
        assert results[0]["job"] == results[5]["job"] == {"id": mine["id"], "status": "cancelled"}
        assert [ada.job(each)["status"] for each in ids] == ["cancelled", "pending", "cancelled", "pending"]

    def test_ended_jobs_run_again_as_new_ones(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        done, waiting = ada.order(room, data={"window": 4}), ada.order(room)
        ada.delete(f"/api/jobs/{done['id']}")
        again, refused = act(ada, room, "retry", done["id"], waiting["id"])

        new = ada.job(again["job"]["id"])
        assert (new["retry_of"], new["data"], new["status"]) == (done["id"], {"window": 4}, "pending")
        assert refused["error"]["code"] == "illegal_transition"
        (once_more,) = act(ada, room, "retry", done["id"])
        assert once_more["job"]["id"] != new["id"]

    def test_pending_jobs_are_arranged(self, ada: Person, bob: Person, room: str) -> None:
        ada.register(extension(room))
        jobs = [ada.order(room)["id"] for _ in range(3)]
        ended = ada.order(room)["id"]
        theirs = bob.order(room)["id"]
        ada.delete(f"/api/jobs/{ended}")
        results = act(ada, room, "arrange", jobs[2], ended, jobs[0], jobs[1])

        assert [each.get("error", {}).get("code") for each in results] == [
            None,
            "illegal_transition",
            None,
            None,
        ]
        places = {each: ada.job(each)["queue_position"] for each in jobs}
        assert sorted(jobs, key=places.__getitem__) == [jobs[2], jobs[0], jobs[1]]
        (refused, mine) = act(bob, room, "arrange", jobs[0], theirs)
        assert refused["error"]["code"] == "forbidden"
        assert "job" in mine
        body = {"action": "arrange", "jobs": [jobs[0], theirs]}
        the_problem(ada.post(f"/api/rooms/{room}/jobs/actions", json=body), 422, "invalid_request")

    def test_jobs_that_are_too_large_together_are_retried_one_by_one(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        text = "x" * 990_000
        jobs = [ada.order(room, data={"text": text})["id"] for _ in range(17)]
        small = ada.order(room)["id"]
        act(ada, room, "cancel", *jobs, small)

        *fit, beyond, last = act(ada, room, "retry", *jobs, small)
        assert all("job" in each for each in (*fit, last))
        assert beyond["error"]["code"] == "body_too_large"
        assert beyond["error"]["detail"].endswith("retry this one by itself")
        assert ada.post(f"/api/jobs/{jobs[-1]}/retry").status_code == 202

    def test_several_are_starred_and_tagged(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        jobs = [ada.order(room)["id"] for _ in range(3)]
        annotate(ada, {"id": jobs[0]}, tags=["old"], note="kept")
        act(ada, room, "star", *jobs)
        act(ada, room, "tag", *jobs[:2], tags=["paper", "Old"])
        act(ada, room, "untag", jobs[1], tags=["PAPER"])
        act(ada, room, "unstar", jobs[2])

        written = [ada.job(job)["annotation"] for job in jobs]
        assert [each and (each["starred"], each["tags"], each["note"]) for each in written] == [
            (True, ["old", "paper"], "kept"),
            (True, ["Old"], ""),
            None,
        ]

    @pytest.mark.parametrize(
        "body",
        [
            {"action": "delete", "jobs": ["a"]},
            {"action": "star", "jobs": []},
            {"action": "star", "jobs": ["a"] * 201},
            {"action": "star"},
        ],
    )
    def test_the_request_is_bounded(self, ada: Person, room: str, body: Document) -> None:
        the_problem(ada.post(f"/api/rooms/{room}/jobs/actions", json=body), 422, "invalid_request")

    def test_a_tag_is_needed_to_tag(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        job = ada.order(room)["id"]
        answer = ada.post(f"/api/rooms/{room}/jobs/actions", json={"action": "tag", "jobs": [job]})
        assert the_problem(answer, 422, "invalid_request")["detail"] == "'tag' needs tags"


class TestExporting:
    def test_parameters_and_plain_results_are_columns(self, ada: Person, room: str) -> None:
        worker = ada.work(extension(room))
        data = {"window": 3, "cell": {"a": 3.6}, "kpts": [2, 2], "tiny": 1e-9, "on": True, "off": None}
        first = ada.order(room, data=data)
        result = {"energy": -1.5, "steps": 12, "path": [1, 2], "gap": {"$type": "float", "value": "NaN"}}
        worker.run(worker.take(), result)
        second = ada.order(room, data={"window": 4, "label": 'ü, "x"\nnext'})
        worker.run(worker.take(), 42)
        annotate(ada, first, name="Copper", tags=["a", "b"], starred=True)

        newest, oldest = table(ada, room)
        assert (newest["id"], oldest["id"]) == (second["id"], first["id"])
        expected = {
            "name": "Copper",
            "extension": "analysis/Echo",
            "user": ada.user,
            "status": "completed",
            "starred": "true",
            "tags": "a, b",
            "data.window": "3",
            "data.cell.a": "3.6",
            "data.kpts": "[2,2]",
            "data.tiny": "1e-09",
            "data.on": "true",
            "data.label": "",
            "result.energy": "-1.5",
            "result.steps": "12",
            "result.gap": "NaN",
            "result": "",
        }
        assert {name: oldest[name] for name in expected} == expected
        assert "result.path" not in oldest
        assert (newest["data.label"], newest["result"]) == ('ü, "x"\nnext', "42")
        assert float(newest["execution_time_ms"]) >= 0
        assert newest["created_at"] == second["created_at"]

    def test_no_text_is_a_formula(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        evil = ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)"]
        job = ada.order(room, data={**{f"v{i}": text for i, text in enumerate(evil)}, "=key": "-5", "n": -5})
        annotate(ada, job, name="=1+1", note="@x", tags=["=y"])

        (row,) = table(ada, room)
        assert [row[f"data.v{i}"] for i in range(len(evil))] == [f"'{text}" for text in evil]
        assert (row["name"], row["note"], row["tags"]) == ("'=1+1", "'@x", "'=y")
        assert (row["data.=key"], row["data.n"]) == ("-5", "-5")

    def test_no_part_of_a_text_is_a_formula_where_semicolons_separate_cells(
        self, ada: Person, room: str
    ) -> None:
        ada.register(extension(room))
        data = {"a": "x;=1+1", "b": 'x; "@SUM(A1)', "c": "x\n=1", "d": "\t=1", "e": "1;-5; 3", "k;=1": "x;y"}
        job = ada.order(room, data=data)
        annotate(ada, job, note="x;=HYPERLINK(1)")

        (row,) = table(ada, room)
        assert [row[f"data.{name}"] for name in "abcde"] == [
            "x;'=1+1",
            "x;' \"@SUM(A1)",
            "x\n'=1",
            "'\t'=1",
            "1;-5; 3",
        ]
        assert (row["note"], row["data.k;'=1"]) == ("x;'=HYPERLINK(1)", "x;y")
        text = ada.get(f"/api/rooms/{room}/jobs.csv").text
        assert all(f'"{cell}"' in text for cell in ("x;'=HYPERLINK(1)", "1;-5; 3", "x;y"))

    def test_values_with_one_name_have_columns_of_their_own(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        ada.order(room, data={"a": {"b": 1}, "a.b": 2, "a.b (2)": 3})

        (row,) = table(ada, room)
        assert {name: cell for name, cell in row.items() if name.startswith("data.")} == {
            "data.a.b": "1",
            "data.a.b (2)": "2",
            "data.a.b (2) (2)": "3",
        }

    def test_secret_values_are_masked(self, ada: Person, room: str) -> None:
        secret = {"type": "string", "format": "password", "writeOnly": True}
        ada.register({**extension(room), "schema": {"type": "object", "properties": {"key": secret}}})
        job = ada.order(room, data={"key": "swordfish"})

        for params in ({}, {"id": [job["id"]]}):
            (row,) = table(ada, room, **params)
            assert row["data.key"] == "**********"
            assert "swordfish" not in str(row)

    def test_what_is_listed_or_selected_is_exported(self, ada: Person, room: str) -> None:
        ada.register(extension(room))
        jobs = [ada.order(room, data={"window": number})["id"] for number in range(120)]
        ada.delete(f"/api/jobs/{jobs[0]}")

        assert [row["id"] for row in table(ada, room, q="window<115")] == jobs[114::-1]
        assert [row["id"] for row in table(ada, room, status="cancelled")] == [jobs[0]]
        chosen = [jobs[7], "no-such-job", jobs[3]]
        assert [row["id"] for row in table(ada, room, id=chosen)] == [jobs[7], jobs[3]]
        the_problem(
            ada.get(f"/api/rooms/{room}/jobs.csv", params={"q": "since:soon"}), 422, "invalid_request"
        )
