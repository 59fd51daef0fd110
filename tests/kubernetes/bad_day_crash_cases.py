# SPDX-License-Identifier: Apache-2.0
"""The cases of bad_day.py in which an agent is killed, has much to do, or shares its nodes."""

import json
import shutil
import signal
import time

from bad_day_cases import need_kubelet
from bad_day_world import LONG, case, control
from fleet import ACCOUNT, HOME, RBAC, pod, until


def running(day):
    return sum(each["status"].get("phase") == "Running" for each in day.one.pods())


def memory_mb(agent):
    with open(f"/proc/{agent.process.pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024


@case
def two_thousand_jobs(day):
    """2,000 jobs of 5 s."""
    agent = day.join()
    begin = time.monotonic()
    day.fleet.submit("many", pod(), 2000, namespace="bad-day", annotations={"lab/run": "5s"})
    told = day.fleet.until_ended("many", 900)
    day.expect_success(told)
    day.row(f"2,000 jobs of 5 s: {time.monotonic() - begin:.0f} s, the agent took at most "
            f"{memory_mb(agent)} MB", told)


@case
def agent_is_killed(day):
    """An agent is killed while its jobs run and while others wait, and begins after a while."""
    agent = day.join()
    day.fleet.submit("killed", pod(), 66, namespace="bad-day", annotations={"lab/run": "20s"})
    until(lambda: running(day) > 20, "some pods run")
    agent.kill()
    time.sleep(25)
    agent.start()
    told = day.fleet.until_ended("killed", 300)
    day.expect_success(told)
    day.row("agent killed for 25 s with 66 jobs", told)


@case
def kubelet_is_silent(day):
    """A kubelet does nothing for 80 s."""
    need_kubelet(day)
    day.join()
    day.fleet.submit("silent", pod(["sleep", "20"], "real"), 12, namespace="bad-day")
    until(lambda: running(day) > 3, "some pods run", 120)
    control("pause kubelet")
    try:
        time.sleep(80)
        said = day.fleet.ctl("get", "nodes", "-o", "wide")
    finally:
        control("resume kubelet")
    day.expect("unready" in said, "get nodes does not show the node as unready")
    told = day.fleet.until_ended("silent", 400)
    day.expect_success(told)
    day.row("kubelet paused for 80 s with 12 jobs", told)


def all_run(day, job_set):
    return all(state == "RUNNING" for state, *_ in day.fleet.told(job_set))


@case
def replicas_take_over(day):
    """Of two replicas the one that acts is killed, and later its successor is paused."""
    rules = [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
              "verbs": ["create", "get", "update"]}]
    day.one.api.ask("POST", f"{RBAC}/namespaces/{HOME}/roles",
                    {"metadata": {"name": "argosy"}, "rules": rules}, may_fail=True)
    day.one.api.ask("POST", f"{RBAC}/namespaces/{HOME}/rolebindings", {
        "metadata": {"name": "argosy"}, "subjects": [ACCOUNT],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "argosy"}},
        may_fail=True)
    election = {"leaderElection": "always", "leaseNamespace": HOME}
    first = day.join(**election)
    second = day.fleet.prepare(day.one, ["bad-day"], **election)
    second.data = second.data.with_name("agent-second")
    second.ready = second.ready.with_name("ready-second")
    second.log = second.log.with_name("agent-second.log")
    second.start(wait=False)
    day.fleet.submit("replicas", pod(), 66, namespace="bad-day", annotations={"lab/run": "20s"})
    # Orders that are no pods yet would go elsewhere, which is right, and be second runs.
    until(lambda: all_run(day, "replicas"), "their pods run")
    begin = time.monotonic()
    first.kill()
    until(second.ready.exists, "the second one acts", 90)
    took = time.monotonic() - begin
    shutil.rmtree(first.data)
    first.start(wait=False)
    day.fleet.submit("more", pod(), 66, namespace="bad-day", annotations={"lab/run": "20s"})
    until(lambda: all_run(day, "more"), "their pods run")
    second.process.send_signal(signal.SIGSTOP)
    time.sleep(40)
    second.process.send_signal(signal.SIGCONT)
    code = second.process.wait(30)
    day.expect(code == 7, f"the replica that was paused ends with {code}")
    told = day.fleet.until_ended("replicas", 300) + day.fleet.until_ended("more", 300)
    day.expect_success(told)
    day.row(f"acting replica killed: the other one acts after {took:.0f} s; it is paused for 40 s "
            f"and ends with {code}", told)


@case
def beside_another_scheduler(day):
    """Kubernetes' own scheduler has put pods of others on most nodes; some of them go."""
    def big(cores):
        spec = pod()
        amounts = {"cpu": str(cores), "memory": "1Gi"}
        spec["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
        return spec

    path = "/api/v1/namespaces/bad-day/pods"
    others = [f"other-{i}" for i in range(30)]
    for name in others:
        day.one.api.ask("POST", path, {"metadata": {"name": name, "annotations": LONG},
                                       "spec": big(20)})
    until(lambda: running(day) == len(others), "the others run")
    day.join()
    jobs = day.fleet.submit("ours", big(16), 60, namespace="bad-day",
                            annotations={"lab/run": "10s"})
    until(lambda: running(day) > len(others), "some of ours run")
    for name in others[:10]:
        day.one.api.ask("DELETE", f"{path}/{name}?gracePeriodSeconds=0")
    told = day.fleet.until_ended("ours", 300)
    day.expect_success(told)
    chosen = {}
    for job in jobs:
        item = json.loads(day.fleet.ctl("get", "job", job, "-o", "json"))
        chosen[job] = [run["node"].rsplit("/", 1)[-1] for run in item["jobRuns"]]
    ran = {each["metadata"]["labels"]["armada_job_id"]: [each["spec"]["nodeName"]]
           for each in day.one.pods() if "armada_job_id" in each["metadata"].get("labels", {})}
    day.expect(chosen == ran, "a pod ran on another node than the one that was chosen")
    day.row("60 jobs of 16 cores beside 30 pods of 20 cores on 50 nodes of 32 cores", told)
