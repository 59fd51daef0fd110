# SPDX-License-Identifier: Apache-2.0
"""Argosy from Python: submits jobs, follows them, and maps functions over the machines.

    import argosy

    client = argosy.Client(queue="research")
    job = client.submit(["hostname"], cpu=2, memory="4Gi")
    job.wait()
    print(job.logs(), job.why())
    print(list(client.map(lambda x: x * x, range(1000))))
"""

from ._client import Client, connect
from ._executor import Executor
from ._errors import Error, JobFailed, ResultLost, Unreachable, WrongVersion
from ._jobs import Event, Job
from ._map import Mapped
from ._spec import Needs

__all__ = ["Client", "Error", "Event", "Executor", "Job", "JobFailed", "Mapped", "Needs",
           "ResultLost", "Unreachable", "WrongVersion", "connect"]
