#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the set-up of the README on a real cluster, outside of it: `argosyd init --kubernetes`
writes the files, and what it prints is done word by word. A command and each example run there.

Usage: set_up.py BIN_DIR

KUBECONFIG names a cluster by a user who may do everything there. It may have a namespace `jobs`,
which stays, but no pods in it, and no namespace `argosy`. kubectl and nats-server are in PATH.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
EXAMPLES = Path(__file__).resolve().parents[2] / "config" / "examples"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(holds, what, limit=60):
    end = time.monotonic() + limit
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {limit} s in vain: {what}")
        time.sleep(0.2)


class SetUp:
    def __init__(self, bin_dir, root):
        self.bin, self.root, self.dir = Path(bin_dir).resolve(), root, root / "argosy"
        self.env = dict(os.environ, XDG_STATE_HOME=str(root / "state"),
                        PATH=f"{self.bin}:{os.environ['PATH']}")
        self.processes = []
        self.begin = time.monotonic()

    def say(self, what):
        print(f"{time.monotonic() - self.begin:5.1f} s  {what}", flush=True)

    def run(self, command, **more):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=300,
                              shell=isinstance(command, str), **more)
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, command, *more):
        """Starts a program as init says, with a data directory of the test."""
        name = command.split()[0]
        log = open(self.root / f"{name}.log", "wb")
        self.processes.append(subprocess.Popen([*command.split(), *more], env=self.env, stdout=log,
                                               stderr=log))

    def end(self):
        for each in reversed(self.processes):
            each.terminate()
        for each in self.processes:
            each.wait(30)


def begin_all(day, context):
    """Does what init prints, line by line."""
    said = day.run([day.bin / "argosyd", "init", day.dir, "--listen", f"127.0.0.1:{free_port()}",
                    "--cluster", "east", "--kubernetes", context, "--user", "root:operator"])
    shell, ready = "", day.root / "ready"
    for line in said.splitlines():
        words = line.strip()
        if not line.startswith("  "):
            continue
        if words.startswith(("umask", "kubectl")):
            shell += words + "\n"
        elif words.startswith("nats-server -c"):
            day.start(words)
            time.sleep(1)
        elif words.startswith("argosyd --config"):
            day.start(words, "--data-dir", str(day.root / "data"), "--ready-file", str(ready))
            until(ready.exists, "argosyd is ready")
        elif words.startswith("argosy-agent --config"):
            day.run("set -e\n" + shell)
            day.say("applied to the cluster")
            day.start(words, "--data-dir", str(day.root / "agent"), "--ready-file",
                      str(day.root / "agent-ready"))
        elif words.startswith("ARGOSY_SERVER="):
            for each in words.split():
                if "=" in each and each.startswith("ARGOSY_"):
                    day.env.update([each.split("=", 1)])
            day.run(words)
    until((day.root / "agent-ready").exists, "the agent is ready")
    day.say("the agent is ready")


def use(day):
    for queue in ("research", "service"):
        day.run(["argosyctl", "queue", "create", queue])
    until(lambda: day.run("argosyctl get nodes -o name").strip(), "there are nodes")
    done = subprocess.run(["argosyctl", "run", "-q", "research", "--image", "alpine:3.20.0", "--",
                           "/bin/true"], env=day.env, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"argosyctl run --image: {done.returncode}\n{done.stdout}{done.stderr}")
    if "'jobs'" not in done.stderr:
        sys.exit(f"argosyctl run does not tell the namespace: {done.stderr}")
    day.say(f"argosyctl run --image without --namespace: {done.stderr.splitlines()[0]!r}")
    real = day.run("kubectl get nodes -l lab/real=true -o name").split()
    for each in real:  # A lab without a network has none of their images.
        day.run(["argosyctl", "node", "cordon", each.replace("node/", "east/"), "--reason",
                 "images"])
    for file in sorted(EXAMPLES.glob("*.yaml")):
        if file.name.startswith("argosyd"):
            continue
        ids = day.run(["argosyctl", "submit", file, "-o", "name"]).split()
        if file.name == "sleeps.yaml":
            until(lambda: "RUNNING" in day.run(["argosyctl", "get", *ids, "-o", "json"]),
                  "the example that sleeps runs")
            day.run(["argosyctl", "cancel", *(each.split("/")[1] for each in ids)])
        subprocess.run(["argosyctl", "wait", "--timeout", "120s", *ids], env=day.env, check=False,
                       capture_output=True)
        items = json.loads(day.run(["argosyctl", "get", *ids, "-o", "json"]))
        items = items.get("items", [items])
        states = {}
        for each in items:
            states[each["state"]] = states.get(each["state"], 0) + 1
        day.say(f"{file.name}: {states}")
        # On nodes without a kubelet each pod succeeds.
        allowed = {"sleeps.yaml": {"CANCELLED"}, "fails.yaml": {"FAILED", "SUCCEEDED"}}
        if not set(states) <= allowed.get(file.name, {"SUCCEEDED"}):
            sys.exit(f"{file.name}: {states}")
    for each in real:
        day.run(["argosyctl", "node", "uncordon", each.replace("node/", "east/")])


