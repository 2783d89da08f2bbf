"""Provider clients against services that speak the documented protocols, and break them."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import jsonschema_rs
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from support.fake_service import Answer, Call, fake_service
from workroom.packs.media.providers import (
    Action,
    BadRequest,
    ContentRejected,
    Cost,
    GenerationFailed,
    LookState,
    MediaProvider,
    MediaProviderRegistry,
    Order,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    ProviderTimeout,
    QuotaExhausted,
    RateLimited,
    SourceImage,
    TaskNotFound,
    watch,
)
from workroom.packs.media.providers import http as provider_http
from workroom.packs.media.providers.comfyui import ComfyTemplate, ComfyUIProvider
from workroom.packs.media.providers.comfyui_socket import ComfySocket
from workroom.packs.media.providers.http import retry_after
from workroom.packs.media.providers.leonardo import LeonardoProvider
from workroom.packs.media.providers.local import LocalProvider
from workroom.packs.media.providers.midjourney import (
    MidapiProvider,
    MidjourneyProxyProvider,
    midjourney,
)
from workroom.packs.media.providers.transport import send_limit
from workroom.testing.processes import eventually

ORDER = Order(Action.TXT2IMG, "a red fox", {"width": 512}, reference="0190a0b0-0000-7000-8000-000000000001")
WORKFLOW: dict[str, Any] = {
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": ""}},
    "3": {"inputs": {"seed": 1}},
}
TEMPLATE = ComfyTemplate(
    WORKFLOW,
    {"prompt": ("6", "text"), "seed": ("3", "seed"), "width": ("3", "width"), "image": ("3", "image")},
)


_open: list[MediaProvider] = []


@pytest.fixture(autouse=True)
def _close_providers() -> Iterator[None]:
    yield
    while _open:
        _open.pop().close()


def opened(provider: MediaProvider) -> MediaProvider:
    _open.append(provider)
    return provider


def leonardo(url: str) -> MediaProvider:
    return opened(LeonardoProvider("key", base_url=url))


def midapi(url: str) -> MediaProvider:
    return opened(MidapiProvider("key", base_url=url))


def proxy(url: str) -> MediaProvider:
    return opened(MidjourneyProxyProvider("key", base_url=url))


def comfyui(url: str) -> MediaProvider:
    return opened(ComfyUIProvider(url, {Action.TXT2IMG: TEMPLATE, Action.IMG2IMG: TEMPLATE}))


PROVIDERS = [leonardo, midapi, proxy, comfyui]
ACCEPTED = {
    "leonardo": {"sdGenerationJob": {"generationId": "t1", "cost": {"amount": 7, "unit": "credits"}}},
    "midapi": {"code": 200, "msg": "success", "data": {"taskId": "t1"}},
    "proxy": {"code": 1, "description": "ok", "result": "t1"},
    "comfyui": {"prompt_id": "t1", "number": 1, "node_errors": {}},
}


def submitted(make: Callable[[str], MediaProvider], answer: Answer) -> Any:
    with fake_service(lambda call: Answer(status=404) if call.path == "/ws" else answer) as service:
        return make(service.url).submit(ORDER)


@pytest.mark.parametrize("make", PROVIDERS)
def test_an_accepted_order_has_a_task(make: Callable[[str], MediaProvider]) -> None:
    assert submitted(make, Answer(ACCEPTED[make.__name__])).task_id == "t1"


@pytest.mark.parametrize("make", PROVIDERS)
@pytest.mark.parametrize(
    "answer",
    [
        Answer(closes=True),
        Answer({"error": "oh"}, 500),
        Answer(b"<html>", 200),
        Answer([1, 2], 200),
        Answer(b"", 502),
    ],
    ids=["closed", "500", "malformed", "another shape", "502"],
)
def test_an_order_that_may_have_been_accepted_is_unknown(
    make: Callable[[str], MediaProvider], answer: Answer
) -> None:
    with pytest.raises(OutcomeUnknown):
        submitted(make, answer)


@pytest.mark.parametrize("make", PROVIDERS)
def test_an_order_that_gets_no_answer_in_time_is_unknown(
    make: Callable[[str], MediaProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = provider_http.ProviderHttp.__init__.__defaults__
    monkeypatch.setattr(provider_http.ProviderHttp.__init__, "__defaults__", (httpx.Timeout(0.3),))
    assert defaults is not None
    with pytest.raises(OutcomeUnknown):
        submitted(make, Answer(hangs=True))


@pytest.mark.parametrize("make", PROVIDERS)
def test_an_order_that_never_left_was_not_sent(make: Callable[[str], MediaProvider]) -> None:
    with fake_service(lambda call: Answer()) as service:
        url = service.url
    with pytest.raises(ProviderDown):
        make(url).submit(ORDER)


@pytest.mark.parametrize("make", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, RateLimited), (402, QuotaExhausted), (400, BadRequest), (401, BadRequest), (302, BadRequest)],
)
def test_a_refusal_is_no_acceptance(
    make: Callable[[str], MediaProvider], status: int, kind: type[ProviderError]
) -> None:
    headers = {"Retry-After": "7", "Location": "http://169.254.169.254/"}
    with pytest.raises(kind) as caught:
        submitted(make, Answer({"error": "no"}, status, headers))
    if isinstance(caught.value, RateLimited):
        assert caught.value.retry_after == 7.0


def test_the_key_is_in_no_message() -> None:
    with pytest.raises(ProviderError) as caught:
        submitted(
            lambda url: opened(LeonardoProvider("s3cret", base_url=url)), Answer({"error": "bad key"}, 401)
        )
    assert "s3cret" not in str(caught.value) + repr(caught.value.details)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (429, RateLimited),
        (402, QuotaExhausted),
        (455, ProviderDown),
        (422, BadRequest),
        (500, OutcomeUnknown),
    ],
)
def test_midapi_refuses_inside_an_answer_of_200(code: int, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        submitted(midapi, Answer({"code": code, "msg": "no", "data": None}))


@pytest.mark.parametrize(("code", "kind"), [(23, RateLimited), (24, ContentRejected), (4, BadRequest)])
def test_the_proxy_refuses_inside_an_answer_of_200(code: int, kind: type[ProviderError]) -> None:
    with pytest.raises(kind):
        submitted(proxy, Answer({"code": code, "description": "no", "result": None}))


@pytest.mark.parametrize("code", [1, 21, 22])
def test_the_proxy_has_accepted_what_waits_or_exists(code: int) -> None:
    assert submitted(proxy, Answer({"code": code, "result": "t9"})).task_id == "t9"


@pytest.mark.parametrize("answer", [{"code": 1}, {"code": 22, "result": None}, {"error": "bad gateway"}])
def test_an_answer_of_the_proxy_without_an_id_is_unknown(answer: Any) -> None:
    with pytest.raises(OutcomeUnknown):
        submitted(proxy, Answer(answer))


def test_a_workflow_with_errors_was_not_accepted() -> None:
    with pytest.raises(BadRequest, match="errors"):
        submitted(comfyui, Answer({"prompt_id": "t1", "node_errors": {"6": "no"}}))


LOOKS: list[tuple[Callable[[str], MediaProvider], Any, LookState]] = [
    (leonardo, {"generations_by_pk": {"status": "PENDING"}}, LookState.RUNNING),
    (
        leonardo,
        {"generations_by_pk": {"status": "COMPLETE", "generated_images": [{"id": "i", "url": "u1"}]}},
        LookState.DONE,
    ),
    (leonardo, {"generations_by_pk": {"status": "FAILED"}}, LookState.FAILED),
    (leonardo, {"generations_by_pk": {"status": "COMPLETE", "generated_images": []}}, LookState.FAILED),
    (midapi, {"code": 200, "data": {"successFlag": 0}}, LookState.RUNNING),
    (
        midapi,
        {"code": 200, "data": {"successFlag": 1, "resultInfoJson": {"resultUrls": [{"resultUrl": "u1"}]}}},
        LookState.DONE,
    ),
    (midapi, {"code": 200, "data": {"successFlag": 2, "errorMessage": "no"}}, LookState.FAILED),
    (proxy, {"status": "SUBMITTED"}, LookState.QUEUED),
    (proxy, {"status": "IN_PROGRESS", "progress": "65%", "imageUrl": "p"}, LookState.RUNNING),
    (proxy, {"status": "SUCCESS", "imageUrl": "u1"}, LookState.DONE),
    (proxy, {"status": "FAILURE", "failReason": "banned"}, LookState.FAILED),
]


@pytest.mark.parametrize(("make", "answer", "state"), LOOKS)
def test_a_task_is_looked_at(make: Callable[[str], MediaProvider], answer: Any, state: LookState) -> None:
    with fake_service(lambda call: Answer(answer)) as service:
        provider = make(service.url)
        look = provider.look("t1")
    assert look.state is state
    assert look.urls == (("u1",) if state is LookState.DONE else ())
    assert (look.error is not None) == (state is LookState.FAILED)


def test_the_proxy_tells_progress_and_shows_a_preview() -> None:
    answer = {"status": "IN_PROGRESS", "progress": "65%", "imageUrl": "p"}
    with fake_service(lambda call: Answer(answer)) as service:
        look = proxy(service.url).look("t1")
    assert (look.progress, look.preview_url) == (0.65, "p")


def test_a_service_that_is_down_for_a_while_is_waited_for() -> None:
    answers = iter([Answer(b"", 503), Answer({"error": "slow down"}, 429), Answer({"status": "IN_PROGRESS"})])

    def handle(call: Call) -> Answer:
        return next(answers, Answer({"status": "SUCCESS", "imageUrl": "u1"}))

    with fake_service(handle) as service:
        provider = proxy(service.url)
        provider.poll_s = 0.01
        seen: list[tuple[int, str]] = []
        result = provider.wait("t1", lambda elapsed, message: seen.append((elapsed, message)))
    assert result.urls == ["u1"]
    assert result.provider_task_id == "t1"
    assert len(seen) == 4


@pytest.mark.parametrize("make", PROVIDERS)
@pytest.mark.parametrize(
    "answer",
    [
        Answer(closes=True),
        Answer({"error": "oh"}, 500),
        Answer(b"<html>", 200),
        Answer([1, 2], 200),
        Answer(hangs=True),
        Answer({"a": 1}, drips_head=True),
    ],
    ids=["closed", "500", "malformed", "another shape", "hangs", "drips"],
)
def test_a_look_that_fails_says_nothing_about_the_task(
    make: Callable[[str], MediaProvider], answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is repeated; only midjourney-proxy answers with something else to a task that it does not know."""
    monkeypatch.setattr(provider_http, "MAX_REQUEST_S", 0.3)
    kind = TaskNotFound if make is proxy and answer.body == [1, 2] else ProviderDown
    with fake_service(lambda call: answer) as service, pytest.raises(kind):
        make(service.url).look("t1")


