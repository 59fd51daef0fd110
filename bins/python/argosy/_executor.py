# SPDX-License-Identifier: Apache-2.0
"""An executor of `concurrent.futures` whose calls are jobs, for Dask, joblib and whatever else
takes one."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._map import JOBS_MAX
from ._spec import END_PATIENCE_S, Asked, Needs
from ._tasks import Outcome, Task, pack, pack_function, too_large

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._client import Client

GATHER_S = 0.02  # calls that come within this time are submitted together


@dataclass
class _Call:
    future: futures.Future[Any]
    task: Task


class Executor(futures.Executor):
    """Each call is a job of its own, at most 1,000 at a time; further ones wait here. Use map()
    for many small calls, which puts many of them into a job. `needs` are as for Client.submit."""

    def __init__(self, client: Client, *, queue: str | None = None, python: str | None = None,
                 **needs: Unpack[Asked]) -> None:
        self._client, self._python, self._needs = client, python, Needs(**needs)
        self._all_needs = needs
        self._queue, self._job_set = client._queue(queue), f"calls-{secrets.token_hex(6)}"
        self._max_workers = client._places(self._needs)  # Dask asks for it
        self._submitting = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: deque[_Call] = deque()  # guarded by it, as is what follows
        self._open = 0
        self._ended = self._dropped = False
        self._thread: threading.Thread | None = None
        client._results_of.add(self)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        task = pack(pack_function(lambda call: fn(*call[0], **call[1])), [(args, kwargs)], range(1))
        if task is None:
            raise Error(too_large("the call"))
        call = _Call(futures.Future(), task)
        with self._changed:
            if self._ended:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._waiting.append(call)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="argosy-calls")
                self._thread.start()
        return call.future

    def map(self, fn: Callable[..., Any], /, *iterables: Iterable[Any],
            timeout: float | None = None, chunksize: int = 1) -> Iterator[Any]:
        """As Client.map, with as many iterables as the function has arguments. `chunksize` says
        how many calls a job has at least."""
        items = list(zip(*iterables))
        if not items:
            return iter(())
        jobs = min(self._max_workers, -(-len(items) // max(chunksize, 1)))
        mapped = self._client.map(with_arguments(fn), items, queue=self._queue, jobs=jobs,
                                  python=self._python, progress=False, **self._all_needs)
        until = None if timeout is None else time.monotonic() + timeout

        def results() -> Iterator[Any]:
            with mapped:
                for place in range(len(items)):
                    left = None if until is None else max(until - time.monotonic(), 0)
                    yield mapped.result(place, left)

        return results()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._changed:
            self._ended, self._dropped = True, self._dropped or cancel_futures
            dropped = list(self._waiting) if cancel_futures else []
            if cancel_futures:
                self._waiting.clear()
            self._changed.notify_all()
        for call in dropped:
            call.future.cancel()
        if cancel_futures:
            self._cancel_jobs()
        if wait:
            with self._changed:
                self._changed.wait_for(lambda: not self._waiting and not self._open)

    def _cancel_jobs(self) -> None:
        with contextlib.suppress(Error):
            self._client._cancel_set(self._queue, self._job_set, "the executor ends")

    def _abandon(self) -> None:
        """Ends what nobody will read any more."""
        with self._changed:
            self._ended = self._dropped = True
            self._waiting.clear()
        if self._submitting.acquire(timeout=END_PATIENCE_S):  # until those under way are there
            self._submitting.release()
        if self._open > 0:
            self._client._cancel_set(self._queue, self._job_set, "its client ends", END_PATIENCE_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._waiting and self._open < JOBS_MAX or self._is_over())
                if not self._waiting:
                    return
            time.sleep(GATHER_S)
            with self._changed:
                room = min(JOBS_MAX - self._open, len(self._waiting))
                taken = [self._waiting.popleft() for _ in range(room)]
                calls = [one for one in taken if one.future.set_running_or_notify_cancel()]
                self._open += len(calls)
                self._changed.notify_all()
            if calls:
                self._begin(calls)

    def _is_over(self) -> bool:
        return self._ended and not self._waiting

    def _begin(self, calls: list[_Call]) -> None:
        try:
            self._submit_all(calls)
        except Exception as why:
            for call in calls:
                if not call.future.done():
                    self._end(call, why)
        with self._changed:
            too_late = self._dropped
        if too_late:  # they were on their way when the others were cancelled
            self._cancel_jobs()

    def _submit_all(self, calls: list[_Call]) -> None:
        with self._submitting:
            if self._dropped:
                raise Error("the executor has ended", "CANCELLED")
            self._client._run([call.task for call in calls], self._queue, self._job_set,
                              self._needs, self._python,
                              lambda number, got: self._end(calls[number], got))

    def _end(self, call: _Call, got: Outcome | BaseException) -> None:
        if isinstance(got, BaseException):
            call.future.set_exception(got)
        elif 0 in got.errors:
            call.future.set_exception(got.errors[0])
        else:
            call.future.set_result(got.values[0])
        with self._changed:
            self._open -= 1
            self._changed.notify_all()


def with_arguments(fn: Callable[..., Any]) -> Callable[[tuple[Any, ...]], Any]:
    """The function with its arguments as one tuple."""
    def starred(args: tuple[Any, ...]) -> Any:
        return fn(*args)
    return starred
