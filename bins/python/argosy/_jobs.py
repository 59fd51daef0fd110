# SPDX-License-Identifier: Apache-2.0
"""One job, as whoever submitted it sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ._errors import Error, JobFailed
from ._follow import ENDED, states_of
from ._wire import Wire
from ._worker import MARK

if TYPE_CHECKING:
    from ._client import Client

CHUNK_BYTES = 1 << 20
LOG_BYTES_MAX = 64 << 20
RESULTS = re.compile(rb"\n?" + MARK + rb"[0-9a-f]{32} [A-Za-z0-9+/=]*\n")


@dataclass(frozen=True)
class Event:
    """Something that happened to a job: `kind` is Armada's name for it, such as "leased"."""

    kind: str
    time: datetime
    reason: str = ""
    node: str = ""

    @staticmethod
    def _of(message: Any) -> Event:
        kind = message.WhichOneof("events")
        about = getattr(message, kind)
        at = datetime.fromtimestamp(about.created.seconds, timezone.utc)
        return Event(kind, at.replace(microsecond=about.created.nanos // 1000),
                     getattr(about, "reason", ""), getattr(about, "node_name", ""))


class Job:
    """A job that was submitted. Its methods ask the server, and may be called by any thread."""

    def __init__(self, client: Client, job_id: str, queue: str, job_set: str) -> None:
        self._client = client
        self._end: Future[str] | None = None
        self.id = job_id
        self.queue = queue
        self.job_set = job_set

    def __repr__(self) -> str:
        return f"<argosy.Job {self.id}>"

    @property
    def state(self) -> str:
        """Such as "queued" or "running"."""
        if self._end is not None and self._end.done() and not self._end.exception():
            return self._end.result()
        return states_of(self._client._wire, [self.id])[self.id]

    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDED

    def wait(self, timeout: float | None = None, *, check: bool = True) -> str:
        """Waits for the end and returns the state. With `check` any other end than success is
        JobFailed. TimeoutError after `timeout` seconds; the job goes on then."""
        try:
            state = self._future().result(timeout)
        except FutureTimeout:
            raise TimeoutError(f"job {self.id} has not ended after {timeout} s: "
                               f"{self.why()}") from None
        return self._judge(state, check)

    def why(self) -> str:
        """Why it waits, runs where it runs, or ended as it did, in sentences."""
        told = self._client._wire.call("Explain.ExplainJob", job_id=self.id)
        return " ".join([told.verdict, *told.notes])

    def logs(self) -> str:
        """What its last run has written so far, stdout and stderr as they came, but for the
        results of a map."""
        told = b"".join(piece for piece, _ in read_output(self._client._wire, self.id))
        return RESULTS.sub(b"", told).decode("utf-8", "replace")

    def events(self) -> list[Event]:
        """What happened to it, the oldest first."""
        told = self._client._wire.call("Query.DescribeJob", job_id=self.id)
        if told.history_hidden:
            raise Error(told.history_hidden, "PERMISSION_DENIED")
        return [Event._of(one) for one in told.history if one.WhichOneof("events")]

    def cancel(self, reason: str = "") -> None:
        """Asks for its end; nothing happens if it has ended."""
        self._client._wire.call("Submit.CancelJobs", job_ids=[self.id], queue=self.queue,
                                job_set_id=self.job_set, reason=reason)

    def _future(self) -> Future[str]:
        if self._end is None:
            self._end = self._client._follow(self.queue, self.job_set, [self.id])[0]
        return self._end

    def _judge(self, state: str, check: bool) -> str:
        if check and state != "succeeded":
            raise JobFailed(self.id, state, self._reason(state))
        return state

    def _reason(self, state: str) -> str:
        if state == "unknown":
            return "the server does not know it any more"
        return str(self._client._wire.call("Query.DescribeJob", job_id=self.id).summary.reason)


def read_output(wire: Wire, job_id: str, bytes_max: int = LOG_BYTES_MAX
                ) -> Iterator[tuple[bytes, list[int]]]:
    """The output of the last run in pieces, each with the places where stderr and stdout take
    turns in it. Error if some of it is lost."""
    fields: dict[str, Any] = {"job_id": job_id, "size_max": CHUNK_BYTES}
    offset = taken = 0
    while taken < bytes_max:
        told = wire.call("Logs.Read", offset=offset, **fields)
        if told.data:
            yield told.data, list(told.turns)
        if told.end or told.next_offset == offset and not told.data:
            return
        taken += len(told.data)
        offset = told.next_offset
        fields.update(run=told.run, mark=told.mark, position=told.position)
