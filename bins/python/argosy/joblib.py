# SPDX-License-Identifier: Apache-2.0
"""A backend of joblib whose calls are jobs:

    argosy.joblib.register(argosy.Executor(client))
    with joblib.parallel_config("argosy"): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joblib import parallel

from ._executor import Executor


class Backend(parallel.ParallelBackendBase):  # type: ignore[misc]
    supports_retrieve_callback = False
    supports_timeout = True
    uses_threads = False

    def __init__(self, executor: Executor, **more: Any) -> None:
        super().__init__(**more)
        self.executor = executor

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        places = self.executor._max_workers
        return places if n_jobs is None or n_jobs < 0 else min(n_jobs, places)

    def apply_async(self, func: Callable[[], Any], callback: Callable[[Any], None] | None = None
                    ) -> Any:
        future: Any = self.executor.submit(func)
        future.get = future.result  # the name by which joblib takes results
        if callback is not None:
            future.add_done_callback(callback)
        return future

    submit = apply_async

    def abort_everything(self, ensure_ready: bool = True) -> None:
        self.executor.shutdown(wait=False, cancel_futures=True)


def register(executor: Executor, name: str = "argosy") -> None:
    """Makes the executor joblib's backend of this name."""
    parallel.register_parallel_backend(name, lambda **more: Backend(executor, **more))
