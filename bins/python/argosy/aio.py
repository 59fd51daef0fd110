# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio: the same methods, to be awaited. Waiting takes no thread.

    async with argosy.aio.Client(queue="research") as client:
        job = await client.submit(["hostname"])
        await job.wait()
        async for result in await client.map(function, items):
            ...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from . import _client, _jobs, _map

THREADS = 8  # how many calls one client has under way at a time


class Client:
    """See argosy.Client. The connection is made by `async with`, or by the first call."""

    def __init__(self, server: str | None = None, **options: Any) -> None:
        self._make = partial(_client.Client, server, **options)
        self._client: _client.Client | None = None
        self._threads = ThreadPoolExecutor(THREADS, "argosy-aio")
        self._guard = asyncio.Lock()

    async def __aenter__(self) -> Client:
        await self._connected()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._client is not None:
            await self._call(self._client.close)
        self._threads.shutdown(wait=False)

    async def whoami(self) -> str:
        name: str = await self._call((await self._connected()).whoami)
        return name

    async def create_queue(self, name: str, *, priority_factor: float = 1) -> None:
        client = await self._connected()
        await self._call(client.create_queue, name, priority_factor=priority_factor)

    async def submit(self, command: str | Sequence[str], **options: Any) -> Job:
        client = await self._connected()
        return Job(self, await self._call(client.submit, command, **options))

    async def job(self, job_id: str) -> Job:
        return Job(self, await self._call((await self._connected()).job, job_id))

    async def map(self, function: Callable[[Any], Any], items: Iterable[Any],
                  **options: Any) -> Mapped:
        client = await self._connected()
        return Mapped(self, await self._call(client.map, function, items, **options))

    async def _connected(self) -> _client.Client:
        async with self._guard:
            if self._client is None:
                self._client = await self._call(self._make)
            return self._client

    async def _call(self, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(function, *args, **more))


class Job:
    """See argosy.Job."""

    def __init__(self, client: Client, job: _jobs.Job) -> None:
        self._client, self._job = client, job
        self.id, self.queue, self.job_set = job.id, job.queue, job.job_set

    async def state(self) -> str:
        out: str = await self._client._call(lambda: self._job.state)
        return out

    async def wait(self, timeout: float | None = None, *, check: bool = True) -> str:
        end = asyncio.wrap_future(await self._client._call(self._job._future))
        try:
            # Whoever stops waiting does not end the waiting of others.
            state = await asyncio.wait_for(asyncio.shield(end), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"job {self.id} has not ended after {timeout} s: "
                               f"{await self.why()}") from None
        out: str = await self._client._call(self._job._judge, state, check)
        return out

    async def why(self) -> str:
        out: str = await self._client._call(self._job.why)
        return out

    async def logs(self) -> str:
        out: str = await self._client._call(self._job.logs)
        return out

    async def events(self) -> list[_jobs.Event]:
        out: list[_jobs.Event] = await self._client._call(self._job.events)
        return out

    async def cancel(self, reason: str = "") -> None:
        await self._client._call(self._job.cancel, reason)


class Mapped:
    """See argosy.Mapped; `async for` gives the results in the items' order."""

    def __init__(self, client: Client, mapped: _map.Mapped) -> None:
        self._client, self._mapped = client, mapped
        self.jobs = [Job(client, job) for job in mapped.jobs]

    def __len__(self) -> int:
        return len(self._mapped)

    async def result(self, place: int) -> Any:
        loop, there = asyncio.get_running_loop(), asyncio.Event()
        self._mapped._call_when(place, lambda: loop.call_soon_threadsafe(there.set))
        await there.wait()
        return self._mapped.result(place, 0)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for place in range(len(self)):
            yield await self.result(place)

    async def cancel(self, reason: str = "") -> None:
        await self._client._call(self._mapped.cancel, reason)