@pytest.mark.parametrize("make", PROVIDERS)
def test_a_look_that_is_refused_for_now_waits_as_long_as_it_says(
    make: Callable[[str], MediaProvider],
) -> None:
    answer = Answer({"error": "slow down"}, 429, {"Retry-After": "17"})
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        raise TimeoutError

    with fake_service(lambda call: answer) as service, pytest.raises(TimeoutError):
        watch(make(service.url), "t1", lambda look: None, wait)
    assert waits == [17.0]


DONE_WITHOUT_RESULTS: list[tuple[Callable[[str], MediaProvider], Any]] = [
    (midapi, {"code": 200, "data": {"successFlag": 1, "resultInfoJson": {"resultUrls": []}}}),
    (proxy, {"status": "SUCCESS", "imageUrl": None}),
]


@pytest.mark.parametrize(("make", "answer"), DONE_WITHOUT_RESULTS)
def test_a_task_that_is_done_without_a_result_has_failed(
    make: Callable[[str], MediaProvider], answer: Any
) -> None:
    with fake_service(lambda call: Answer(answer)) as service:
        provider = make(service.url)
        with pytest.raises(GenerationFailed, match="no result"):
            provider.wait("t1")


def test_a_task_that_never_ends_times_out() -> None:
    with fake_service(lambda call: Answer({"status": "IN_PROGRESS"})) as service:
        provider = proxy(service.url)
        provider.poll_s, provider.max_wait_s = 0.01, 0.05
        with pytest.raises(ProviderTimeout):
            provider.wait("t1")


