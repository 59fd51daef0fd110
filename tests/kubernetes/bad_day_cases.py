# SPDX-License-Identifier: Apache-2.0
"""The cases of bad_day.py: each is a function that is given its day."""

import os
import shutil
import time

from bad_day_world import CASES, LONG, WAIT_S, Skipped, case, control, second
from fleet import pod, until

__all__ = ["CASES"]


def need_kubelet(day):
    found = day.one.api.ask("GET", "/api/v1/nodes?labelSelector=lab%2Freal%3Dtrue")["items"]
    if not found:
        raise Skipped("no node has the label lab/real=true")


@case
def cut_while_pods_wait(day):
    """Pods are placed while the agent does not hear of it, for longer than it would wait."""
    day.join()
    control("pause sched")
    try:
        day.fleet.submit("cut", pod(), 8, namespace="bad-day",
                         annotations={"lab/run": f"{WAIT_S + 90}s"})
        until(lambda: len(day.one.pods()) == 8, "the pods are made")
        day.one.link.cut()
    finally:
        control("resume sched")
    time.sleep(WAIT_S + 60)
    day.one.link.mend()
    told = day.fleet.until_ended("cut")
    day.expect_success(told)
    day.row(f"link cut for {WAIT_S + 60} s while 8 pods were being placed", told)


@case
def api_server_is_silent(day):
    """Jobs that come while one cluster does not answer go to the other one."""
    other = second(day)
    day.join()
    day.join(other)
    agent = day.fleet.agents[0]
    day.one.link.cut()
    time.sleep(11)
    said = agent.readyz()
    day.expect("not ok" in said, f"/readyz of the agent says {said!r}")
    day.expect(day.one.name in day.fleet.ctl("status"), "status does not name the cluster")
    day.fleet.submit("away", pod(), 66, namespace="bad-day", annotations={"lab/run": "5s"})
    told = day.fleet.until_ended("away", 120)
    day.expect_success(told)
    clusters = {cluster for *_, cluster in told}
    day.expect(clusters == {other.name}, f"they ran on {clusters}")
    day.one.link.mend()
    until(lambda: "not ok" not in agent.readyz(), "the agent is ready again", 60)
    day.row("one of two API servers silent for 11 s, then 66 jobs", told)


@case
def control_plane_is_away(day):
    """Pods run on while the agent cannot reach the control plane for longer than its leases."""
    agent = day.join()
    seconds = int(os.environ.get("ARGOSY_TEST_LEASE_S", "600")) + 60
    day.fleet.submit("on", pod(), 8, namespace="bad-day", annotations={"lab/run": f"{seconds}s"})
    until(lambda: sum(each["status"].get("phase") == "Running" for each in day.one.pods()) == 8,
          "the pods run")
    agent.nats.cut()
    time.sleep(seconds + 30)
    alive = {each["status"].get("phase") for each in day.one.pods()}
    day.expect(alive == {"Succeeded"}, f"the pods are {alive}")
    agent.nats.mend()
    told = day.fleet.until_ended("on")
    day.expect_success(told)
    day.row(f"link to NATS cut for {seconds + 30} s while 8 pods ran", told)


@case
def lost_disk(day):
    """An agent that lost its data directory takes over what runs."""
    agent = day.join()
    day.fleet.submit("short", pod(), 4, namespace="bad-day", annotations={"lab/run": "10s"})
    day.fleet.submit("long", pod(), 4, namespace="bad-day", annotations={"lab/run": "60s"})
    cancelled = day.fleet.submit("ends", pod(), 1, namespace="bad-day", annotations=LONG)
    until(lambda: sum(each["status"].get("phase") == "Running" for each in day.one.pods()) == 9,
          "the pods run")
    agent.kill()
    shutil.rmtree(agent.data)
    time.sleep(20)
    agent.start()
    day.fleet.ctl("cancel", cancelled[0])
    told = day.fleet.until_ended("short", 120) + day.fleet.until_ended("long", 180)
    day.expect_success(told)
    ends = day.fleet.until_ended("ends", 60)
    day.expect(ends[0][0] == "CANCELLED", f"the cancelled job is {ends[0]}")
    day.row("agent killed, its data directory removed, started after 20 s", told + ends)


