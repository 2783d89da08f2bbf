"""ComfyUI, self-hosted: workflows in its API format, with named inputs.

Written from its public documentation and source; it was never called. Not verified: whether the same
`prompt_id` sent twice runs twice (so it is looked for before it is sent again), `node_errors` in an answer
with status 200, and videos that are listed under `images`.
"""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from workroom.packs.media.providers.comfyui_socket import ComfySocket
from workroom.packs.media.providers.errors import (
    BadRequest,
    GenerationFailed,
    OutcomeUnknown,
    ProviderDown,
    TaskNotFound,
)
from workroom.packs.media.providers.http import ProviderHttp
from workroom.packs.media.providers.provider import (
    Accepted,
    Action,
    Look,
    LookState,
    MediaProvider,
    Order,
    SourceImage,
)

_OWN_INPUTS = ("prompt", "image")
_OUTPUTS = ("images", "gifs", "videos", "audio")


class ComfyTemplate:
    """A workflow and its named inputs: where in the workflow each parameter goes.

    `inputs` maps a name to a node and a field of it: `{"prompt": ("6", "text"), "seed": ("3", "seed")}`.
    The input `image`, if there is one, receives the name of the uploaded source image.
    """

    def __init__(self, workflow: Mapping[str, Any], inputs: Mapping[str, tuple[str, str]]) -> None:
        for name, (node, _) in inputs.items():
            if node not in workflow:
                raise ValueError(
                    f"the input '{name}' names the node {node}, which the workflow does not have"
                )
        self._workflow = workflow
        self.inputs = dict(inputs)

    def default(self, name: str) -> Any:
        """What the workflow has for an input; None if it has nothing."""
        node, field = self.inputs[name]
        return (self._workflow[node].get("inputs") or {}).get(field)

    def filled(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The workflow with these values. Raises BadRequest for a value that it has no input for."""
        unknown = sorted(set(values) - set(self.inputs))
        if unknown:
            raise BadRequest(f"the workflow has no input '{unknown[0]}'. It has: {', '.join(self.inputs)}")
        workflow = copy.deepcopy(dict(self._workflow))
        for name, value in values.items():
            node, field = self.inputs[name]
            workflow[node].setdefault("inputs", {})[field] = value
        return workflow


class ComfyUIProvider(MediaProvider):
    """One ComfyUI server. Its tasks have the ids that we give them, so an order is always found again."""

    name = "comfyui"
    can_find = True
    is_free = True
    poll_s = 1.0

    def __init__(
        self,
        base_url: str,
        templates: Mapping[Action, ComfyTemplate],
        *,
        socket: ComfySocket | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._http = ProviderHttp(self._base_url, {})
        self._templates = dict(templates)
        self.actions = frozenset(self._templates)
        self.params_schema = _schema(self._templates.values())
        self._client_id = uuid.uuid4().hex
        self._socket = socket or ComfySocket(self._base_url, self._client_id)

    def check(self, order: Order) -> None:
        if order.action not in self._templates:
            raise BadRequest(f"no workflow for {order.action} is configured")
        super().check(order)

    def prepare(self, order: Order) -> Order:
        """With the name of the image to begin with, which is uploaded."""
        return order if order.source is None else replace(order, source_id=self._upload(order.source))

    def submit(self, order: Order) -> Accepted:
        """Send an order that was prepared."""
        values = {**order.params, "prompt": order.prompt}
        if order.source is not None:
            values["image"] = order.source_id
        prompt_id = _prompt_id(order.reference)
        body = {
            "prompt": self._templates[order.action].filled(values),
            "client_id": self._client_id,
            "prompt_id": prompt_id,
        }
        self._socket.open()
        answer = self._http.order("/prompt", json=body)
        if not isinstance(answer, dict):
            raise OutcomeUnknown("its answer is not as documented")
        if answer.get("node_errors"):
            raise BadRequest("the workflow has errors", node_errors=answer["node_errors"])
        return Accepted(str(answer.get("prompt_id") or prompt_id), raw=answer)

    def _upload(self, source: SourceImage) -> str:
        if not source.content:
            raise BadRequest("ComfyUI needs the image itself")
        name = f"{uuid.uuid4().hex}.{source.media_type.rpartition('/')[2]}"
        answer = self._http.call("/upload/image", files={"image": (name, source.content, source.media_type)})
        return str(answer["name"]) if isinstance(answer, dict) and "name" in answer else name

    def look(self, task_id: str) -> Look:
        """The queue has what waits or runs, the history what ended. A restart forgets the queue."""
        state = self._queued_state(task_id)
        if state is not None:
            progress, preview = self._socket.latest(task_id)
            return Look(state, progress, preview=preview)
        found = self._history(task_id)
        if found is None:
            raise TaskNotFound("ComfyUI does not know the task: it may have been restarted")
        status = found.get("status") or {}
        if status.get("status_str") == "error":
            return Look(LookState.FAILED, error=GenerationFailed(_reason(status)), raw=found)
        return Look(LookState.DONE, 1.0, urls=tuple(self._urls(found)), raw=found)

    def _history(self, task_id: str) -> dict[str, Any] | None:
        answer = self._http.read(f"/history/{quote(task_id, safe='')}")
        found = answer.get(task_id) if isinstance(answer, dict) else None
        return found if isinstance(found, dict) else None

    def _is_queued(self, task_id: str) -> bool:
        return self._queued_state(task_id) is not None

    def _queued_state(self, task_id: str) -> LookState | None:
        queue = self._http.read("/queue")
        if not isinstance(queue, dict):
            raise ProviderDown("its queue is not as documented")
        for name, state in (("queue_running", LookState.RUNNING), ("queue_pending", LookState.QUEUED)):
            if any(task_id in entry[:2] for entry in queue.get(name) or []):
                return state
        return None

    def _urls(self, history: Mapping[str, Any]) -> Iterator[str]:
        for output in (history.get("outputs") or {}).values():
            for kind in _OUTPUTS:
                for each in output.get(kind) or []:
                    if each.get("type") != "temp":
                        query = {name: each.get(name, "") for name in ("filename", "subfolder", "type")}
                        yield f"{self._base_url}/view?{urlencode(query)}"

    def find(self, order: Order, since: float, is_known: Callable[[str], bool]) -> Accepted | None:
        task_id = _prompt_id(order.reference)
        known = self._is_queued(task_id) or self._history(task_id) is not None
        return Accepted(task_id) if known else None

    def cancel(self, task_id: str) -> bool:
        if self._queued_state(task_id) is LookState.RUNNING:
            self._http.call("/interrupt", json={"prompt_id": task_id})
        else:
            self._http.call("/queue", json={"delete": [task_id]})
        return True

    def close(self) -> None:
        self._socket.close()
        self._http.close()


def _schema(templates: Iterable[ComfyTemplate]) -> dict[str, Any]:
    """The inputs of all workflows, with what their nodes have as defaults."""
    properties: dict[str, Any] = {}
    for template in templates:
        for name in template.inputs:
            if name not in _OWN_INPUTS:
                properties.setdefault(name, _field(name, template.default(name)))
    return {"type": "object", "properties": properties}


def _field(name: str, default: Any) -> dict[str, Any]:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    kind = kinds.get(type(default))
    title = name.replace("_", " ").capitalize()
    return {"title": title} if kind is None else {"title": title, "type": kind, "default": default}


def _prompt_id(reference: str) -> str:
    """The id that we choose for a task: the reference if it is a UUID, else one made from it."""
    try:
        return str(uuid.UUID(reference))
    except ValueError:
        return (
            str(uuid.uuid5(uuid.NAMESPACE_URL, f"workroom:{reference}")) if reference else str(uuid.uuid4())
        )


def _reason(status: Mapping[str, Any]) -> str:
    for kind, message in reversed(status.get("messages") or []):
        if kind == "execution_error":
            return str(message.get("exception_message") or json.dumps(message)[:500])
    return "ComfyUI gives no reason"
