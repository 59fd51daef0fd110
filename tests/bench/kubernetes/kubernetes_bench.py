#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an agent with backend kubernetes takes, beside what its API server takes in the same run.
The API server is one of this machine, with KWOK, which plays the kubelets of nodes with the label
type=kwok: a pod runs for a second, or for ever with the annotation lab/forever. All pods of
namespace jobs are deleted, and so are nodes of KWOK that are too many.

  pods      500 pods on 100 nodes, from the first request to the last end: by hand, and as jobs
  load      processor and memory of agent and API server while 5,000 pods run on 100 nodes
  idle      share of a core that the agent takes beside 5,000 nodes
  create    from a submit to the creation of its pod, one at a time
  ends      from the end of a pod, as the API server tells it, to the user's watch

Usage: kubernetes_bench.py BIN_DIR KUBECONFIG [FIGURE...]
"""
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "system"))

from api_server import ApiServer, PodWatch, cpu_seconds, rss_mib, until  # noqa: E402
from system_bench import Server  # noqa: E402

SPACE = "jobs"
AT_A_TIME = 16  # Requests by hand that are under way at a time.
ITEM = """  - namespace: jobs
    annotations: {{{annotations}}}
    podSpec:
      nodeSelector: {{type: kwok}}
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: alpine:3.20.0
          resources:
            requests: {{cpu: 100m, memory: 64Mi}}
            limits: {{cpu: 100m, memory: 64Mi}}