def test_what_the_callback_raises_ends_the_wait() -> None:
    class Stop(Exception): ...

    def stop(elapsed: int, message: str) -> None:
        raise Stop

    with fake_service(lambda call: Answer({"status": "IN_PROGRESS"})) as service, pytest.raises(Stop):
        proxy(service.url).wait("t1", stop)


def test_leonardo_uploads_an_image_with_fields_that_are_json_in_json() -> None:
    def handle(call: Call) -> Answer:
        if call.path == "/init-image":
            slot = {"id": "img", "fields": json.dumps({"key": "k"}), "url": f"{service.url}/s3"}
            return Answer({"uploadInitImage": slot})
        return Answer(status=204, body=b"") if call.path == "/s3" else Answer(ACCEPTED["leonardo"])

    with fake_service(handle) as service:
        order = Order(Action.IMG2IMG, "x", {}, SourceImage(b"bytes", "image/jpeg"))
        provider = leonardo(service.url)
        accepted = provider.submit(provider.prepare(order))
    assert accepted.cost is not None
    assert (accepted.cost.amount, accepted.cost.unit) == (7.0, "credits")
    upload, ordered = service.calls[1], service.calls[2]
    assert b'name="key"' in upload.body
    assert b"bytes" in upload.body
    assert ordered.json["init_image_id"] == "img"