@case
def rights_are_gone(day):
    """Nobody's job fails while the agent may not create pods."""
    day.join()
    day.fleet.submit("many", pod(), 400, namespace="bad-day", annotations={"lab/run": "20s"})
    until(lambda: len(day.one.pods()) > 20, "some pods are made")
    day.one.unbind("bad-day")
    begin, named = time.monotonic(), None
    while time.monotonic() < begin + 8:
        if named is None and "bad-day" in day.fleet.ctl("status"):
            named = time.monotonic() - begin
        time.sleep(0.2)
    day.one.bind("bad-day")
    told = day.fleet.until_ended("many", 900)
    day.expect({state for state, *_ in told} == {"SUCCEEDED"}, "not all have succeeded")
    day.expect(named is not None and named < 5, f"status named the namespace after {named} s")
    day.row(f"role binding of the agent gone for 8 s, 400 jobs; in status after {named or 0:.1f} s",
            told)


@case
def quota_is_full(day):
    """Jobs wait for a quota, and say which."""
    day.join()
    path = "/api/v1/namespaces/bad-day/resourcequotas"
    hard = {"pods": "0"}
    day.one.api.ask("POST", path, {"metadata": {"name": "full"}, "spec": {"hard": hard}})
    # A quota holds once its status says so, which is the work of a controller that may be missing.
    day.one.api.ask("PATCH", f"{path}/full/status", {"status": {"hard": hard, "used": hard}})
    time.sleep(2)
    jobs = day.fleet.submit("waits", pod(), 20, namespace="bad-day",
                            annotations={"lab/run": "2s"})
    time.sleep(240)
    text = day.fleet.ctl("explain", jobs[0])
    day.expect("quota" in text.lower(), "explain does not speak of the quota")
    day.one.api.ask("DELETE", f"{path}/full")
    begin = time.monotonic()
    told = day.fleet.until_ended("waits", 420)
    day.expect({state for state, *_ in told} == {"SUCCEEDED"}, "not all have succeeded")
    day.row(f"quota of 0 pods for 240 s, 20 jobs; all over {time.monotonic() - begin:.0f} s after "
            "it was lifted", told)


@case
def namespaces_of_two_clusters(day):
    """Jobs go where their namespace is served, and are told if it is nowhere."""
    other = second(day)
    other.make_space("bad-day-2")
    day.join()
    day.join(other, ["bad-day-2"])
    nowhere, = day.fleet.submit("nowhere", pod(), 1, namespace="bad-day-9")
    said = day.fleet.ctl("explain", nowhere)
    day.expect(all(f"cluster '{each.name}' does not serve its namespace 'bad-day-9'" in said
                   for each in (day.one, other)), f"nobody was told: {said}")
    day.fleet.submit("there", pod(), 66, namespace="bad-day-2", annotations={"lab/run": "2s"})
    told = day.fleet.until_ended("there", 120)
    day.expect_success(told)
    day.row("66 jobs of a namespace that the second of two clusters serves", told)


@case
def namespace_is_deleted(day):
    """A namespace goes with a thousand jobs in it, and comes back."""
    day.join()
    day.fleet.submit("thousand", pod(), 1000, namespace="bad-day", annotations={"lab/run": "60s"})
    until(lambda: len(day.one.pods()) > 100, "pods are made", 60)
    day.one.api.ask("DELETE", "/api/v1/namespaces/bad-day")
    until(lambda: day.one.api.ask("GET", "/api/v1/namespaces/bad-day", may_fail=True)["kind"] ==
          "Status", "the namespace is gone", 180)
    time.sleep(10)
    status = day.fleet.ctl("status")
    day.one.make_space("bad-day")
    told = day.fleet.until_ended("thousand", 1200)
    failed = sum(state == "FAILED" for state, *_ in told)
    day.expect("bad-day" in status, "status said nothing of the namespace")
    day.row(f"namespace deleted and made again with 1,000 jobs; {failed} failed", told)


@case
def misspelt_claims(day):
    """A mistake of jobs costs nobody else a node."""
    day.join()
    volume = [{"name": "data", "persistentVolumeClaim": {"claimName": "nosuch"}}]
    day.fleet.submit("claims", pod(volumes=volume), 150, namespace="bad-day")
    time.sleep(5)
    day.fleet.submit("others", pod(), 100, namespace="bad-day", annotations={"lab/run": "2s"})
    others = day.fleet.until_ended("others", 300)
    day.expect_success(others)
    told = day.fleet.until_ended("claims", 1500)
    closed = day.fleet.closed_nodes()
    day.expect(not closed, f"{len(closed)} nodes are closed")
    day.expect(all("nosuch" in reason for _, _, reason, _ in told), "a reason names no claim")
    day.expect({state for state, *_ in told} == {"FAILED"}, "not all have failed")
    day.row(f"150 jobs with a claim that is not there, {len(closed)} nodes closed", told)


