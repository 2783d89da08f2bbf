"""Each problem of the server is an exception of the client."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ConfigDict

from support.extensions.in_process import Add, Hold
from support.extensions.questions import Confirm
from support.extensions.samples import Theme
from support.sync_rooms import Enter, Serve
from workroom import Extension, Room, WorkroomError, errors
from workroom.testing.processes import ServerProcess, eventually


class Scene:
    def __init__(self, server: ServerProcess, enter: Enter, serve: Serve, key: str) -> None:
        self.server = server
        self.enter = enter
        self.serve = serve
        self.key = key

    def running(self, user: str) -> str:
        """A job of somebody in a room of somebody else."""
        self.serve(Hold)
        job = self.enter(user).submit(Hold(key=self.key))
        eventually(lambda: job.status == "running")
        Hold.gate(self.key)
        return job.id


def unauthenticated(at: Scene) -> None:
    at.enter(token="garbage").jobs()


def wrong_password(at: Scene) -> None:
    with Room("demo", at.server.url, user="root", password="guess") as room:
        room.jobs()


def forbidden(at: Scene) -> None:
    at.enter("eve").job(at.running("bob")).cancel()


def raised_priority(at: Scene) -> None:
    at.serve(Add)
    at.enter("eve").submit(Add(), priority=5)


def public_without_admin(at: Scene) -> None:
    at.enter("eve").register(Add, public=True)


def extension_not_found(at: Scene) -> None:
    at.enter().submit(Add())


def job_not_found(at: Scene) -> None:
    at.enter().job("unknown")


def invalid_data(at: Scene) -> None:
    at.serve(Add)
    at.enter().submit_named("analysis", "Add", {"a": "many"})


def invalid_frames(at: Scene) -> None:
    at.enter().frames.append({str(number): number for number in range(201)})


def invalid_name(at: Scene) -> None:
    at.enter(room="public")


def invalid_request(at: Scene) -> None:
    at.enter().jobs(status="asleep")


def invalid_schema(at: Scene) -> None:
    class Huge(Extension, category="analysis"):
        """Has a long story."""

        model_config = ConfigDict(json_schema_extra={"story": "x" * 100_001})

        def run(self) -> None: ...

    at.enter().register(Huge)


def schema_conflict(at: Scene) -> None:
    class Other(Extension, category="analysis", name="Add"):
        c: str = ""

        def run(self) -> None: ...

    at.serve(Add)
    at.enter("bob").register(Other)


def name_reserved(at: Scene) -> None:
    at.enter().register(Theme)


def illegal_transition(at: Scene) -> None:
    at.serve(Add)
    job = at.enter().submit(Add())
    job.result(timeout=10)
    job.cancel()


def body_too_large(at: Scene) -> None:
    at.serve(Add)
    at.enter().submit_named("analysis", "Add", {"a": 1, "text": "x" * 1_000_001})


def not_found(at: Scene) -> None:
    with Room("demo", f"{at.server.url}/elsewhere", user="ada") as room:
        room.jobs()


def artifact_not_found(at: Scene) -> None:
    at.serve(Hold)
    at.enter().submit(Hold(key=at.key)).download("nothing.txt")


def file_not_found(at: Scene) -> None:
    room = at.enter()
    room.upload(b"x", name="x.txt")
    room.download("nothing")


def preset_not_found(at: Scene) -> None:
    at.serve(Add)
    at.enter().preset(Add, "nothing")


def record_not_found(at: Scene) -> None:
    at.enter().records("shots").delete("nothing")


def document_not_found(at: Scene) -> None:
    at.enter().state.read("nothing")


def version_not_found(at: Scene) -> None:
    at.enter().restore(1_000_000)


def nothing_to_revert(at: Scene) -> None:
    at.enter(room=f"untouched-{at.key}").undo()


def version_conflict(at: Scene) -> None:
    room = at.enter()
    room.state["notes"] = 1
    room.state.set("notes", 2, version=1_000_000)


def locked(at: Scene) -> None:
    with at.enter("bob").lock(f"held-{at.key}"):
        at.enter("eve").state[f"held-{at.key}"] = 1


def lock_lost(at: Scene) -> None:
    room = at.enter()
    with room.lock("selection") as lock:
        room.break_lock("selection")
        lock.message("still mine?")


def question_not_found(at: Scene) -> None:
    at.enter().job(at.running("bob")).answer(1, {})


def question_closed(at: Scene) -> None:
    at.serve(Confirm)
    job = at.enter("bob").submit(Confirm())
    eventually(job.questions)
    job.answer(1, {})
    at.enter("eve").job(job.id).answer(1, {})


def server_unreachable(at: Scene) -> None:
    with Room("demo", "http://127.0.0.1:9", user="ada") as room:
        room.jobs()


def job_failed(at: Scene) -> None:
    class Fail(Extension, category="analysis"):
        def run(self) -> None:
            raise LookupError

    at.serve(Fail)
    at.enter().submit(Fail()).result(timeout=10)


def job_cancelled(at: Scene) -> None:
    at.serve(Hold)
    job = at.enter().submit(Hold(key=at.key))
    job.cancel()
    job.result(timeout=10)


def result_timeout(at: Scene) -> None:
    at.serve(Hold)
    at.enter().submit(Hold(key=at.key)).result(timeout=0.01)


CASES: list[tuple[Callable[[Scene], object], type[WorkroomError]]] = [
    (unauthenticated, errors.Unauthenticated),
    (wrong_password, errors.Unauthenticated),
    (forbidden, errors.Forbidden),
    (raised_priority, errors.Forbidden),
    (public_without_admin, errors.Forbidden),
    (not_found, errors.NotFound),
    (extension_not_found, errors.ExtensionNotFound),
    (job_not_found, errors.JobNotFound),
    (artifact_not_found, errors.ArtifactNotFound),
    (file_not_found, errors.FileNotFound),
    (preset_not_found, errors.PresetNotFound),
    (record_not_found, errors.RecordNotFound),
    (document_not_found, errors.DocumentNotFound),
    (version_not_found, errors.VersionNotFound),
    (nothing_to_revert, errors.NothingToRevert),
    (version_conflict, errors.VersionConflict),
    (invalid_frames, errors.InvalidFrames),
    (locked, errors.Locked),
    (lock_lost, errors.LockLost),
    (question_not_found, errors.QuestionNotFound),
    (question_closed, errors.QuestionClosed),
    (invalid_data, errors.InvalidData),
    (invalid_name, errors.InvalidName),
    (invalid_request, errors.InvalidRequest),
    (invalid_schema, errors.InvalidSchema),
    (schema_conflict, errors.SchemaConflict),
    (name_reserved, errors.NameReserved),
    (illegal_transition, errors.IllegalTransition),
    (body_too_large, errors.BodyTooLarge),
    (server_unreachable, errors.ServerUnreachable),
    (job_failed, errors.JobFailed),
    (job_cancelled, errors.JobCancelled),
    (result_timeout, errors.ResultTimeout),
]

# What no call of the client can bring about by itself.
OUT_OF_REACH = {
    errors.WorkroomError,
    errors.AnswerTimeout,
    errors.DuplicateJob,
    errors.ExternalTaken,
    errors.GroupClosed,
    errors.GroupNotFound,
    errors.GroupOpen,
    errors.ArrayNotFound,
    errors.FrameNotFound,
    errors.LengthMismatch,
    errors.PieceNotFound,
    errors.MalformedJson,
    errors.IdempotencyConflict,
    errors.MethodNotAllowed,
    errors.RoomNotFound,
    errors.AccountNotFound,
    errors.NameTaken,
    errors.ForeignOrigin,
    errors.UnknownHost,
    errors.UnsupportedEncoding,
    errors.TooManyRequests,
    errors.PreviewNotFound,
    errors.RangeNotSatisfiable,
    errors.DigestMismatch,
    errors.UnknownActor,
    errors.WorkerNotFound,
    errors.StaleAttempt,
    errors.NoSession,
    errors.NotStarted,
    errors.Busy,
    errors.QuotaExceeded,
    errors.StorageFull,
    errors.SecretsUnreadable,
    errors.HeadTooLarge,
    errors.MalformedRequest,
    errors.RequestTimeout,
    errors.TooManyConnections,
    errors.WorkerDismissed,
    errors.StaleSession,
    errors.StoreDamaged,
    errors.StoreReplaced,
    errors.StoreUnavailable,
    errors.StoreUnsafe,
}


@pytest.mark.parametrize(("cause", "kind"), CASES, ids=[cause.__name__ for cause, _ in CASES])
def test_the_problem_is_raised_as_the_exception_of_its_code(
    server: ServerProcess,
    enter: Enter,
    serve: Serve,
    key: str,
    cause: Callable[[Scene], object],
    kind: type[WorkroomError],
) -> None:
    with pytest.raises(WorkroomError) as raised:
        cause(Scene(server, enter, serve, key))

    assert type(raised.value) is kind
    assert str(raised.value) == raised.value.detail
    assert raised.value.detail
    Hold.gate(key).set()


def kinds(root: type[WorkroomError] = WorkroomError) -> set[type[WorkroomError]]:
    """The tree of exceptions."""
    return {root}.union(
        *(kinds(kind) for kind in root.__subclasses__() if kind.__module__ == errors.__name__)
    )


def test_the_table_above_names_every_exception() -> None:
    assert {kind for _, kind in CASES} | OUT_OF_REACH == kinds()


@pytest.mark.parametrize("kind", sorted(kinds(), key=str))
def test_a_code_means_one_exception(kind: type[WorkroomError]) -> None:
    raised = errors.from_code(kind.code, "why", room="demo")

    assert type(raised) is kind
    assert (raised.detail, raised.fields) == ("why", {"room": "demo"})


def test_a_code_of_a_newer_server_is_an_error_all_the_same() -> None:
    raised = errors.from_code("code_of_tomorrow", "too many jobs")

    assert type(raised) is WorkroomError
    assert str(raised) == "too many jobs"


def test_the_fields_of_a_problem_are_kept(enter: Enter, serve: Serve) -> None:
    serve(Add)

    with pytest.raises(errors.InvalidData) as raised:
        enter().submit_named("analysis", "Add", {"a": "many", "b": -1})

    assert {fault["path"] for fault in raised.value.fields["errors"]} == {"/a", "/b"}
