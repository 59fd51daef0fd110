# SPDX-License-Identifier: Apache-2.0
"""The client: one connection to a server, and what can be asked of it."""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import secrets
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from ._contexts import find_server
from ._errors import Error, WrongVersion
from ._follow import Follower
from ._jobs import Job
from ._map import JOBS_LEAST, JOBS_MAX, JOBS_PER_PLACE, Mapped, divide
from ._spec import Asked, Needs, end_jobs, item_of, submit_items
from ._tasks import Outcome, Task, fetch, job_of
from ._wire import PATIENCE_S, Wire


if TYPE_CHECKING:  # Python 3.10 has none
    from typing_extensions import Unpack

    from ._executor import Executor

FIRST_PATIENCE_S = 10.0  # somebody waits for the first answer
READERS = 4  # how many jobs' results are read at a time


def own_version() -> str:
    return importlib.metadata.version("argosy")


class Client:
    """A connection to the server that find_server() finds. `queue` is that of jobs which name
    none. A server that is away is tried again for `patience` seconds."""

    def __init__(self, server: str | None = None, *, context: str | None = None,
                 queue: str | None = None, patience: float = PATIENCE_S) -> None:
        self.queue = queue
        self.job_set = f"python-{secrets.token_hex(4)}"
        self._wire = Wire(find_server(server, context), patience)
        self._guard = threading.Lock()
        self._followers: dict[tuple[str, str], Follower] = {}
        self._readers = ThreadPoolExecutor(READERS, "argosy-read")
        self._results_of: weakref.WeakSet[Mapped | Executor] = weakref.WeakSet()
        try:
            self._check_version()
        except BaseException:
            self._wire.close()
            raise
        _open.add(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. Jobs go on, but for those of maps and executors: nobody could read
        their results."""
        _open.discard(self)
        self._end_results()
        with self._guard:
            followers = list(self._followers.values())
        for one in followers:
            one.close()
        # What waits there is read in vain and told as lost; dropped, it would be waited for.
        self._readers.shutdown(wait=False)
        self._wire.close()

    def whoami(self) -> str:
        """The name by which the server knows the caller."""
        return str(self._wire.call("Access.WhoAmI").name)

    def create_queue(self, name: str, *, priority_factor: float = 1) -> None:
        """Makes a queue, unless there is one of this name."""
        try:
            self._wire.call("Submit.CreateQueue", name=name, priority_factor=priority_factor,
                            metadata={"argosy-mode": "create"})
        except Error as why:
            if why.code != "ALREADY_EXISTS":
                raise

    def submit(self, command: str | Sequence[str], *, queue: str | None = None,
               job_set: str | None = None, **needs: Unpack[Asked]) -> Job:
        """Submits a job that runs the command; a text is one for the shell. `needs` are the fields
        of argosy.Needs, such as cpu=4, memory="8Gi", env={...}, image="python:3.12"."""
        words = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        return self._submit(queue, job_set, [item_of(Needs(**needs), words)])[0]

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], *,
            queue: str | None = None, jobs: int | None = None, python: str | None = None,
            progress: bool | None = None, **needs: Unpack[Asked]) -> Mapped:
        """Calls the function for each item in jobs, and gives the results in the items' order.
        `jobs` says into how many jobs the items are divided, at most 1,000; usually four for each
        place where one could run. The job's Python, `python`, has to be of this version."""
        wanted, all_items = Needs(**needs), list(items)
        queue, job_set = self._queue(queue), f"map-{secrets.token_hex(6)}"
        tasks = divide(function, all_items, jobs or self._places(wanted))
        out = Mapped(self, queue, job_set, len(all_items), progress)
        self._results_of.add(out)
        try:
            out.jobs = self._run(tasks, queue, job_set, wanted, python, out._take_task)
        except BaseException:
            with contextlib.suppress(Error):
                out.cancel()
            raise
        return out

    def job(self, job_id: str) -> Job:
        """A job that was submitted before, by this client or any other."""
        found = self._wire.call("Query.DescribeJob", job_id=job_id).summary
        return Job(self, found.job_id, found.queue, found.job_set)

    def _submit(self, queue: str | None, job_set: str | None, items: list[Any]) -> list[Job]:
        queue, job_set = self._queue(queue), job_set or self.job_set
        ids = submit_items(self._wire, queue, job_set, items)
        return [Job(self, job, queue, job_set) for job in ids]

    def _run(self, tasks: list[Task], queue: str, job_set: str, needs: Needs, python: str | None,
             told: Callable[[int, Outcome | BaseException], None]) -> list[Job]:
        """Submits a job for each task. `told` is called with the number of each that has ended,
        on another thread, and what came of it."""
        jobs = self._submit(queue, job_set, [job_of(task, needs, python) for task in tasks])
        try:
            ends = self._follow(queue, job_set, [job.id for job in jobs])
        except BaseException:
            end_jobs(self._wire, queue, job_set, [job.id for job in jobs])
            raise

        def read(number: int, end: Future[str]) -> None:
            failed = end.exception()
            try:
                told(number, failed or fetch(self, jobs[number], end.result(), tasks[number]))
            except Exception as why:
                told(number, why)

        for number, end in enumerate(ends):
            end.add_done_callback(partial(self._read_later, read, number))
        return jobs

    def _read_later(self, read: Callable[[int, Future[str]], None], number: int,
                    end: Future[str]) -> None:
        try:
            self._readers.submit(read, number, end)
        except RuntimeError:  # the client is closed
            read(number, end)

    def _places(self, needs: Needs) -> int:
        """How many jobs a map is divided into."""
        cores = sum(each.amount for pool in self._wire.call("Query.ListPools").pools
                    for each in pool.total if each.resource == "cpu") / 1_000
        text, each = str(needs.cpu), 1.0
        with contextlib.suppress(ValueError):  # the server says what is wrong with an amount
            each = float(text[:-1]) / 1_000 if text.endswith("m") else float(text)
        return int(min(JOBS_MAX, max(JOBS_LEAST, JOBS_PER_PLACE * cores / max(each, 0.001))))

    def _end_results(self) -> None:
        for one in list(self._results_of):
            with contextlib.suppress(Error):
                one._abandon()

    def _cancel_set(self, queue: str, job_set: str, reason: str,
                    patience_s: float | None = None) -> None:
        self._wire.call("Submit.CancelJobSet", queue=queue, job_set_id=job_set, reason=reason,
                        patience_s=patience_s)

    def _queue(self, queue: str | None) -> str:
        found = queue or self.queue
        if not found:
            raise Error("name a queue: queue=NAME here, or once for all in Client(queue=NAME); "
                        "argosyctl get queues lists them")
        return found

    def _follow(self, queue: str, job_set: str, ids: list[str]) -> list[Future[str]]:
        with self._guard:
            key = (queue, job_set)
            if key not in self._followers:
                self._followers[key] = Follower(self._wire, queue, job_set)
            follower = self._followers[key]
        return follower.expect(ids)

    def _check_version(self) -> None:
        first = min(self._wire.patience_s, FIRST_PATIENCE_S)
        server = self._wire.call("Query.GetVersion", patience_s=first).version
        own = own_version()
        if server.split(".")[:2] != own.split(".")[:2]:
            raise WrongVersion(f"the server at {self._wire.address.target} has version {server} "
                               f"and this package {own}; install argosy=={server}")


connect = Client
_open: weakref.WeakSet[Client] = weakref.WeakSet()


@atexit.register
def _end_all_results() -> None:
    for client in list(_open):
        client._end_results()