"""

# A node takes 110 pods, whatever room it has left.
RULES = "scheduling: {respectNodePodLimits: true}\n"


def spread(times):
    times = sorted(times)
    at = [times[min(len(times) - 1, int(len(times) * part))] * 1e3 for part in (0.5, 0.99)]
    return f"p50 {at[0]:.0f}, p99 {at[1]:.0f}, most {times[-1] * 1e3:.0f} ms of {len(times)}"


class World:
    """An argosyd, an agent of the cluster, and a file of jobs."""

    def __init__(self, bin_dir, kubeconfig, api):
        self.api = api
        self.folder = tempfile.TemporaryDirectory(prefix="argosy-kube-")
        self.root = Path(self.folder.name)
        rules = self.root / "argosyd.yaml"
        rules.write_text(RULES)
        self.server = Server(bin_dir, "--sim-clusters", "1", "--sim-nodes", "1", "--config", rules)
        self.server.ctl("queue", "create", "bench")
        settings, ready = self.root / "agent.yaml", self.root / "ready"
        settings.write_text(f"kubernetes:\n  kubeconfig: {kubeconfig}\n  namespaces: [{SPACE}]\n")
        self.log = open(self.root / "agent.log", "wb")
        self.agent = subprocess.Popen(
            [bin_dir / "argosy-agent", "--cluster", "kube", "--backend", "kubernetes",
             "--data-dir", self.root / "agent", "--nats", self.server.env["ARGOSY_SERVER"],
             "--config", settings, "--ready-file", ready],
            env=self.server.env, stdout=self.log, stderr=self.log)
        until(lambda: ready.exists() or self.agent.poll() is not None, "the agent is ready")
        if self.agent.poll() is not None:
            raise SystemExit((self.root / "agent.log").read_text())
        wanted = len(api.nodes())
        until(lambda: len(self.server.ctl("get", "nodes", "-o", "name").split()) > wanted,
              "all nodes are known", 300)

    def jobs(self, name, count, annotations=""):
        file = self.root / "jobs.yaml"
        with open(file, "w") as out:
            out.write(f"queue: bench\njobSetId: {name}\njobs:\n")
            out.write(ITEM.format(annotations=annotations) * count)
        return file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.agent.terminate()
        self.agent.wait(timeout=30)
        self.log.close()
        self.server.__exit__()
        self.folder.cleanup()


def pod(number, node):
    amounts = {"cpu": "100m", "memory": "64Mi"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"by-hand-{number}"},
            "spec": {"nodeSelector": {"kubernetes.io/hostname": node}, "restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "alpine:3.20.0",
                                     "resources": {"requests": amounts, "limits": amounts}}]}}


def made_by_agent(world):
    """The pod of a job without its node, as it may be sent again. Its labels have other names of
    the same length, so that no agent takes it for one of its own."""
    with PodWatch(world.api, SPACE) as watch:
        world.server.ctl("submit", world.jobs("one", 1), "-o", "name")
        until(lambda: len(watch.ended) == 1, "one pod has ended")
    made = world.api.ask("GET", f"/api/v1/namespaces/{SPACE}/pods/{next(iter(watch.ended))}")
    labels = {re.sub("^argosy|^armada", "byhand", key): value
              for key, value in made["metadata"]["labels"].items()}
    for name in ("nodeName", "volumes", "priority", "preemptionPolicy", "serviceAccount"):
        made["spec"].pop(name, None)
    for container in made["spec"]["containers"]:
        container.pop("volumeMounts", None)
    return {"apiVersion": "v1", "kind": "Pod", "spec": made["spec"],
            "metadata": {"labels": labels, "annotations": made["metadata"]["annotations"]}}


def same_pod(made, number, node):
    """Another pod like that of a job, as long in all its parts."""
    return made | {"metadata": made["metadata"] | {"name": f"by-hand-{number:028}"},
                   "spec": made["spec"] | {"nodeSelector": made["spec"]["nodeSelector"] |
                                           {"kubernetes.io/hostname": node}}}


def by_hand(api, nodes, count, make):
    """Makes pods with make(number, node) and waits for their ends."""
    api.delete_pods(SPACE)
    with PodWatch(api, SPACE) as watch:
        begin = time.time()
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            list(threads.map(lambda i: api.ask("POST", f"/api/v1/namespaces/{SPACE}/pods",
                                               make(i, nodes[i % len(nodes)])), range(count)))
        until(lambda: len(watch.ended) == count, "all pods have ended", 300)
    took = max(watch.ended.values()) - begin
    api.delete_pods(SPACE)
    return took


def by_argosy(world, name, count):
    file = world.jobs(name, count)
    with PodWatch(world.api, SPACE) as watch:
        begin = time.time()
        world.server.ctl("submit", file, "-o", "name")
        until(lambda: len(watch.ended) == count, "all pods have ended", 300)
        until(lambda: not world.server.ctl("get", "jobs", "--active", "-o", "name"), "all is known")
        took = time.time() - begin
    created = max(watch.created.values()) - begin
    world.api.delete_pods(SPACE)
    return took, created


def measure_pods(bin_dir, kubeconfig, api, count=500, nodes=100):
    """In each turn pods like those of jobs are made by hand, then pods with nothing but what their
    job asks for, and then the jobs are submitted."""
    api.set_nodes(nodes)
    with World(bin_dir, kubeconfig, api) as world:
        same = partial(same_pod, made_by_agent(world))
        ratios = []
        for turn in range(3):
            alone = by_hand(api, api.nodes(), count, same)
            bare = by_hand(api, api.nodes(), count, pod)
            took, created = by_argosy(world, f"pods-{turn}", count)
            ratios.append(took / alone)
            print(f"pods: {count} on {nodes} nodes: by hand {alone:.2f} s, with bare pods "
                  f"{bare:.2f} s, Argosy {took:.2f} s (the last pod was made after {created:.2f} "
                  f"s), ratio {ratios[-1]:.2f} ({took / bare:.2f} to the bare ones)", flush=True)
    print(f"pods: median ratio {sorted(ratios)[1]:.2f} (1.2 asked)")


def measure_load(bin_dir, kubeconfig, api, count=5_000, nodes=100):
    api.set_nodes(nodes)
    api.delete_pods(SPACE)
    server = api.pid()
    with World(bin_dir, kubeconfig, api) as world:
        file = world.jobs("load", count, 'lab/forever: "true"')
        before = cpu_seconds(world.agent.pid), cpu_seconds(server)
        begin = time.time()
        with PodWatch(api, SPACE) as watch:
            world.server.ctl("submit", file, "-o", "name")
            until(lambda: len(watch.running) == count, "all pods run", 600)
        time.sleep(2)
        took = time.time() - begin
        agent, alone = cpu_seconds(world.agent.pid) - before[0], cpu_seconds(server) - before[1]
        print(f"load: {count} pods on {nodes} nodes run after {took:.1f} s; agent {agent:.2f} s of "
              f"the processor, API server {alone:.2f} s: {agent / alone:.1%} (15 % asked); agent "
              f"{rss_mib(world.agent.pid):.0f} MiB (60 asked), API server "
              f"{rss_mib(server):.0f} MiB", flush=True)
        world.server.ctl("cancel", "-q", "bench", "--jobset", "load")
        until(lambda: not world.server.ctl("get", "jobs", "--active", "-o", "name"),
              "all are cancelled", 600)
        agent, alone = cpu_seconds(world.agent.pid) - before[0], cpu_seconds(server) - before[1]
        print(f"load: with the cancel of all: agent {agent:.2f} s, API server {alone:.2f} s: "
              f"{agent / alone:.1%}; agent {rss_mib(world.agent.pid):.0f} MiB", flush=True)
    api.delete_pods(SPACE)


def measure_idle(bin_dir, kubeconfig, api, nodes=5_000, seconds=60):
    api.set_nodes(nodes)
    server = api.pid()
    with World(bin_dir, kubeconfig, api) as world:
        time.sleep(5)
        before = cpu_seconds(world.agent.pid), cpu_seconds(server)
        time.sleep(seconds)
        agent, alone = cpu_seconds(world.agent.pid) - before[0], cpu_seconds(server) - before[1]
        print(f"idle: {nodes} nodes: agent {agent / seconds:.2%} of a core (3 % asked), "
              f"{rss_mib(world.agent.pid):.0f} MiB; API server {alone / seconds:.1%}", flush=True)


def measure_create(bin_dir, kubeconfig, api, count=200):
    api.set_nodes(100)
    with World(bin_dir, kubeconfig, api) as world:
        file = world.jobs("create", 1)
        watch = PodWatch(api, SPACE)
        times = []
        for number in range(count):
            begin = time.time()
            world.server.ctl("submit", file, "-o", "name")
            until(lambda: len(watch.created) > number, "the pod is made")
            times.append(max(watch.created.values()) - begin)
        alone = []
        for number in range(count):
            begin = time.time()
            api.ask("POST", f"/api/v1/namespaces/{SPACE}/pods", pod(number, api.nodes()[0]))
            until(lambda: f"by-hand-{number}" in watch.created, "the pod is made")
            alone.append(watch.created[f"by-hand-{number}"] - begin)
    print(f"create: from the start of argosyctl submit to the pod: {spread(times)} (150 asked); "
          f"by hand: {spread(alone)}", flush=True)
    api.delete_pods(SPACE)


def measure_ends(bin_dir, kubeconfig, api, count=200):
    api.set_nodes(100)
    with World(bin_dir, kubeconfig, api) as world:
        seen, watch = {}, PodWatch(api, SPACE)
        file = world.jobs("ends", 10)
        world.server.ctl("submit", file, "-o", "name")
        user = subprocess.Popen([bin_dir / "argosyctl", "watch", "bench", "ends", "-o", "jsonl"],
                                env=world.server.env, stdout=subprocess.PIPE, text=True)

        def read():
            for line in user.stdout:
                if "ucceeded" in line and (job := re.search(r'"jobId":\s*"(\w+)"', line)):
                    seen.setdefault(job.group(1), time.time())
        with ThreadPoolExecutor(1) as threads:
            reading = threads.submit(read)
            for _ in range(count // 10 - 1):
                world.server.ctl("submit", file, "-o", "name")
                time.sleep(0.3)
            until(lambda: len(watch.ended) == count and len(seen) == count, "all have ended", 300)
            user.terminate()
            reading.result()
        times = [when - watch.ended[f"armada-{job}-0"] for job, when in seen.items()]
    print(f"ends: from the API server's word to the user's watch: {spread(times)} (500 asked)",
          flush=True)
    api.delete_pods(SPACE)


FIGURES = {"pods": measure_pods, "load": measure_load, "create": measure_create,
           "ends": measure_ends, "idle": measure_idle}


def main():
    if len(sys.argv) < 3 or any(each not in FIGURES for each in sys.argv[3:]):
        sys.exit(__doc__)
    bin_dir, kubeconfig = (Path(each).resolve() for each in sys.argv[1:3])
    api = ApiServer(kubeconfig)
    for name in sys.argv[3:] or FIGURES:
        FIGURES[name](bin_dir, kubeconfig, api)


if __name__ == "__main__":
    main()
