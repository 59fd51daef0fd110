#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hands a cluster of Kubernetes from an executor of Armada's protocol to argosy-agent while jobs
are there, as config/KUBERNETES.md describes it, and prints who ran what. The executor is this
script: it makes pods of its leases and reports what becomes of them. KWOK's nodes run the pods.

Usage: hand_over.py BIN_DIR [--jobs N]; KUBECONFIG names the cluster.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "bench" / each) for each in ("kubernetes", "system")]

import kubernetes_bench as bench  # noqa: E402 (its folder has just been added)
from api_server import ApiServer, until  # noqa: E402
from system_bench import Server  # noqa: E402

CLUSTER = "far"
RULES = """armadaExecutors: {clusters: [{name: far, promise: confirmed-only, users: [anonymous]}]}
grpc: {anonymousRole: operator}
agents: {silenceMax: 2s, heartbeat: 500ms}
"""
POD = {"apiVersion": "v1", "kind": "Pod"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Wire:
    """Calls methods of the service by curl; protoc turns messages into text and back."""

    def __init__(self, url):
        self.url = url

    @staticmethod
    def convert(how, kind, data):
        return subprocess.run(
            ["protoc", f"-I{SOURCE}", f"--{how}=executorapi.{kind}",
             "messages/proto/armada/executorapi.proto"],
            cwd=SOURCE, input=data, capture_output=True, check=True, timeout=20).stdout

    def call(self, method, kind, text):
        """Returns the messages of the answer, encoded."""
        body = self.convert("encode", kind, text.encode())
        with tempfile.NamedTemporaryFile() as head:
            done = subprocess.run(
                ["curl", "-sS", "--http2-prior-knowledge", "--max-time", "20", "-D", head.name,
                 "-H", "content-type: application/grpc", "-H", "te: trailers",
                 "-H", "authorization: none", "--data-binary", "@-",
                 f"{self.url}/executorapi.ExecutorApi/{method}"],
                input=b"\0" + struct.pack(">I", len(body)) + body, capture_output=True,
                check=True, timeout=30)
            told = Path(head.name).read_text()
        if not re.search(r"grpc-status: 0\b", told):
            raise RuntimeError(f"{method}: {told}")
        out, rest = [], done.stdout
        while rest:
            size = struct.unpack(">I", rest[1:5])[0]
            out.append(rest[5:5 + size])
            rest = rest[5 + size:]
        return out


class Executor:
    def __init__(self, wire, api, nodes):
        self.wire, self.api, self.nodes = wire, api, nodes
        self.runs = {}  # Of a run: its job, queue, job set, node and state.

    def request(self):
        parts = [f'executor_id: "{CLUSTER}" pool: "default" max_jobs_to_lease: 1000']
        for node in self.nodes:
            held = "".join(f'run_ids_by_state {{ key: "{run}" value: {each["state"]} }} '
                           for run, each in self.runs.items()
                           if each["node"] == node and not each["told"])
            amounts = "".join(f'total_resources {{ key: "{name}" value {{ string: "{amount}" }} }} '
                              for name, amount in (("cpu", "32"), ("memory", "256Gi"),
                                                   ("ephemeral-storage", "500Gi"), ("pods", "110")))
            parts.append(f'nodes {{ name: "{node}" pool: "default" '
                         f'labels {{ key: "kubernetes.io/hostname" value: "{node}" }} '
                         f'labels {{ key: "type" value: "kwok" }} {amounts} {held} }}')
        return " ".join(parts)

    def exchange(self):
        for message in self.wire.call("LeaseJobRuns", "LeaseRequest", self.request()):
            text = self.wire.convert("decode", "LeaseStreamMessage", message).decode()
            if not text.startswith("lease"):
                continue
            field = lambda name: re.search(rf'\b{name}: "([^"]*)"', text).group(1)
            node = re.search(r'key: "kubernetes.io/hostname"\s+value: "([^"]*)"', text).group(1)
            self.runs[field("job_run_id")] = {
                "job": field("job_id"), "queue": field("queue"), "set": field("jobset"),
                "node": node, "state": "PENDING", "told": False}
            self.make_pod(self.runs[field("job_run_id")])

    def make_pod(self, run):
        amounts = {"cpu": "100m", "memory": "64Mi"}
        self.api.ask("POST", f"/api/v1/namespaces/{bench.SPACE}/pods", {
            **POD, "metadata": {"name": f"armada-{run['job']}-0",
                                "labels": {"armada_job_id": run["job"]},
                                "annotations": {"lab/run": "3s"}},
            "spec": {"nodeSelector": {"kubernetes.io/hostname": run["node"]},
                     "restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "alpine:3.20.0",
                                     "resources": {"requests": amounts, "limits": amounts}}]}})

    def report(self):
        pods = self.api.ask("GET", f"/api/v1/namespaces/{bench.SPACE}/pods")["items"]
        phases = {each["metadata"]["name"]: each["status"].get("phase") for each in pods}
        told, changes = [], []
        for run, each in self.runs.items():
            phase = phases.get(f"armada-{each['job']}-0")
            where = f'queue: {quoted(each["queue"])} job_set_name: {quoted(each["set"])}'
            event = f'job_id: "{each["job"]}" run_id: "{run}"'
            time_of = f"created {{ seconds: {int(time.time())} }}"
            if phase in ("Running", "Succeeded") and each["state"] == "PENDING":
                told.append(f"events {{ {where} events {{ {time_of} "
                            f"jobRunRunning {{ {event} }} }} }}")
                changes.append((each, "RUNNING", False))
            if phase == "Succeeded" and not each["told"]:
                told.append(f"events {{ {where} events {{ {time_of} "
                            f"jobRunSucceeded {{ {event} }} }} }}")
                changes.append((each, "SUCCEEDED", True))
        if told:
            self.wire.call("ReportEvents", "EventList", " ".join(told))
        for each, state, ended in changes:
            each["state"], each["told"] = state, ended

    def serve(self, until_told):
        """Serves until it is told to end, and then until all that it was given has ended."""
        while not until_told.is_set() or any(not each["told"] for each in self.runs.values()):
            self.exchange()
            self.report()
            time.sleep(0.2)
        # The last request names none of them, which confirms their ends.
        self.exchange()