def test_leonardo_finds_an_order_by_its_prompt_and_time() -> None:
    now = time.time()
    new, old = (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) for at in (now, now - 3600))
    listed = [
        {"id": "other", "prompt": "a blue fox", "createdAt": new},
        {"id": "known", "prompt": "a red fox", "createdAt": new},
        {"id": "old", "prompt": "a red fox", "createdAt": old},
        {"id": "mine", "prompt": "a red fox", "createdAt": new},
    ]

    def handle(call: Call) -> Answer:
        if call.path == "/me":
            return Answer({"user_details": [{"user": {"id": "u"}}]})
        return Answer({"generations": listed})

    with fake_service(handle) as service:
        provider = leonardo(service.url)
        found = provider.find(ORDER, now, {"known"}.__contains__)
        assert found is not None
        assert found.task_id == "mine"
        assert provider.find(ORDER, now, {"known", "mine"}.__contains__) is None
        with pytest.raises(OutcomeUnknown):
            provider.find(ORDER, now, lambda task: False)


class LeonardoList:
    """The generations of an account, in pages, newest first."""

    def __init__(self, *generations: dict[str, Any]) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        self._generations = [{"prompt": "a red fox", "createdAt": now, **each} for each in generations]

    def __call__(self, call: Call) -> Answer:
        if call.path == "/me":
            return Answer({"user_details": [{"user": {"id": "u"}}]})
        first, count = int(call.query["offset"]), int(call.query["limit"])
        return Answer({"generations": self._generations[first : first + count]})


def found_at_leonardo(order: Order, *generations: dict[str, Any]) -> str | None:
    with fake_service(LeonardoList(*generations)) as service:
        found = leonardo(service.url).find(order, time.time(), lambda task: False)
    return None if found is None else found.task_id


def test_leonardo_distinguishes_orders_of_one_prompt_by_their_parameters() -> None:
    order = Order(Action.TXT2IMG, "a red fox", {"width": 512, "seed": 2})
    listed = [{"id": str(seed), "seed": seed, "imageWidth": 512} for seed in (1, 2, 3)]
    assert found_at_leonardo(order, *listed) == "2"
    assert found_at_leonardo(order, {"id": "wide", "seed": 2, "imageWidth": 1024}) is None
    assert found_at_leonardo(order, {"id": "silent"}) == "silent"


def test_leonardo_finds_an_order_behind_many_others() -> None:
    others = [{"id": str(number), "prompt": "a crowd"} for number in range(120)]
    assert found_at_leonardo(ORDER, *others, {"id": "mine"}) == "mine"
    assert found_at_leonardo(ORDER, *others) is None


def test_an_order_that_leonardo_does_not_list_within_reach_is_not_sent_again() -> None:
    with pytest.raises(OutcomeUnknown, match="more than 500"):
        found_at_leonardo(ORDER, *[{"id": str(number), "prompt": "a crowd"} for number in range(501)])


