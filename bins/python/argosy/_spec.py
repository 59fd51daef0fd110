# SPDX-License-Identifier: Apache-2.0
"""What a job asks for, as the message that submits it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from ._errors import Error
from ._wire import Wire, message

REQUEST_BYTES_MAX = 2 << 20
REQUEST_JOBS_MAX = 1_000
IDS_MAX = 500  # what the server takes in one call
END_PATIENCE_S = 2.0  # a process that ends does not wait long for a server that is away


@dataclass(frozen=True)
class Needs:
    """What each job of a submission or of a map needs. Amounts are as in job files: cpu 2 or
    "500m", memory "1Gi"; `resources` has those that have no name here."""

    cpu: float | str = 1
    memory: str = "1Gi"
    gpu: int | str = 0
    resources: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    namespace: str = ""
    priority: float = 0
    priority_class: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    def amounts(self) -> dict[str, str]:
        out = {"cpu": str(self.cpu), "memory": str(self.memory)}
        if self.gpu:
            out["nvidia.com/gpu"] = str(self.gpu)
        return {**out, **self.resources}


class Asked(TypedDict, total=False):
    """The fields of Needs, as the calls take them by name."""

    cpu: float | str
    memory: str
    gpu: int | str
    resources: Mapping[str, str]
    image: str
    env: Mapping[str, str]
    namespace: str
    priority: float
    priority_class: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


def typed(text: str) -> str:
    """In a pod spec $(NAME) is replaced, and $$ means $; the command is to get what was typed."""
    return text.replace("$$", "$$$$").replace("$(", "$$(")


def item_of(needs: Needs, command: Sequence[str], env: Mapping[str, str] | None = None) -> Any:
    """One job. `env` is added to that of the needs."""
    item = message("api.JobSubmitRequestItem", priority=needs.priority, namespace=needs.namespace,
                   labels=dict(needs.labels), annotations=dict(needs.annotations))
    pod = item.pod_spec
    pod.restartPolicy = "Never"
    if needs.priority_class:
        pod.priorityClassName = needs.priority_class
    main = pod.containers.add(name="main", image=needs.image or "none")
    main.command.extend(typed(word) for word in command)
    for name, value in {**needs.env, **(env or {})}.items():
        main.env.add(name=name, value=typed(str(value)))
    for name, amount in needs.amounts().items():
        main.resources.requests[name].string = amount
        main.resources.limits[name].string = amount
    return item


def submit_items(wire: Wire, queue: str, job_set: str, items: Iterable[Any]) -> list[str]:
    """Submits the jobs in requests of bounded size and returns their ids. Each request has a key,
    so that repeating it makes nothing twice. If one fails, the jobs of those before it are ended.
    """
    key = secrets.token_hex(16)
    ids: list[str] = []
    try:
        for number, request in enumerate(_requests(queue, job_set, items)):
            answer = _submit(wire, request, f"{key}-{number}")
            ids += [one.job_id for one in answer if not one.error]
            for one in answer:
                if one.error:
                    raise Error(one.error)
    except BaseException:
        end_jobs(wire, queue, job_set, ids)
        raise
    return ids


def end_jobs(wire: Wire, queue: str, job_set: str, ids: list[str]) -> None:
    """Ends jobs of which nobody was told."""
    for begin in range(0, len(ids), IDS_MAX):
        with contextlib.suppress(Error):
            wire.call("Submit.CancelJobs", job_ids=ids[begin:begin + IDS_MAX], queue=queue,
                      job_set_id=job_set, reason="its client could not go on",
                      patience_s=END_PATIENCE_S)


def _requests(queue: str, job_set: str, items: Iterable[Any]) -> list[Any]:
    requests: list[Any] = []
    size = REQUEST_BYTES_MAX
    for item in items:
        bytes_of_item = item.ByteSize()
        if size + bytes_of_item > REQUEST_BYTES_MAX or \
                len(requests[-1].job_request_items) >= REQUEST_JOBS_MAX:
            requests.append(message("api.JobSubmitRequest", queue=queue, job_set_id=job_set))
            size = 0
        requests[-1].job_request_items.append(item)
        size += bytes_of_item
    return requests


def _submit(wire: Wire, request: Any, key: str) -> list[Any]:
    with_key = {"argosy-idempotency-key": key, "argosy-namespace": "usual"}
    try:
        answer = wire.call("Submit.SubmitJobs", request, metadata=with_key)
    except Error as why:
        if not str(why).startswith("could not find queue"):
            raise
        raise Error(f"queue '{request.queue}' does not exist; make it: "
                    f"client.create_queue('{request.queue}')", "NOT_FOUND") from None
    return list(answer.job_response_items)