def read_output(day):
    """Where there is a kubelet, the words of a job are read through the kubelet's log."""
    if "lab/real" not in day.run("kubectl get nodes -l lab/real=true -o yaml"):
        return day.say("no node has a kubelet, so that no output was read")
    job = day.root / "words.yaml"
    job.write_text("""{queue: research, jobSetId: words, jobs: [{podSpec: {
      nodeSelector: {lab/real: "true"}, containers: [{name: main, image: "alpine:3.20.0",
      command: [/bin/sh, -c, "echo the words of $HOSTNAME"],
      resources: {requests: {cpu: 100m, memory: 32Mi}, limits: {cpu: 100m, memory: 32Mi}}}]}}]}""")
    name = day.run(["argosyctl", "submit", job, "-o", "name"]).strip()
    day.run(["argosyctl", "wait", "--timeout", "60s", name])
    said = day.run(["argosyctl", "logs", name])
    if not said.startswith("the words of armada-"):
        sys.exit(f"its output is {said!r}")
    day.say(f"output of a job: {said.strip()!r}")


def clean(day, keep):
    """Removes what init had applied, but for a namespace that was there before."""
    manifest = day.dir / "kubernetes" / "east.yaml"
    parts = manifest.read_text().split("\n---\n")
    rest = day.root / "rest.yaml"
    rest.write_text("\n---\n".join(
        each for each in parts
        if not (keep and "kind: Namespace\n" in each and f"name: {keep}\n" in each)))
    for command in (["delete", "pods", "--all", "-n", "jobs", "--force"],
                    ["delete", "--ignore-not-found", "--timeout=120s", "-f", rest],
                    *([["label", "namespace", keep, "pod-security.kubernetes.io/enforce-"]]
                      if keep else [])):
        subprocess.run(["kubectl", *command], env=day.env, check=False, capture_output=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not os.environ.get("KUBECONFIG") or not shutil.which("kubectl"):
        print("skipped: KUBECONFIG names no cluster, or kubectl is not in PATH")
        sys.exit(SKIPPED)
    # The last file of several is another cluster.
    os.environ["KUBECONFIG"] = os.environ["KUBECONFIG"].split(":")[0]
    with tempfile.TemporaryDirectory(prefix="argosy-set-up-") as folder:
        day = SetUp(sys.argv[1], Path(folder))
        there = day.run("kubectl get namespace argosy jobs --ignore-not-found -o name").split()
        if "namespace/argosy" in there or day.run("kubectl get pods -n jobs -o name").strip():
            print("skipped: the cluster has a namespace argosy, or pods in its namespace jobs")
            sys.exit(SKIPPED)
        try:
            begin_all(day, day.run("kubectl config current-context").strip())
            use(day)
            read_output(day)
        except SystemExit:
            for each in ("argosy-agent", "argosyd", "nats-server"):
                log = Path(folder) / f"{each}.log"
                print(f"--- {each}\n" + (log.read_text()[-1500:] if log.exists() else "none"))
            raise
        finally:
            day.end()
            clean(day, keep="jobs" if "namespace/jobs" in there else "")


if __name__ == "__main__":
    main()