@pytest.mark.parametrize("make", PROVIDERS)
def test_what_was_not_sent_in_time_is_never_sent(make: Callable[[str], MediaProvider]) -> None:
    with (
        fake_service(lambda call: Answer(status=404)) as service,
        send_limit(0.0),
        pytest.raises(OutcomeUnknown, match="not sent in time"),
    ):
        make(service.url).submit(ORDER)
    assert [call.path for call in service.calls if call.method == "POST"] == []


def test_a_body_whose_sending_takes_too_long_does_not_arrive() -> None:
    """The peer reads nothing: the body fills the buffers, and the rest of it never follows."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        provider = proxy(f"http://127.0.0.1:{server.getsockname()[1]}")
        source = SourceImage(bytes(30_000_000))
        with send_limit(1.0), pytest.raises(OutcomeUnknown):
            provider.submit(Order(Action.IMG2IMG, "x", {}, source))


def test_a_task_id_stays_within_its_path() -> None:
    with fake_service(lambda call: Answer({"status": "SUBMITTED"})) as service:
        proxy(service.url).look("../../admin?x=1#")
    assert [call.path for call in service.calls] == ["/mj/task/..%2F..%2Fadmin%3Fx%3D1%23/fetch"]


def test_the_proxy_finds_an_order_by_its_reference() -> None:
    listed = [{"id": "a", "state": "x"}, {"id": "b", "state": ORDER.reference}]
    with fake_service(lambda call: Answer(listed)) as service:
        found = proxy(service.url).find(ORDER, 0, lambda task: False)
    assert found is not None
    assert found.task_id == "b"


def test_the_proxy_gets_the_image_and_the_number_of_a_variation() -> None:
    with fake_service(lambda call: Answer(ACCEPTED["proxy"])) as service:
        provider = proxy(service.url)
        provider.submit(Order(Action.IMG2IMG, "x", {}, SourceImage(b"bytes")))
        provider.submit(Order(Action.VARY, source=SourceImage(task_id="t0", index=2)))
    image, change = service.calls[0].json, service.calls[1].json
    assert base64.b64decode(image["base64Array"][0].partition(",")[2]) == b"bytes"
    assert (change["taskId"], change["action"], change["index"]) == ("t0", "VARIATION", 3)


class Comfy:
    """A ComfyUI server with one task."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.history: dict[str, Any] = {}

    def __call__(self, call: Call) -> Answer:
        if call.path == "/prompt":
            self.running.append(call.json["prompt_id"])
            return Answer({"prompt_id": call.json["prompt_id"], "node_errors": {}})
        if call.path == "/queue":
            return Answer({"queue_running": [[0, each] for each in self.running], "queue_pending": []})
        if call.path.startswith("/history/"):
            task_id = call.path.rpartition("/")[2]
            return Answer({task_id: self.history[task_id]} if task_id in self.history else {})
        return Answer(status=404)


def test_comfyui_runs_a_workflow_with_named_inputs() -> None:
    comfy = Comfy()
    with fake_service(comfy) as service:
        provider = comfyui(service.url)
        assert provider.find(ORDER, 0, lambda task: False) is None
        accepted = provider.submit(ORDER)
        assert accepted.task_id == ORDER.reference
        assert provider.look(accepted.task_id).state is LookState.RUNNING
        found = provider.find(ORDER, 0, lambda task: False)
        assert found is not None
        assert found.task_id == accepted.task_id

        comfy.running.clear()
        images = [
            {"filename": "a b.png", "subfolder": "", "type": "output"},
            {"filename": "t", "type": "temp"},
        ]
        comfy.history[accepted.task_id] = {
            "status": {"status_str": "success"},
            "outputs": {"9": {"images": images}},
        }
        look = provider.look(accepted.task_id)
    assert look.urls == (f"{service.url}/view?filename=a+b.png&subfolder=&type=output",)
    sent = next(call.json for call in service.calls if call.path == "/prompt")["prompt"]
    assert sent["6"]["inputs"]["text"] == "a red fox"
    assert WORKFLOW["6"]["inputs"] == {"text": ""}


def test_comfyui_that_was_restarted_does_not_know_the_task() -> None:
    with fake_service(Comfy()) as service, pytest.raises(TaskNotFound):
        comfyui(service.url).look("gone")


