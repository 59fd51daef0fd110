#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs on a cluster of Kubernetes while something breaks it, and counts those that are lost
(they have not succeeded) and doubled (two of their runs overlap, or two of their pods succeeded).
Half of the jobs are submitted before the fault and half during it. It is for faults that no test
can make by itself, such as a killed API server; integration/kube/faults_test.cpp makes the others.

Usage: fault_run.py BIN_DIR NAME [BREAK MEND] [--jobs N] [--seconds S] [--select LABEL]

KUBECONFIG names the cluster. BREAK and MEND are commands for sh; MEND runs S seconds after BREAK.
A node that LABEL selects (NAME=VALUE) runs the jobs; without it KWOK does. "{node}" in a command is
a node that runs one. These names need no commands:

  node-deleted     the object of a node of KWOK is deleted and made again
  api-killed, api-silent, store-killed, store-silent
                   ARGOSY_TEST_CONTROL is a command that takes kill, start, pause or resume and then
                   api or etcd, and does so to the API server or etcd of the cluster
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "bench" / each)
                for each in ("kubernetes", "system")]

import kubernetes_bench as bench  # noqa: E402 (its folder has just been added)
from api_server import ApiServer, until  # noqa: E402


FAULTS = {"api-killed": ("kill api", "start api"), "api-silent": ("pause api", "resume api"),
          "store-killed": ("kill etcd", "start etcd"),
          "store-silent": ("pause etcd", "resume etcd")}
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def shell(command):
    def run(node):
        subprocess.run(command.replace("{node}", node), shell=True, check=True,
                       capture_output=True, timeout=120)
    return run


def steps_of(args, api):
    """What breaks the cluster and what mends it: functions of a node that runs a job."""
    if args.break_by:
        return shell(args.break_by), shell(args.mend_by)
    if args.name == "node-deleted":
        return lambda node: api.ask("DELETE", f"/api/v1/nodes/{node}"), api.make_node
    if args.name not in FAULTS:
        sys.exit(f"'{args.name}' needs commands that break and mend; see --help")
    control = os.environ.get("ARGOSY_TEST_CONTROL")
    if not control:
        skip("ARGOSY_TEST_CONTROL says how to kill the parts of the cluster")
    return tuple(shell(control.replace("{}", what) if "{}" in control else f"{control} {what}")
                 for what in FAULTS[args.name])


def write_jobs(world, name, count, label, seconds):
    key, value = label.split("=")
    file = world.root / f"{name}.yaml"
    item = bench.ITEM.format(annotations=f'lab/run: "{seconds}s"').replace(
        "type: kwok", f'{key}: "{value}"').replace(
        "image: alpine:3.20.0", f"image: alpine:3.20.0\n          command: [sleep, '{seconds}']")
    file.write_text(f"queue: bench\njobSetId: {name}\njobs:\n" + item * count)
    return file


def runs_of(world, ids):
    out = {}
    for job in ids:
        told = json.loads(world.server.ctl("get", "job", job, "-o", "json"))
        out[job] = told.get("state", ""), told.get("jobRuns", [])
    return out


def overlap(runs):
    spans = sorted((run["startedTs"], run.get("finishedTs") or "9") for run in runs
                   if run.get("startedTs"))
    return any(later[0] < before[1] for before, later in zip(spans, spans[1:]))


def main():
    parse = argparse.ArgumentParser(usage=__doc__)
    parse.add_argument("bin_dir")
    parse.add_argument("name")
    parse.add_argument("break_by", nargs="?")
    parse.add_argument("mend_by", nargs="?")
    parse.add_argument("--jobs", type=int, default=100)
    parse.add_argument("--seconds", type=float, default=5)
    parse.add_argument("--run-seconds", type=int, default=2)
    parse.add_argument("--select", default="type=kwok")
    args = parse.parse_args()
    kubeconfig = os.environ.get("KUBECONFIG", "").split(":")[0]
    if not kubeconfig:
        skip("KUBECONFIG names no cluster")
    api = ApiServer(kubeconfig)
    break_it, mend_it = steps_of(args, api)
    if args.select == "type=kwok" and not api.nodes():
        skip("the cluster has no nodes of KWOK")
    api.delete_pods(bench.SPACE)
    with bench.World(Path(args.bin_dir).resolve(), kubeconfig, api) as world:
        half = args.jobs // 2
        file = write_jobs(world, args.name, half, args.select, args.run_seconds)
        submit = lambda: [each.split("/")[1] for each in
                          world.server.ctl("submit", file, "-o", "name").split()]
        pods = lambda: api.ask("GET", f"/api/v1/namespaces/{bench.SPACE}/pods")["items"]
        bound = lambda: [each["spec"]["nodeName"] for each in pods()
                         if each["spec"].get("nodeName")]
        ids = submit()
        until(bound, "a pod is bound")
        node = bound()[0]
        begin = time.time()
        break_it(node)
        ids += submit()
        # KWOK forgets the pods of a deleted node; Kubernetes takes them away after a minute.
        time.sleep(75 if args.name == "node-deleted" else args.seconds)
        mend_it(node)
        until(lambda: not world.server.ctl("get", "jobs", "--active", "-o", "name"),
              "all jobs have ended", 600)
        took = time.time() - begin
        told = runs_of(world, ids)
        ended = {}
        for each in ApiServer(kubeconfig).ask(
                "GET", f"/api/v1/namespaces/{bench.SPACE}/pods")["items"]:
            if each["status"].get("phase") == "Succeeded":
                job = each["metadata"]["labels"]["armada_job_id"]
                ended[job] = ended.get(job, 0) + 1
        lost = [job for job, (state, _) in told.items() if "SUCCEEDED" not in state.upper()]
        doubled = [job for job, (_, runs) in told.items() if overlap(runs) or ended.get(job, 0) > 1]
        count = sum(len(runs) for _, runs in told.values())
        print(f"{args.name}: jobs {len(ids)}, runs {count}, lost {len(lost)}, doubled "
              f"{len(doubled)}, {took:.0f} s from the fault to the last end", flush=True)
        for job in (lost + doubled)[:3]:
            print(world.server.ctl("describe", "job", job))
        if lost or doubled:
            print((world.root / "agent.log").read_text()[-3000:])
            sys.exit(1)


if __name__ == "__main__":
    main()
