# SPDX-License-Identifier: Apache-2.0
"""The cases of bad_day.py in which the way of an agent into its cluster is wrong."""

import socket
import time

from bad_day_world import case, second
from fleet import RBAC, RIGHTS, pod, until


def status_names(day, words, what, limit=60):
    """What status says of the cluster once it names one of the words."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        text = day.fleet.ctl("status")
        lines = [line.strip() for line in text.splitlines()
                 if any(word in line for word in words) and day.one.name in line]
        if lines:
            return lines[0]
        time.sleep(1)
    day.expect(False, f"{what}: status names none of {words}")
    return ""


def agent_says(day, agent, words, what, limit=60):
    """What an agent that waits for its cluster says over HTTP once it names one of the words."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        for line in agent.readyz().splitlines():
            if any(word in line for word in words):
                return line.strip()
        time.sleep(0.5)
    day.expect(False, f"{what}: the agent names none of {words}")
    return ""


def succeed(day, job_set, limit=300):
    told = day.fleet.until_ended(job_set, limit)
    day.expect({state for state, *_ in told} == {"SUCCEEDED"}, f"{job_set}: not all succeeded")
    return told


@case
def kubeconfig_points_nowhere(day):
    """An agent begins with a kubeconfig of which no server answers, which is mended then."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()[1]
        agent = day.fleet.prepare(day.one, ["bad-day"])
        right = agent.kubeconfig.read_text()
        agent.kubeconfig.write_text(right.replace(f":{day.one.link.port}", f":{nobody}"))
        agent.start(wait=False)
        day.fleet.submit("waits", pod(), 10, namespace="bad-day", annotations={"lab/run": "2s"})
        said = agent_says(day, agent, [f":{nobody}"], "nobody answers")
        day.expect("kubernetes.kubeconfig" in said, "the agent does not say where to mend that")
        said = status_names(day, [f":{nobody}"], "an agent waits for its cluster")
        day.expect("kubernetes.kubeconfig" in said, "status does not say where to mend that")
        agent.kubeconfig.write_text(right)
    told = succeed(day, "waits")
    day.expect(all(count == 1 for _, count, *_ in told), "a job had two runs")
    day.row(f"kubeconfig points nowhere, then mended; status: {said!r}", told)


@case
def rights_are_missing_at_first(day):
    """An agent begins without any right in its namespace, which it gets then."""
    agent = day.fleet.prepare(day.one, ["bad-day"])
    day.one.unbind("bad-day")
    agent.start(wait=False)
    day.fleet.submit("waits", pod(), 10, namespace="bad-day", annotations={"lab/run": "2s"})
    said = status_names(day, ["create pods in namespace"], "an agent has no rights")
    day.expect("not ok" in agent.readyz(), "/readyz of the agent is silent")
    day.one.bind("bad-day")
    told = succeed(day, "waits")
    day.expect(all(count == 1 for _, count, *_ in told), "a job had two runs")
    day.row(f"no rights at first, then all; status: {said!r}", told)


@case
def token_has_ended(day):
    """The token of an agent is worth nothing any more, until a new one is in its kubeconfig."""
    agent = day.join()
    day.fleet.submit("before", pod(), 10, namespace="bad-day", annotations={"lab/run": "30s"})
    until(lambda: len(day.one.pods()) == 10, "the pods are made")
    day.one.remove_account()
    day.fleet.submit("after", pod(), 10, namespace="bad-day", annotations={"lab/run": "2s"})
    said = status_names(day, ["token", "401", "Unauthorized"], "the token ended")
    time.sleep(20)
    day.one.make_account()
    day.one.kubeconfig_of_agent(agent.kubeconfig.parent)
    told = succeed(day, "before") + succeed(day, "after")
    day.row(f"token ended with 20 jobs, new one after 20 s; status: {said[:160]!r}", told)


@case
def rights_go_one_by_one(day):
    """Each right of the agent is taken away for a while; no job fails for it."""
    day.join()
    told = []
    role = f"{RBAC}/namespaces/bad-day/roles/argosy"
    everywhere = f"{RBAC}/clusterroles/argosy-nodes"
    all_rules = day.one.api.ask("GET", everywhere)["rules"]

    def without(rules, verb, resource):
        left = [{**rule, "verbs": [each for each in rule["verbs"] if each != verb]}
                if resource in rule["resources"] else rule for rule in rules]
        return {"rules": [rule for rule in left if rule["verbs"]]}

    for verb, resource in (("create", "pods"), ("list", "pods"), ("watch", "pods"),
                           ("get", "pods"), ("delete", "pods"), ("get", "pods/log"),
                           ("list", "events"), ("watch", "events"),
                           ("get", "persistentvolumeclaims"), ("get", "persistentvolumes"),
                           ("get", "namespaces"), ("list", "nodes"), ("watch", "nodes")):
        name = f"{verb}-{resource.replace('/', '-')}"
        before = day.fleet.submit(f"a-{name}", pod(), 5, namespace="bad-day",
                                  annotations={"lab/run": "8s"})
        until(lambda: day.fleet.told(f"a-{name}")[0][1], "runs are made", 30)
        day.one.api.ask("PATCH", role, without(RIGHTS, verb, resource))
        day.one.api.ask("PATCH", everywhere, without(all_rules, verb, resource))
        day.fleet.submit(f"b-{name}", pod(), 5, namespace="bad-day", annotations={"lab/run": "2s"})
        if verb == "delete":
            day.fleet.ctl("cancel", before[0])
        begin, text = time.monotonic(), []
        while time.monotonic() < begin + 15:
            if not text:
                text = [line.strip() for line in day.fleet.ctl("status").splitlines()
                        if resource in line and verb in line]
                after = time.monotonic() - begin
            time.sleep(0.5)
        print(f"    without {verb} {resource}: " +
              (f"after {after:.1f} s {text[0][:260]!r}" if text else "status says nothing"),
              flush=True)
        day.expect(text and after < 10, f"status is silent about {verb} {resource}")
        day.one.api.ask("PATCH", role, {"rules": RIGHTS})
        day.one.api.ask("PATCH", everywhere, {"rules": all_rules})
        for job_set in (f"a-{name}", f"b-{name}"):
            ended = day.fleet.until_ended(job_set, 400)
            states = {state for state, *_ in ended}
            day.expect(states <= {"SUCCEEDED", "CANCELLED"}, f"{job_set}: {sorted(states)}")
            told += ended
    day.row("rights of the agent taken away one by one for 15 s", told)


@case
def another_cluster_of_the_name(day):
    """The kubeconfig of an agent points at another cluster for a while."""
    other = second(day)
    agent = day.join()
    day.fleet.submit("run", pod(), 10, namespace="bad-day", annotations={"lab/run": "90s"})
    until(lambda: sum(each["status"].get("phase") == "Running" for each in day.one.pods()) == 10,
          "the pods run")
    right = agent.kubeconfig.read_text()
    wrong = other.kubeconfig_of_agent(agent.kubeconfig.parent).read_text()
    agent.kill()
    agent.kubeconfig.write_text(wrong)
    agent.start(wait=False)
    said = agent_says(day, agent, ["another cluster"], "it begins at another cluster")
    time.sleep(5)
    agent.kubeconfig.write_text(right)
    until(lambda: "not ok" not in (agent.readyz() or "not ok"), "the agent is ready", 60)
    # While it runs, the file is that of the other cluster once more.
    agent.kubeconfig.write_text(wrong)
    told_by_status = status_names(day, ["another cluster"], "it is given another cluster")
    day.fleet.submit("meanwhile", pod(), 5, namespace="bad-day", annotations={"lab/run": "2s"})
    time.sleep(10)
    day.expect(not other.pods("bad-day"), "it has made pods in the other cluster")
    agent.kubeconfig.write_text(right)
    told = succeed(day, "run") + succeed(day, "meanwhile")
    day.expect(all(count == 1 for _, count, *_ in told), "a job ran twice")
    day.row("kubeconfig of another cluster for 5 s at its start, and 10 s while it runs; the "
            f"agent: {said!r}; status: {told_by_status!r}", told)