def test_comfyui_gives_the_reason_of_a_failure() -> None:
    comfy = Comfy()
    messages = [["execution_error", {"exception_message": "out of memory"}]]
    comfy.history["t"] = {"status": {"status_str": "error", "messages": messages}}
    with fake_service(comfy) as service:
        look = comfyui(service.url).look("t")
    assert str(look.error) == "out of memory"


def test_a_workflow_refuses_an_input_that_it_does_not_have() -> None:
    with pytest.raises(BadRequest, match="no input 'steps'"):
        TEMPLATE.filled({"steps": 3})
    with pytest.raises(ValueError, match="node 99"):
        ComfyTemplate(WORKFLOW, {"x": ("99", "y")})


def test_comfyui_shows_progress_and_previews_of_its_socket() -> None:
    comfy, said = Comfy(), threading.Event()

    def talk(connection: ServerConnection) -> None:
        said.wait(10)
        task = {"prompt_id": ORDER.reference}
        connection.send(json.dumps({"type": "executing", "data": task}))
        connection.send(json.dumps({"type": "progress", "data": {**task, "value": 3, "max": 12}}))
        connection.send((1).to_bytes(4, "big") + (2).to_bytes(4, "big") + b"\x89PNG")
        connection.send("not json")
        with contextlib.suppress(ConnectionClosed):
            connection.recv()

    with fake_service(comfy) as service, serve(talk, "127.0.0.1", 0) as sockets:
        thread = threading.Thread(target=sockets.serve_forever)
        thread.start()
        socket = ComfySocket(f"http://127.0.0.1:{sockets.socket.getsockname()[1]}", "client")
        provider = ComfyUIProvider(service.url, {Action.TXT2IMG: TEMPLATE}, socket=socket)
        opened(provider)
        task_id = provider.submit(ORDER).task_id
        assert provider.look(task_id).progress is None
        said.set()
        look = eventually(lambda: found if (found := provider.look(task_id)).preview else None, 10)
        assert (look.progress, look.preview) == (0.25, b"\x89PNG")
        assert socket.latest("another") == (None, b"")
        provider.close()
        sockets.shutdown()
        thread.join()


def test_the_parameters_of_comfyui_are_the_inputs_of_its_workflows() -> None:
    provider = comfyui("http://127.0.0.1:1")
    assert provider.params_schema["properties"] == {
        "seed": {"title": "Seed", "type": "integer", "default": 1},
        "width": {"title": "Width"},
    }
    assert provider.actions == {Action.TXT2IMG, Action.IMG2IMG}


def test_every_paid_provider_has_a_schema_of_its_parameters() -> None:
    for make in (leonardo, midapi, proxy):
        schema = make("http://127.0.0.1:1").params_schema
        assert jsonschema_rs.meta.is_valid(dict(schema))
        assert schema["properties"]


def test_the_proxy_writes_parameters_into_the_prompt() -> None:
    with fake_service(lambda call: Answer(ACCEPTED["proxy"])) as service:
        params = {"aspectRatio": "3:2", "version": "", "seed": 7, "index": 2}
        proxy(service.url).submit(Order(Action.TXT2IMG, "a fox", params, reference="job-1"))
        proxy(service.url).submit(Order(Action.UPSCALE, params=params, source=SourceImage(task_id="t0")))
    assert service.calls[0].json == {"prompt": "a fox --ar 3:2 --seed 7", "state": "job-1"}
    assert service.calls[1].json["index"] == 2


@pytest.mark.parametrize("make", [midapi, proxy])
def test_what_another_provider_made_is_not_upscaled(make: Callable[[str], MediaProvider]) -> None:
    order = Order(Action.UPSCALE, source=SourceImage(b"bytes", url="https://a.example/1.png"))
    with pytest.raises(BadRequest, match="made itself"):
        make("http://127.0.0.1:1").check(order)


def test_midapi_begins_with_the_address_of_an_image() -> None:
    with fake_service(lambda call: Answer(ACCEPTED["midapi"])) as service:
        source = SourceImage(b"bytes", url="https://a.example/1.png")
        midapi(service.url).submit(Order(Action.IMG2VID, "it moves", {"version": ""}, source))
        midapi(service.url).submit(Order(Action.VARY, source=SourceImage(task_id="t0", index=1)))
    video, variation = (call.json for call in service.calls)
    assert video == {"taskType": "mj_video", "prompt": "it moves", "fileUrls": ["https://a.example/1.png"]}
    assert (variation["taskId"], variation["imageIndex"]) == ("t0", 2)


