# SPDX-License-Identifier: Apache-2.0
"""Python functions as jobs: how a function and its items get into a job, and how the results come
back. Both travel by what every backend has: the environment of a job, which its owner alone sees,
and its output. Only results that carry the mark of this task's key are loaded."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import importlib.resources
import os
import pickle
import secrets
import site
import sys
import sysconfig
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import cloudpickle

from ._errors import Error, JobFailed, ResultLost
from ._jobs import Job, read_output
from ._spec import Needs, item_of
from ._worker import MARK

if TYPE_CHECKING:
    from ._client import Client

# A job's specification has at most 64 KiB, of which this is for the function and its items.
PAYLOAD_CHARS_MAX = 56_000
OUTPUT_BYTES_MAX = 64 << 20
START = ("import base64,os,zlib;"
         "exec(zlib.decompress(base64.b64decode(os.environ.pop('ARGOSY_PY_MAIN'))))")
_pickling = threading.Lock()  # what cloudpickle takes along is set for all


@dataclass
class Task:
    """A function with some of the items, as it travels in one job."""

    payload: str
    key: bytes
    items: range


@dataclass
class Outcome:
    """What became of a task: its results by place, and why others are missing."""

    values: dict[int, Any] = field(default_factory=dict)
    errors: dict[int, BaseException] = field(default_factory=dict)


def too_large(what: str) -> str:
    return (f"{what} is too large for a job: packed, it may have {PAYLOAD_CHARS_MAX * 3 // 4} "
            "bytes; let the function read what is large from a file")


@contextlib.contextmanager
def own_modules_by_value() -> Iterator[None]:
    """What is pickled within takes along the caller's modules that are not installed, since jobs
    lack them."""
    with _pickling:
        own = [module for name, module in list(sys.modules.items())
               if name != "__main__" and _is_own(getattr(module, "__file__", None) or "")]
        for module in own:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in own:
                cloudpickle.unregister_pickle_by_value(module)


@cache
def _is_own(file: str) -> bool:
    return bool(file) and "-packages" not in file and not file.startswith(
        (sysconfig.get_paths()["stdlib"], os.path.dirname(__file__)))


def pack_function(function: Callable[..., Any]) -> bytes:
    with own_modules_by_value():
        return bytes(cloudpickle.dumps(function))


def pack(function: bytes, items: Sequence[Any], places: range) -> Task | None:
    """None if it is too large for one job."""
    key = secrets.token_bytes(32)
    with own_modules_by_value():
        packed = cloudpickle.dumps(items[places.start:places.stop])
    inner = pickle.dumps((function, packed))
    data = pickle.dumps((sys.version_info[:2], key, places.start, inner))
    payload = base64.b64encode(zlib.compress(data)).decode()
    return Task(payload, key, places) if len(payload) <= PAYLOAD_CHARS_MAX else None


@cache
def _worker() -> str:
    text = importlib.resources.files(__package__).joinpath("_worker.py").read_bytes()
    return base64.b64encode(zlib.compress(text, 9)).decode()


def job_of(task: Task, needs: Needs, python: str | None) -> Any:
    """The job that carries a task out, by this Python where the job has no image."""
    env = {"ARGOSY_PY_MAIN": _worker(), "ARGOSY_PY_DATA": task.payload}
    if not needs.image and not python:
        env["PYTHONUSERBASE"] = site.getuserbase()  # the job has a home of its own
    command = [python or ("python3" if needs.image else sys.executable), "-c", START]
    return item_of(needs, command, env)


def fetch(client: Client, job: Job, state: str, task: Task) -> Outcome:
    """Reads the results of a job that has ended in this state."""
    out, why = Outcome(), None
    try:
        for index, good, data in _frames(client, job, task.key):
            _take(out, index, good, data)
    except Error as error:
        why = f"the output of job {job.id} cannot be read: {error}"
    fatal = out.errors.pop(-1, None)
    missing = [i for i in task.items if i not in out.values and i not in out.errors]
    if not missing:
        return out
    if why is None and state != "succeeded":
        why = str(JobFailed(job.id, state, job._reason(state)))
    why = why or f"the output of job {job.id} does not have it"
    for i in missing:
        out.errors[i] = fatal or ResultLost(f"item {i} has no result: {why}", task.items, job.id)
    return out


def _take(out: Outcome, index: int, good: bool, data: bytes) -> None:
    try:
        value = pickle.loads(data)
    except Exception as why:
        good, value = False, (why, "the result cannot be loaded here")
    if good:
        out.values[index] = value
    else:
        out.errors[index], text = value
        out.errors[index].__cause__ = RuntimeError("in the job:\n" + text)


def _frames(client: Client, job: Job, key: bytes) -> list[tuple[int, bool, bytes]]:
    out: list[tuple[int, bool, bytes]] = []
    for line in stdout_of(client, job).split(b"\n"):
        if not line.startswith(MARK):
            continue
        mark, _, text = line[len(MARK):].partition(b" ")
        wanted = hashlib.blake2b(text, key=key, digest_size=16).hexdigest().encode()
        if hmac.compare_digest(mark, wanted):
            out.extend(pickle.loads(zlib.decompress(base64.b64decode(text))))
    return out


def stdout_of(client: Client, job: Job) -> bytes:
    """What a job wrote to stdout, without what it wrote to stderr in between."""
    out = bytearray()
    for data, turns in read_output(client._wire, job.id, OUTPUT_BYTES_MAX):
        for number, (begin, end) in enumerate(zip([0, *turns], [*turns, len(data)])):
            if number % 2 == 0:
                out += data[begin:end]
    return bytes(out)
