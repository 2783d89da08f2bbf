"""Groups over restarts of the server."""

from __future__ import annotations

from support.extensions.samples import Nap
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker

MODULE = "support.extensions.samples"


def test_each_job_of_a_group_comes_once_though_the_server_is_killed_meanwhile(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    server = start_server(lease=60, grace=60)
    start_worker(server, f"{MODULE}:Nap")
    group = open_room(server).submit_many([Nap(seconds=0.05)] * 20)
    ended: list[str] = []
    for job in group.as_completed():
        ended.append(job.id)
        if len(ended) in (3, 9):
            server.kill()
            server.restart()

    assert sorted(ended) == sorted(job.id for job in group)
    assert group.counts["completed"] == 20
    assert {job["attempt"] for job in (each.refresh() for each in group)} == {1}