def test_leonardo_begins_with_an_image_that_it_made() -> None:
    images = {"generated_images": [{"id": "i0"}, {"id": "i1"}], "status": "COMPLETE"}

    def handle(call: Call) -> Answer:
        return Answer({"generations_by_pk": images} if call.method == "GET" else ACCEPTED["leonardo"])

    with fake_service(handle) as service:
        provider = leonardo(service.url)
        order = Order(Action.IMG2IMG, "x", {}, SourceImage(task_id="t0", index=1))
        provider.submit(provider.prepare(order))
    assert service.calls[1].json["init_generation_image_id"] == "i1"


def test_leonardo_estimates_with_its_pricing_calculator() -> None:
    answer = Answer({"calculateProductionApiServiceCost": {"cost": 11}})
    with fake_service(lambda call: answer) as service:
        found = leonardo(service.url).estimate(Order(Action.TXT2IMG, "x", {"width": 512, "num_images": 4}))
    assert found == Cost(11.0, "credits")
    assert service.calls[0].json == {
        "service": "IMAGE_GENERATION",
        "serviceParams": {"IMAGE_GENERATION": {"imageWidth": 512, "numImages": 4}},
    }


@pytest.mark.parametrize("cost", [{"cost": {"amount": "seven"}}, {"apiCreditCost": "x"}, {"cost": 7}])
def test_an_order_is_accepted_whatever_its_cost_is(cost: Any) -> None:
    accepted = submitted(leonardo, Answer({"sdGenerationJob": {"generationId": "t1", **cost}}))
    assert (accepted.task_id, accepted.cost) == ("t1", None)


def test_leonardo_uploads_no_image_into_the_network() -> None:
    def handle(call: Call) -> Answer:
        slot = {"id": "img", "fields": "{}", "url": "http://169.254.169.254/s3"}
        return Answer({"uploadInitImage": slot})

    with fake_service(handle) as service, pytest.raises(ProviderDown, match=r"169\.254"):
        leonardo(service.url).prepare(Order(Action.IMG2IMG, "x", {}, SourceImage(b"bytes")))
    assert len(service.calls) == 1


