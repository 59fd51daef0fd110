# SPDX-License-Identifier: Apache-2.0
"""An argosyd of its own with an agent for each cluster of Kubernetes, links to their API servers
that can be cut, and namespaces that are made for one case and go with it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from cut_link import Link

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "bench" / each)
                for each in ("kubernetes", "system")]

from api_server import ApiServer, until  # noqa: E402 (its folder has just been added)
from system_bench import Server  # noqa: E402

RIGHTS = [
    {"apiGroups": [""], "resources": ["pods"],
     "verbs": ["create", "get", "list", "watch", "patch", "delete"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
    {"apiGroups": [""], "resources": ["events", "persistentvolumeclaims", "resourcequotas"],
     "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["", "networking.k8s.io"], "resources": ["services", "ingresses"],
     "verbs": ["create", "get", "list", "watch", "delete"]},
]
RBAC = "/apis/rbac.authorization.k8s.io/v1"
# The namespace of the agents, where no job runs, so that theirs can be deleted.
HOME = "argosy-bad-day"
ACCOUNT = {"kind": "ServiceAccount", "name": "argosy", "namespace": HOME}
ENDS = ("SUCCEEDED", "FAILED", "CANCELLED", "PREEMPTED", "REJECTED")


class Cluster:
    """A cluster by the kubeconfig of somebody who may do everything there."""

    def __init__(self, kubeconfig, name):
        self.name = name
        self.file = kubeconfig
        self.api = ApiServer(kubeconfig)
        self.link = Link(self.api.host.hostname, self.api.host.port)
        self.spaces = []

    def make_account(self):
        """Who the agent is: it may see all nodes and pods, and which cluster it is."""
        rules = [{"apiGroups": [""], "verbs": ["get", "list", "watch"],
                  "resources": ["nodes", "pods", "persistentvolumes"]},
                 {"apiGroups": [""], "verbs": ["get"], "resources": ["namespaces"],
                  "resourceNames": ["kube-system"]}]
        self.api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": HOME}}, may_fail=True)
        self.api.ask("POST", f"/api/v1/namespaces/{HOME}/serviceaccounts",
                     {"metadata": {"name": "argosy"}}, may_fail=True)
        self.api.ask("POST", f"{RBAC}/clusterroles", {
            "metadata": {"name": "argosy-nodes"}, "rules": rules}, may_fail=True)
        self.api.ask("PATCH", f"{RBAC}/clusterroles/argosy-nodes", {"rules": rules})
        self.api.ask("POST", f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": HOME}, "subjects": [ACCOUNT],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "argosy-nodes"}}, may_fail=True)

    def remove_account(self):
        self.api.ask("DELETE", f"/api/v1/namespaces/{HOME}/serviceaccounts/argosy")

    def make_space(self, space):
        """A namespace in which the agent may run pods."""
        self.api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": space}}, may_fail=True)
        self.api.ask("POST", f"{RBAC}/namespaces/{space}/roles",
                     {"metadata": {"name": "argosy"}, "rules": RIGHTS}, may_fail=True)
        self.bind(space)
        if space not in self.spaces:
            self.spaces.append(space)

    def bind(self, space):
        self.api.ask("POST", f"{RBAC}/namespaces/{space}/rolebindings", {
            "metadata": {"name": "argosy"}, "subjects": [ACCOUNT],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                        "name": "argosy"}}, may_fail=True)

    def unbind(self, space):
        self.api.ask("DELETE", f"{RBAC}/namespaces/{space}/rolebindings/argosy")

    def token(self, seconds=7200):
        answer = self.api.ask(
            "POST", f"/api/v1/namespaces/{HOME}/serviceaccounts/argosy/token",
            {"spec": {"expirationSeconds": seconds}})
        return answer["status"]["token"]

    def kubeconfig_of_agent(self, folder):
        """The agent comes over the link, as the service account of its own namespace."""
        text = yaml.safe_load(Path(self.file).read_text())
        cluster = dict(text["clusters"][0]["cluster"])
        cluster["server"] = f"{self.api.host.scheme}://127.0.0.1:{self.link.port}"
        file = folder / f"kubeconfig-{self.name}"
        file.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "agent",
            "contexts": [{"name": "agent", "context": {"cluster": "here", "user": "agent"}}],
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "agent", "user": {"token": self.token()}}]}))
        return file

    def pods(self, space=None):
        return self.api.ask("GET", f"/api/v1/namespaces/{space or self.spaces[0]}/pods")["items"]

    def remove_spaces(self):
        for space in self.spaces:
            self.api.ask("DELETE", f"/api/v1/namespaces/{space}/pods?gracePeriodSeconds=0",
                         may_fail=True)
            self.api.ask("DELETE", f"/api/v1/namespaces/{space}", may_fail=True)


class Agent:
    def __init__(self, fleet, cluster, spaces, more):
        self.fleet, self.cluster = fleet, cluster
        root = fleet.root
        self.data = root / f"agent-{cluster.name}"
        self.settings = root / f"agent-{cluster.name}.yaml"
        self.ready = root / f"ready-{cluster.name}"
        self.log = root / f"agent-{cluster.name}.log"
        self.kubeconfig = cluster.kubeconfig_of_agent(root)
        kubernetes = {"kubeconfig": str(self.kubeconfig), "namespaces": spaces}
        kubernetes.update(more)
        port = fleet.url.rsplit(":", 1)[1]
        key = Path(fleet.server.env["XDG_STATE_HOME"]) / f"argosy/credentials/127.0.0.1-{port}"
        self.settings.write_text(yaml.safe_dump({
            "nats": {"credentialsFile": str(key)}, "kubernetes": kubernetes}))
        self.nats = Link("127.0.0.1", int(port))
        self.process = None

    def start(self, wait=True):
        """Waits until the agent is ready, or does not."""
        self.ready.unlink(missing_ok=True)
        url = self.fleet.url.rsplit(":", 1)[0] + f":{self.nats.port}"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.fleet.bin / "argosy-agent", "--cluster", self.cluster.name, "--backend",
                 "kubernetes", "--data-dir", self.data, "--nats", url, "--config", self.settings,
                 "--ready-file", self.ready],
                env=self.fleet.server.env, stdout=log, stderr=log)
        if not wait:
            return
        until(lambda: self.ready.exists() or self.process.poll() is not None, "the agent is ready")
        if self.process.poll() is not None:
            raise SystemExit(self.log.read_text()[-3000:])

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(60)

    def readyz(self):
        """What the agent says of itself over HTTP; also before it is ready."""
        port = self.data / "health.port"
        if not port.exists():
            return ""
        done = subprocess.run(["curl", "-s", "--max-time", "5",
                               f"http://127.0.0.1:{port.read_text().strip()}/readyz"],
                              capture_output=True, text=True, timeout=10)
        return done.stdout


class Fleet:
    def __init__(self, bin_dir, clusters, settings=""):
        self.bin = Path(bin_dir).resolve()
        self.folder = tempfile.TemporaryDirectory(prefix="argosy-bad-day-")
        self.root = Path(self.folder.name)
        self.clusters = clusters
        self.agents = []
        rules = self.root / "argosyd.yaml"
        rules.write_text("scheduling: {respectNodePodLimits: true}\n" + settings)
        self.server = Server(self.bin, "--sim-clusters", "1", "--sim-nodes", "1", "--config",
                             rules)
        self.server.env = {name: value for name, value in self.server.env.items()
                           if not name.startswith("ARGOSY_TEST_")}
        self.url = self.server.env["ARGOSY_SERVER"]
        self.ctl("queue", "create", "bench")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.agents:
            each.agent_log = each.log.read_text() if each.log.exists() else ""
            if each.process and each.process.poll() is None:
                each.nats.mend()
                each.cluster.link.mend()
                each.process.terminate()
                try:
                    each.process.wait(30)
                except subprocess.TimeoutExpired:
                    each.kill()
        self.server.__exit__()
        keep = os.environ.get("ARGOSY_TEST_KEEP")
        if keep:
            subprocess.run(["cp", "-a", self.root, keep], check=False)
        self.folder.cleanup()

    def prepare(self, cluster, spaces, **more):
        """An agent that has not been started."""
        agent = Agent(self, cluster, spaces, more)
        self.agents.append(agent)
        return agent

    def join(self, cluster, spaces, **more):
        agent = self.prepare(cluster, spaces, **more)
        agent.start()
        wanted = len(cluster.api.nodes())
        until(lambda: self.ctl("get", "nodes", "-o", "name").count(f"{cluster.name}/") >= wanted,
              "the nodes of the cluster are known", 120)
        return agent

    def ctl(self, *words):
        return self.server.ctl(*words)

    def try_ctl(self, *words, limit=600):
        """The exit code and all that was said."""
        done = subprocess.run([self.bin / "argosyctl", *map(str, words)], env=self.server.env,
                              text=True, capture_output=True, timeout=limit)
        return done.returncode, done.stdout + done.stderr

    def write(self, job_set, spec, count=1, **item):
        file = self.root / f"{job_set}.json"
        one = {"podSpec": spec, **item}
        file.write_text(json.dumps({"queue": "bench", "jobSetId": job_set, "jobs": [one] * count}))
        return file

    def submit(self, job_set, spec, count=1, **item):
        out = self.ctl("submit", self.write(job_set, spec, count, **item), "-o", "name")
        return [each.split("/")[1] for each in out.split()]

    def told(self, job_set):
        """Of each job of the set: its state, its number of runs, its reason, its cluster."""
        items = json.loads(self.ctl("get", "jobs", "-q", "bench", "--jobset", job_set,
                                    "--limit", "100000", "-o", "json"))["items"]
        return [(each["state"], int(each["summary"].get("run", 0)),
                 each["summary"].get("reason", ""),
                 each["summary"].get("cluster", "")) for each in items]

    def active(self, job_set):
        return sum(1 for state, *_ in self.told(job_set) if state not in ENDS)

    def until_ended(self, job_set, limit=600):
        end = time.monotonic() + limit
        while self.active(job_set) and time.monotonic() < end:
            time.sleep(1)
        return self.told(job_set)

    def closed_nodes(self):
        """The nodes that are quarantined."""
        items = json.loads(self.ctl("get", "nodes", "-o", "json"))["items"]
        return [each["name"] for each in items if int(each["quarantinedUntilNs"])]


def pod(command=None, node="kwok", **more):
    """A pod for a node of KWOK or, by "real", of a kubelet."""
    amounts = {"cpu": "100m", "memory": "32Mi"}
    container = {"name": "main", "image": "alpine:3.20.0",
                 "resources": {"requests": amounts, "limits": amounts}}
    if command:
        container["command"] = command
    label = {"type": "kwok"} if node == "kwok" else {"lab/real": "true"}
    return {"nodeSelector": label, "terminationGracePeriodSeconds": 1,
            "containers": [container], **more}