@case
def refused_at_submission(day):
    """What no backend keeps is refused by its name."""
    day.join()
    label = {"matchLabels": {"app": "x"}}
    worlds = {
        "schedulerName": {"schedulerName": "x"},
        "schedulingGates": {"schedulingGates": [{"name": "wait"}]},
        "podAntiAffinity": {"affinity": {"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": label, "topologyKey": "kubernetes.io/hostname"}]}}},
        "topologySpreadConstraints": {"topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "labelSelector": label,
             "whenUnsatisfiable": "DoNotSchedule"}]},
        "hostPath": {"volumes": [{"name": "root", "hostPath": {"path": "/"}}]},
        "hostPID": {"hostPID": True}, "hostNetwork": {"hostNetwork": True},
    }
    for name, more in worlds.items():
        code, said = day.fleet.try_ctl("submit", day.fleet.write("no", pod(**more),
                                                                 namespace="bad-day"))
        day.expect(code != 0 and name in said, f"{name}: exit code {code}, {said.strip()[:200]!r}")
    day.row(f"{len(worlds)} pods that ask for what is not kept or not allowed", [])


@case
def missing_secret(day):
    """A volume that never comes ends its job, and says why."""
    need_kubelet(day)
    day.join()
    volume = [{"name": "key", "secret": {"secretName": "nosuch"}}]
    spec = pod(["sleep", "1"], "real", volumes=volume)
    spec["containers"][0]["volumeMounts"] = [{"name": "key", "mountPath": "/key"}]
    day.fleet.submit("secret", spec, 1, namespace="bad-day")
    told = day.fleet.until_ended("secret", WAIT_S + 300)
    day.expect(told[0][0] == "FAILED" and "nosuch" in told[0][2], f"it is {told[0]}")
    day.expect(not day.fleet.closed_nodes(), "a node is closed")
    day.row("a pod with a secret volume that is not there", told)


@case
def drained_nodes(day):
    """Evicted pods run again, gangs as a whole."""
    day.join()
    gang = {"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": "2",
            "lab/run": "30s"}
    day.fleet.submit("gang", pod(), 2, namespace="bad-day", annotations=gang)
    day.fleet.submit("single", pod(), 8, namespace="bad-day", annotations={"lab/run": "30s"})
    until(lambda: sum(each["status"].get("phase") == "Running" for each in day.one.pods()) == 10,
          "the pods run")
    nodes = {each["spec"]["nodeName"] for each in day.one.pods()}
    for each in day.one.pods():
        day.one.api.ask("POST", f"/api/v1/namespaces/bad-day/pods/{each['metadata']['name']}"
                        "/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {
                            "name": each["metadata"]["name"], "namespace": "bad-day"}})
    told = day.fleet.until_ended("gang", 180) + day.fleet.until_ended("single", 180)
    day.expect_success(told, runs=2)
    day.row(f"all pods of {len(nodes)} nodes evicted once", told)


@case
def output_of_pods(day):
    """Output of 30 MB is complete, and its end comes at once."""
    need_kubelet(day)
    day.join()
    line = "x" * 980
    loop = f"i=0; while [ $i -lt 30000 ]; do echo {line}$i; i=$((i+1)); done; sleep 30"
    jobs = day.fleet.submit("output", pod(["sh", "-c", loop], "real"), 1, namespace="bad-day")
    until(lambda: any(each["status"].get("phase") == "Running" for each in day.one.pods()),
          "the pod runs")
    begin = time.monotonic()
    code, said = day.fleet.try_ctl("logs", "-f", jobs[0])
    followed = time.monotonic() - begin
    whole = said.count("\n") >= 30000
    day.expect(whole or code != 0, f"{said.count(chr(10))} of 30000 lines and exit code {code}")
    begin = time.monotonic()
    day.fleet.try_ctl("logs", "--tail", "5", jobs[0])
    tail = time.monotonic() - begin
    day.expect(tail < 1, f"--tail 5 took {tail:.2f} s")
    told = day.fleet.until_ended("output", 120)
    day.row(f"30 MB: followed in {followed:.1f} s with {said.count(chr(10))} lines, exit code "
            f"{code}; --tail 5 in {tail:.2f} s", told)
