# SPDX-License-Identifier: Apache-2.0
"""What a job of `map` runs. Its text travels in the job, so that it needs Python and cloudpickle
there and not this package. Results go to stdout as lines that only who knows the key can write;
what the function prints goes to stderr."""

import base64
import hashlib
import os
import pickle
import signal
import sys
import time
import traceback
import zlib
from typing import Any

MARK = b"argosy-result "
FLUSH_AFTER_S = 1.0
FRAME_BYTES_MAX = 1 << 20
# A run's output is kept up to 64 MiB, the middle going first.
RESULT_BYTES_MAX = 20 << 20


class Results:
    """Writes what is done every second, so that it is not lost if the job is ended."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.out = os.dup(1)
        os.dup2(2, 1)
        self.ready: list[tuple[int, bool, bytes]] = []
        self.size, self.total, self.written = 0, 0, time.monotonic()

    def add(self, index: int, good: bool, data: bytes) -> None:
        if self.total + len(data) > RESULT_BYTES_MAX:
            good, data = False, failure(ValueError(
                "the results of this job take more than %d bytes; return less, write to a file, or "
                "use more jobs" % RESULT_BYTES_MAX))
        self.ready.append((index, good, data))
        self.size += len(data)
        self.total += len(data)
        if self.size > FRAME_BYTES_MAX or time.monotonic() - self.written > FLUSH_AFTER_S:
            self.flush()

    def flush(self) -> None:
        if self.ready:
            text = base64.b64encode(zlib.compress(pickle.dumps(self.ready), 1))
            mark = hashlib.blake2b(text, key=self.key, digest_size=16).hexdigest().encode()
            line = memoryview(b"\n" + MARK + mark + b" " + text + b"\n")
            while line:
                line = line[os.write(self.out, line):]
        self.ready, self.size, self.written = [], 0, time.monotonic()


def dumps(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception:
        import cloudpickle

        return bytes(cloudpickle.dumps(value))


def failure(error: BaseException) -> bytes:
    """An exception with where it was raised, also if it cannot be pickled."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        data = dumps((error, text))
        pickle.loads(data)
        return data
    except Exception:
        return dumps((RuntimeError("%s: %s" % (type(error).__name__, error)), text))


def load(payload: bytes) -> tuple[Any, Any]:
    function, items = pickle.loads(payload)
    return pickle.loads(function), pickle.loads(items)


def main() -> None:
    data = zlib.decompress(base64.b64decode(os.environ.pop("ARGOSY_PY_DATA")))
    python, key, first, payload = pickle.loads(data)
    results = Results(key)

    def end(*_: Any) -> None:
        results.flush()
        os._exit(143)

    signal.signal(signal.SIGTERM, end)
    try:
        if python != sys.version_info[:2]:
            raise RuntimeError("the function was sent by Python %d.%d, and the job's Python is "
                               "%d.%d; name another one with python=" % (
                                   *python, *sys.version_info[:2]))
        function, items = load(payload)
    except BaseException as error:
        results.add(-1, False, failure(error))
        results.flush()
        sys.exit(1)
    for index, item in enumerate(items, first):
        try:
            good, out = True, dumps(function(item))
        except BaseException as error:
            good, out = False, failure(error)
        results.add(index, good, out)
    sys.stdout.flush()
    results.flush()


if __name__ == "__main__":
    main()
