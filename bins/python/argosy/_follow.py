# SPDX-License-Identifier: Apache-2.0
"""Tells when jobs end: one thread reads the events of a job set for all who wait for its jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

import grpc

from ._errors import Error, Unreachable
from ._spec import IDS_MAX
from ._wire import PAUSE_MAX_S, PAUSE_S, Wire, job_state

ENDED = frozenset(("succeeded", "failed", "cancelled", "preempted", "rejected"))
POLL_S = 0.5
REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT,
           grpc.StatusCode.NOT_FOUND)
# An event of these kinds may be the last one of its job.
LAST_EVENTS = frozenset(("succeeded", "failed", "cancelled", "preempted"))


def states_of(wire: Wire, ids: Iterable[str]) -> dict[str, str]:
    """The states of jobs by their ids; "unknown" for those that the server does not know."""
    wanted, out = list(ids), {}
    for begin in range(0, len(wanted), IDS_MAX):
        answer = wire.call("Jobs.GetJobStatus", job_ids=wanted[begin:begin + IDS_MAX])
        out.update({job: job_state(number) for job, number in answer.job_states.items()})
    return out


class Follower:
    """Follows one job set. The stream is open only while somebody waits. When it breaks, the next
    one begins at the present, and the states of all jobs are asked for: none is counted twice."""

    def __init__(self, wire: Wire, queue: str, job_set: str) -> None:
        self._wire, self._queue, self._job_set = wire, queue, job_set
        self._guard = threading.Lock()
        self._waiting: dict[str, Future[str]] = {}  # guarded, as is what follows
        self._running = False
        self._opened = False
        self._stream: Any = None
        self._closed = False

    def expect(self, ids: list[str]) -> list[Future[str]]:
        """Futures of the states in which the jobs end."""
        with self._guard:
            if not self._running:
                # Here and not on that thread: the process may be ending when that begins.
                self._stream = self._open()
                threading.Thread(target=self._run, daemon=True, name="argosy-follow").start()
                self._running = True
            ends = [self._waiting.setdefault(job, Future()) for job in ids]
            is_open = self._opened
        if is_open:
            self._look(ids)  # their ends may have been told before anybody waited for them
        return ends

    def close(self) -> None:
        with self._guard:
            self._closed = True
            if self._stream is not None:
                self._stream.cancel()

    def _run(self) -> None:
        failing_since, pause = None, PAUSE_S
        while not self._is_over():
            try:
                if self._stream is None:
                    self._stream = self._open()
                if not self._read(self._stream):
                    time.sleep(PAUSE_S)  # the server ended it, and may end the next one too
                self._stream, failing_since = None, None
            except (grpc.RpcError, Error) as why:
                with self._guard:
                    self._opened, self._stream = False, None
                if self._is_over():
                    return
                now = time.monotonic()
                failing_since = failing_since or now
                final = isinstance(why, Error) and not isinstance(why, Unreachable)
                if final or now - failing_since > self._wire.patience_s:
                    return self._give_up(why)
                if isinstance(why, grpc.RpcError) and why.code() in REFUSED:
                    return self._give_up(Error(why.details() or "", why.code().name))
                if isinstance(why, grpc.RpcError) and \
                        why.code() == grpc.StatusCode.PERMISSION_DENIED:
                    return self._poll()
                time.sleep(pause)
                pause = min(2 * pause, PAUSE_MAX_S)

    def _poll(self) -> None:
        """Asks for the states of jobs, which everybody may read, where events take a right."""
        try:
            while not self._is_over():
                with self._guard:
                    pending = list(self._waiting)
                self._look(pending)
                time.sleep(POLL_S)
        except Error as why:
            self._give_up(why)

    def _is_over(self) -> bool:
        """Whether the thread has to end; decided together with whether a new one begins."""
        with self._guard:
            if self._waiting and not self._closed:
                return False
            self._running = self._opened = False
            left = [] if not self._closed else list(self._waiting.values())
            self._waiting = {} if self._closed else self._waiting
        for end in left:
            end.set_exception(Error("the client was closed", "CANCELLED"))
        return True

    def _open(self) -> Any:
        if not threading.main_thread().is_alive():
            # A stream that is opened now would keep the process from ending.
            raise Error("this process ends", "CANCELLED")
        return self._wire.stream("Event.GetJobSetEvents", {"argosy-from": "now"},
                                 id=self._job_set, queue=self._queue, watch=True)

    def _read(self, stream: Any) -> bool:
        """Reads until nobody waits; false if the stream ends before."""
        for event in stream:
            if not event.message.WhichOneof("events"):  # the place where the stream begins
                with self._guard:
                    self._opened = True
                    pending = list(self._waiting)
                self._look(pending)
            else:
                kind = event.message.WhichOneof("events")
                job = getattr(event.message, kind).job_id
                if kind == "succeeded":
                    self._tell({job: kind})
                elif kind in LAST_EVENTS:
                    self._look([job])  # it may go on, or have ended in another way
            with self._guard:
                if self._waiting and not self._closed:
                    continue
            stream.cancel()
            return True
        return False

    def _look(self, ids: list[str]) -> None:
        with self._guard:
            wanted = [job for job in ids if job in self._waiting]
        self._tell(states_of(self._wire, wanted))

    def _tell(self, states: dict[str, str]) -> None:
        with self._guard:
            ended = [(self._waiting.pop(job), state) for job, state in states.items()
                     if state in ENDED | {"unknown"} and job in self._waiting]
        for end, state in ended:
            end.set_result(state)

    def _give_up(self, why: Exception) -> None:
        if isinstance(why, grpc.RpcError):
            why = Unreachable(f"the server at {self._wire.address.target} does not answer: "
                              f"{why.details()}")
        with self._guard:
            left, self._waiting = list(self._waiting.values()), {}
            self._running = self._opened = False
        for end in left:
            end.set_exception(why)