def start_agent(bin_dir, server, root, kubeconfig):
    settings, ready = root / "agent.yaml", root / "agent-ready"
    settings.write_text(f"kubernetes:\n  kubeconfig: {kubeconfig}\n  namespaces: [{bench.SPACE}]\n")
    log = open(root / "agent.log", "wb")
    agent = subprocess.Popen(
        [bin_dir / "argosy-agent", "--cluster", CLUSTER, "--backend", "kubernetes", "--take-over",
         "--data-dir", root / "agent", "--nats", server.env["ARGOSY_SERVER"], "--config", settings,
         "--ready-file", ready], env=server.env, stdout=log, stderr=log)
    until(lambda: ready.exists() or agent.poll() is not None, "the agent is ready")
    if agent.poll() is not None:
        raise SystemExit((root / "agent.log").read_text())
    return agent


def print_table(server, api, jobs):
    pods = {}
    for each in api.ask("GET", f"/api/v1/namespaces/{bench.SPACE}/pods")["items"]:
        labels = each["metadata"]["labels"]
        who = "agent" if "argosy.io/cluster" in labels else "executor"
        pods.setdefault(labels["armada_job_id"], []).append(who)
    done = set(server.ctl("get", "jobs", "--state", "succeeded", "-o", "name", "--limit", "10000")
               .replace("job/", "").split())
    print(f"{'submitted':34}{'jobs':>6}{'executor':>10}{'agent':>8}{'lost':>6}{'doubled':>9}")
    bad = 0
    for when, ids in jobs:
        by = {who: sum(pods.get(job, []).count(who) for job in ids)
              for who in ("executor", "agent")}
        lost = sum(job not in done for job in ids)
        doubled = sum(len(pods.get(job, [])) > 1 for job in ids)
        bad += lost + doubled
        print(f"{when:34}{len(ids):>6}{by['executor']:>10}{by['agent']:>8}{lost:>6}{doubled:>9}")
    return bad


def main():
    parse = argparse.ArgumentParser(usage=__doc__)
    parse.add_argument("bin_dir", type=lambda text: Path(text).resolve())
    parse.add_argument("--jobs", type=int, default=30)
    args = parse.parse_args()
    kubeconfig = os.environ.get("KUBECONFIG", "").split(":")[0]
    api = ApiServer(kubeconfig) if kubeconfig else None
    if not api or not api.nodes():
        print("skipped: KUBECONFIG names no cluster with nodes of KWOK")
        sys.exit(77)
    api.delete_pods(bench.SPACE)
    with tempfile.TemporaryDirectory(prefix="argosy-hand-over-") as folder:
        root = Path(folder)
        (root / "argosyd.yaml").write_text(RULES)
        (root / "jobs.yaml").write_text("queue: bench\njobSetId: moved\njobs:\n" +
                                        bench.ITEM.format(annotations='lab/run: "3s"') * args.jobs)
        with Server(args.bin_dir, "--config", root / "argosyd.yaml") as server:
            server.ctl("queue", "create", "bench")
            say = lambda text: print(f"{time.strftime('%T')} {text}", flush=True)
            submit = lambda: server.ctl("submit", root / "jobs.yaml", "-o", "name").replace(
                "job/", "").split()
            grpc = Path(server.folder.name, "ready").read_text().splitlines()[2]
            executor = Executor(Wire(grpc.replace("grpc://", "http://")), api, api.nodes())
            executor.exchange()
            to_end = threading.Event()
            loop = threading.Thread(target=executor.serve, args=(to_end,))
            loop.start()
            jobs = [("to the executor", submit())]
            until(lambda: any(each["told"] for each in list(executor.runs.values())),
                  "the executor has ended a run")
            server.ctl("cluster", "cordon", CLUSTER)
            say("the cluster is cordoned; its runs go on")
            jobs.append(("while its runs end", submit()))
            to_end.set()
            loop.join()
            say(f"the executor has ended its {len(executor.runs)} runs and stops")
            jobs.append(("while nobody serves the cluster", submit()))
            agent = start_agent(args.bin_dir, server, root, kubeconfig)
            say("the agent serves the cluster")
            server.ctl("cluster", "uncordon", CLUSTER)
            jobs.append(("to the agent", submit()))
            until(lambda: not server.ctl("get", "jobs", "--active", "-o", "name"),
                  "all jobs have ended", 300)
            say("all jobs have ended")
            bad = print_table(server, api, jobs)
            agent.terminate()
            agent.wait(timeout=30)
    api.delete_pods(bench.SPACE)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