@pytest.mark.parametrize("make", PROVIDERS)
def test_an_answer_that_drips_without_end_is_unknown(
    make: Callable[[str], MediaProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_http, "MAX_REQUEST_S", 0.4)
    with pytest.raises(OutcomeUnknown, match=r"too long|timed out"):
        submitted(make, Answer(ACCEPTED[make.__name__], drips_head=True))


@pytest.mark.parametrize("status", [401, 500])
def test_a_key_that_a_provider_repeats_is_masked(status: int) -> None:
    answer = Answer({"error": "unknown key s3cret-key"}, status)
    with pytest.raises(ProviderError) as caught:
        submitted(lambda url: opened(LeonardoProvider("s3cret-key", base_url=url)), answer)
    assert "s3cret-key" not in str(caught.value) + repr(caught.value.details)


def test_a_dialect_of_midjourney_is_chosen() -> None:
    assert isinstance(opened(midjourney("k", dialect="midapi")), MidapiProvider)
    assert isinstance(opened(midjourney("k", base_url="http://127.0.0.1:1")), MidjourneyProxyProvider)
    with pytest.raises(ValueError, match="base URL"):
        midjourney("k")
    with pytest.raises(ValueError, match="dialects"):
        midjourney("k", dialect="discord")


def test_the_same_prompt_gives_the_same_picture() -> None:
    provider = LocalProvider()
    pictures = []
    for _ in range(2):
        result = provider.txt2img("a red fox", {"width": 96, "height": 64, "style": "voronoi"})
        pictures.append(provider.content(result.urls[0]))
    other = provider.txt2img("a blue fox", {"width": 96, "height": 64, "style": "voronoi"})
    assert pictures[0] == pictures[1] != provider.content(other.urls[0])


@pytest.mark.parametrize("style", ["flow", "voronoi", "branches", "reaction"])
def test_every_style_draws_with_progress_and_previews(style: str) -> None:
    provider = LocalProvider()
    looks: list[str] = []
    params = {"width": 80, "height": 64, "style": style, "count": 2, "pause": 0.01}
    result = provider.txt2img("x", params, progress_callback=lambda elapsed, message: looks.append(message))
    assert len(result.urls) == 2
    assert all(provider.content(url).startswith(b"\x89PNG") for url in result.urls)
    assert "drawing" in looks


def test_a_picture_becomes_another_picture_and_a_video() -> None:
    provider = LocalProvider()
    first = provider.content(provider.txt2img("x", {"width": 64, "height": 64}).urls[0])
    other = provider.content(provider.img2img(first, "y", {}).urls[0])
    video = provider.content(provider.img2vid(first, "", {}).urls[0])
    large = provider.content(provider.generate(Order(Action.UPSCALE, source=SourceImage(first))).urls[0])
    assert other.startswith(b"\x89PNG")
    assert other != first
    assert video[8:12] == b"WEBP"
    assert b"ANIM" in video
    assert len(large) > len(first)


def test_a_cancelled_picture_is_not_drawn_to_its_end() -> None:
    provider = LocalProvider()
    task = provider.submit(Order(Action.TXT2IMG, "x", {"width": 64, "height": 64, "pause": 0.05}))
    provider.cancel(task.task_id)
    with pytest.raises(GenerationFailed, match="cancelled"):
        provider.wait(task.task_id)


@pytest.mark.parametrize(
    "params",
    [
        {"width": 10},
        {"height": 5000},
        {"count": 9},
        {"style": "x"},
        {"width": "w"},
        {"pause": 1e9},
        {"pause": -1},
        {"pause": float("nan")},
        {"pause": "p"},
    ],
)
def test_the_local_provider_has_limits(params: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        LocalProvider().submit(Order(Action.TXT2IMG, "x", params))


def test_a_provider_refuses_what_it_cannot_do() -> None:
    with fake_service(lambda call: Answer()) as service:
        with pytest.raises(BadRequest, match="cannot do img2vid"):
            proxy(service.url).img2vid(b"x", "", {})
        with pytest.raises(BadRequest, match="needs an image"):
            proxy(service.url).generate(Order(Action.IMG2IMG, "x"))
        assert service.calls == []


def test_providers_import_neither_server_nor_worker_nor_client() -> None:
    """In a process of its own, with nothing of Workroom but themselves."""
    names = ("leonardo", "midjourney", "comfyui", "local", "registry", "download")
    code = "import sys" + "".join(f", workroom.packs.media.providers.{name}" for name in names)
    code += "; print(*(name for name in sys.modules if name.startswith('workroom')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    own = "workroom.packs.media.providers"
    assert {name for name in ran.stdout.split() if not name.startswith(own)} == {
        "workroom",
        "workroom.packs",
        "workroom.packs.media",
    }


def test_the_registry_knows_providers_by_name() -> None:
    MediaProviderRegistry.register("test-local", LocalProvider, concurrency=4)
    try:
        assert MediaProviderRegistry.get("test-local") is MediaProviderRegistry.get("test-local")
        assert MediaProviderRegistry.get_concurrency("test-local") == 4
        assert MediaProviderRegistry.get_concurrency("unknown") == 1
        assert "test-local" in MediaProviderRegistry.list_providers()
        with pytest.raises(ValueError, match="Unknown provider"):
            MediaProviderRegistry.get("unknown")
        with pytest.raises(ValueError, match="at least one"):
            MediaProviderRegistry.register("zero", LocalProvider, concurrency=0)
    finally:
        MediaProviderRegistry.unregister("test-local")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("-1", 0.0),
        ("soon", None),
        (None, None),
        ("inf", 86_400.0),
        ("nan", 0.0),
        ("1e99", 86_400.0),
        ("Fri, 01 Jan 2999 00:00:00 GMT", 86_400.0),
    ],
)
def test_retry_after_is_a_number_of_seconds(value: str | None, seconds: float | None) -> None:
    assert retry_after(value) == seconds


def test_retry_after_may_be_a_date() -> None:
    assert retry_after("Fri, 01 Jan 1999 00:00:00 GMT") == 0.0


def test_a_huge_answer_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_http, "MAX_RESPONSE_BYTES", 1000)
    with pytest.raises(OutcomeUnknown):
        submitted(leonardo, Answer({"x": "y" * 5000}))
