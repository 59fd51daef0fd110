# SPDX-License-Identifier: Apache-2.0
"""A function mapped over items by jobs: at most 1,000 of them, each with a part of the items."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import Error, ResultLost
from ._jobs import Job
from ._progress import Progress
from ._spec import END_PATIENCE_S
from ._tasks import PAYLOAD_CHARS_MAX, Outcome, Task, pack, pack_function, too_large

if TYPE_CHECKING:
    from ._client import Client

JOBS_MAX = 1_000
# So many jobs for each place where one can run: the others fill gaps when some take longer.
JOBS_PER_PLACE = 4
JOBS_LEAST = 8


def divide(function: Callable[[Any], Any], items: Sequence[Any], wanted: int) -> list[Task]:
    """Divides the items into about so many tasks, more if one would be too large for a job."""
    packed, out = pack_function(function), []
    parts = max(1, min(wanted, JOBS_MAX, len(items)))
    cuts = [len(items) * i // parts for i in range(parts + 1)]
    left = [range(begin, end) for begin, end in zip(cuts, cuts[1:]) if end > begin][::-1]
    while left:
        places = left.pop()
        task = pack(packed, items, places)
        if task is not None:
            out.append(task)
        elif len(places) == 1:
            raise Error(too_large(f"item {places.start} with the function"))
        else:
            middle = places.start + len(places) // 2
            left += [range(middle, places.stop), range(places.start, middle)]
        if len(out) + len(left) > JOBS_MAX:
            raise Error(f"the items are too large for {JOBS_MAX} jobs: packed, about "
                        f"{JOBS_MAX * PAYLOAD_CHARS_MAX * 3 // 4 >> 20} MiB fit; let the function "
                        "read what is large from files")
    return out


class Mapped:
    """The results of a map, in the order of the items. Iterating waits for each, and raises what
    the function raised for that item, or ResultLost; going on gives the next one. Leaving a `with`
    block cancels what has not ended."""

    def __init__(self, client: Client, queue: str, job_set: str, count: int,
                 progress: bool | None) -> None:
        self._client = client
        self._changed = threading.Condition()
        self._values: dict[int, Any] = {}  # guarded by it, as is what follows
        self._errors: dict[int, BaseException] = {}
        self._broken: BaseException | None = None
        self._told: dict[int, list[Callable[[], object]]] = {}
        self._count = count
        self._progress = Progress(count, progress)
        self.queue = queue
        self.job_set = job_set
        self.jobs: list[Job] = []

    def __len__(self) -> int:
        return self._count

    def __enter__(self) -> Mapped:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.done():
            self.cancel()

    def __iter__(self) -> Iterator[Any]:
        return _Results(self)

    def __getitem__(self, place: int) -> Any:
        return self.result(range(self._count)[place])

    def done(self) -> bool:
        """Whether each item has a result or an error."""
        with self._changed:
            return len(self._values) + len(self._errors) == self._count

    def result(self, place: int, timeout: float | None = None) -> Any:
        """The result of one item."""
        with self._changed:
            self._wait(lambda: place in self._values or place in self._errors, timeout)
            if place in self._errors:
                raise self._errors[place]
            return self._values[place]

    def wait(self, timeout: float | None = None) -> Mapped:
        """Waits until each item has a result or an error."""
        with self._changed:
            self._wait(lambda: len(self._values) + len(self._errors) == self._count, timeout)
        return self

    @property
    def errors(self) -> dict[int, BaseException]:
        """The errors so far, by the places of their items."""
        with self._changed:
            return dict(sorted(self._errors.items()))

    @property
    def lost(self) -> list[int]:
        """The places of items without a result though the function did not raise."""
        return [i for i, error in self.errors.items() if isinstance(error, ResultLost)]

    def cancel(self, reason: str = "") -> None:
        """Asks for the end of all jobs; items without a result then are lost."""
        self._client._cancel_set(self.queue, self.job_set, reason)

    def _abandon(self) -> None:
        """Ends what nobody will read any more."""
        if not self.done():
            self._client._cancel_set(self.queue, self.job_set, "its client ends", END_PATIENCE_S)

    def _call_when(self, place: int, told: Callable[[], object]) -> None:
        """Calls once when the item has a result or an error, on any thread."""
        with self._changed:
            if not self._has(place):
                self._told.setdefault(place, []).append(told)
                return
        told()

    def _has(self, place: int) -> bool:
        return place in self._values or place in self._errors or self._broken is not None

    def _wait(self, is_there: Callable[[], bool], timeout: float | None) -> None:
        until = None if timeout is None else time.monotonic() + timeout
        while not is_there():
            if self._broken is not None:
                raise self._broken
            left = 3600.0 if until is None else until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{len(self._values) + len(self._errors)} of {self._count} items"
                                   f" are done after {timeout} s")
            self._changed.wait(left)

    def _take_task(self, _: int, outcome: Outcome | BaseException) -> None:
        with self._changed:
            if isinstance(outcome, BaseException):
                self._broken = outcome
            else:
                self._values.update(outcome.values)
                self._errors.update(outcome.errors)
            done, failed = len(self._values) + len(self._errors), len(self._errors)
            ready = [place for place in self._told if self._has(place)]
            calls = [call for place in ready for call in self._told.pop(place)]
            self._changed.notify_all()
        for call in calls:
            call()
        with contextlib.suppress(Exception):  # what cannot be shown is no reason to end
            self._progress.update(done, failed)


class _Results:
    """An iterator that can go on after an error."""

    def __init__(self, of: Mapped) -> None:
        self._of, self._place = of, 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._place >= len(self._of):
            raise StopIteration
        self._place += 1
        return self._of.result(self._place - 1)
