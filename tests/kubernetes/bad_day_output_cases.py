# SPDX-License-Identifier: Apache-2.0
"""The cases of bad_day.py in which much output is read, or long after its pods are gone."""

import os
import shutil
import subprocess
import time

from bad_day_cases import need_kubelet
from bad_day_world import Skipped, case
from fleet import pod, until


@case
def output_beside_kubectl(day):
    """30 MB of a pod that has ended take at most half as long again as kubectl's reading."""
    need_kubelet(day)
    if not shutil.which("kubectl"):
        raise Skipped("kubectl is not in PATH")
    day.join()
    line = "x" * 990
    loop = f"i=0; while [ $i -lt 30000 ]; do echo {line}$i; i=$((i+1)); done"
    jobs = day.fleet.submit("output", pod(["sh", "-c", loop], "real"), 1, namespace="bad-day")
    told = day.fleet.until_ended("output", 300)
    name = day.one.pods()[0]["metadata"]["name"]

    def least(read):
        """The least time of three, and what was read."""
        best, said = 1e9, ""
        for _ in range(3):
            begin = time.monotonic()
            said = read()
            best = min(best, time.monotonic() - begin)
        return best, said

    theirs, wanted = least(lambda: subprocess.run(
        ["kubectl", "--kubeconfig", day.one.file, "logs", "-n", "bad-day", name],
        capture_output=True, check=True, timeout=120).stdout.decode())
    ours, (code, said) = least(lambda: day.fleet.try_ctl("logs", jobs[0]))
    tail, _ = least(lambda: day.fleet.try_ctl("logs", "--tail", "5", jobs[0]))
    day.expect(code == 8 or said == wanted, f"{len(said)} of {len(wanted)} bytes, exit code {code}")
    day.expect(ours < 1.5 * theirs, f"{ours:.2f} s are {ours / theirs:.1f} times {theirs:.2f} s")
    day.expect(tail < 0.3, f"--tail 5 took {tail:.2f} s")
    day.row(f"{len(said) / 1e6:.1f} of {len(wanted) / 1e6:.1f} MB in {ours:.2f} s, kubectl "
            f"{theirs:.2f} s; --tail 5 in {tail:.2f} s", told)


@case
def last_words(day):
    """The output of 2,000 jobs is there when their pods are gone and the agent was killed."""
    need_kubelet(day)
    count = int(os.environ.get("ARGOSY_TEST_JOBS", "2000"))
    agent = day.join(keepPods="1s")
    begin = time.monotonic()
    ids = day.fleet.submit("words", pod(["sh", "-c", "echo the last words of $HOSTNAME"], "real"),
                           count, namespace="bad-day")
    told = day.fleet.until_ended("words", 1700)
    ran = time.monotonic() - begin
    day.expect_success(told)
    until(lambda: not day.one.pods(), "the pods are gone", 300)
    agent.kill()
    agent.start()
    begin = time.monotonic()
    said = "".join(day.fleet.try_ctl("logs", *ids[at:at + 100])[1]
                   for at in range(0, count, 100))
    read = sum(f"the last words of armada-{each}-" in said for each in ids)
    day.expect(read == count, f"the last words of {read} jobs were read")
    day.row(f"{count} jobs in {ran:.0f} s, their pods gone, the agent killed: {read} outputs read "
            f"in {time.monotonic() - begin:.0f} s", told)
