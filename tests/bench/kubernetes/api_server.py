# SPDX-License-Identifier: Apache-2.0
"""An API server of Kubernetes on this machine, asked by hand: nodes for KWOK, pods, watches, and
what its process takes."""

import base64
import http.client
import json
import os
import socket
import ssl
import tempfile
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

NODE = {"apiVersion": "v1", "kind": "Node"}
AMOUNTS = {"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "500Gi"}


def conditions():
    """Those of a healthy node, as its kubelet would tell them now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    words = {"Ready": "True", "MemoryPressure": "False", "DiskPressure": "False",
             "PIDPressure": "False"}
    return [{"type": kind, "status": status, "reason": "Bench", "message": "of the bench",
             "lastHeartbeatTime": now, "lastTransitionTime": now} for kind, status in words.items()]


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"process {pid} is gone")


class ApiServer:
    def __init__(self, kubeconfig):
        text = yaml.safe_load(Path(kubeconfig).read_text())
        named = lambda kind, name: next(each for each in text[kind] if each["name"] == name)
        context = named("contexts", text["current-context"])["context"]
        cluster = named("clusters", context["cluster"])["cluster"]
        self.token = named("users", context["user"])["user"].get("token", "")
        self.host = urllib.parse.urlsplit(cluster["server"])
        self.tls = None
        if self.host.scheme == "https":
            self.tls = ssl.create_default_context(
                cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        self.local = threading.local()

    def connect(self, timeout=60):
        if self.tls:
            return http.client.HTTPSConnection(self.host.netloc, context=self.tls, timeout=timeout)
        return http.client.HTTPConnection(self.host.netloc, timeout=timeout)

    def send(self, connection, verb, path, body=None):
        kind = "application/merge-patch+json" if verb == "PATCH" else "application/json"
        connection.request(verb, path, None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        return connection.getresponse()

    def ask(self, verb, path, body=None, may_fail=False):
        """One request; each thread keeps its connection, which the server may close when idle."""
        kept = hasattr(self.local, "connection")
        if not kept:
            self.local.connection = self.connect()
        try:
            answer = self.send(self.local.connection, verb, path, body)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            if not kept:
                raise
            del self.local.connection
            return self.ask(verb, path, body, may_fail)
        text = answer.read()
        if answer.status >= 300 and not may_fail:
            raise SystemExit(f"{verb} {path}: {answer.status} {text[:300].decode()}")
        return json.loads(text)

    def pid(self):
        """The process that listens at its port."""
        flag = f"--secure-port={self.host.port}".encode()
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            if flag in words and b"kube-apiserver" in words[0]:
                return int(each.parent.name)
        raise SystemExit(f"no kube-apiserver of this machine has port {self.host.port}")

    def nodes(self):
        return [each["metadata"]["name"] for each in
                self.ask("GET", "/api/v1/nodes?labelSelector=type%3Dkwok")["items"]]

    def is_quiet(self, count):
        """Whether there are so many nodes, and all of them take pods."""
        items = self.ask("GET", "/api/v1/nodes?labelSelector=type%3Dkwok")["items"]
        return len(items) == count and not any(each["spec"].get("taints") for each in items)

    def set_nodes(self, count):
        """Has so many nodes that KWOK plays, whose label is type=kwok."""
        have = self.nodes()
        wanted = [f"bench-{i}" for i in range(count)]
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda name: self.ask("DELETE", f"/api/v1/nodes/{name}"),
                             set(have) - set(wanted)))
            list(threads.map(self.make_node, [name for name in wanted if name not in set(have)]))
        until(lambda: self.is_quiet(count), f"{count} nodes are ready", 300)

    def make_node(self, name):
        """The node is ready, and without the taint that each new one gets: KWOK and the controller
        manager would see to both, and take three minutes for 5,000 nodes."""
        self.ask("POST", "/api/v1/nodes", {
            **NODE, "metadata": {"name": name, "labels": {
                "type": "kwok", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
            "status": {"capacity": AMOUNTS, "allocatable": AMOUNTS, "conditions": conditions()}})
        self.ask("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}})

    def delete_pods(self, space):
        self.ask("DELETE", f"/api/v1/namespaces/{space}/pods?gracePeriodSeconds=0")
        until(lambda: not self.ask("GET", f"/api/v1/namespaces/{space}/pods?limit=1")["items"],
              "all pods are gone", 300)


def until(condition, what, limit=120.0):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited {limit:.0f} s in vain: {what}")
        time.sleep(0.02)


class PodWatch:
    """Notes when each pod of a namespace was first seen, seen running, and seen ended. A server
    cuts a watch that reads too slowly; then all pods are listed and watched anew. End it when
    what it is for is measured, since it costs the API server and this program."""

    def __init__(self, api, space):
        self.api, self.path = api, f"/api/v1/namespaces/{space}/pods"
        self.created, self.running, self.ended = {}, {}, {}
        self.over = False
        answer = self.watch(self.api.ask("GET", self.path + "?limit=1"))
        threading.Thread(target=self.read, args=(answer,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        self.cut()

    def cut(self):
        # To close it would not wake the thread that reads from it.
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)

    def watch(self, listed):
        version = listed["metadata"]["resourceVersion"]
        self.connection = self.api.connect(timeout=3600)
        return self.api.send(self.connection, "GET",
                             f"{self.path}?watch=true&resourceVersion={version}")

    def read(self, answer):
        while True:
            try:
                self.note_all(answer)
            except (OSError, http.client.HTTPException, ValueError):
                if not self.over:
                    raise
            if self.over:
                return
            listed = self.api.ask("GET", self.path)
            for pod in listed["items"]:
                self.note(pod)
            answer = self.watch(listed)
            if self.over:
                self.cut()

    def note_all(self, answer):
        for line in answer:
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            if event["type"] in ("ADDED", "MODIFIED"):
                self.note(event["object"])

    def note(self, pod):
        now, name = time.time(), pod["metadata"]["name"]
        self.created.setdefault(name, now)
        phase = pod["status"].get("phase")
        if phase == "Running":
            self.running.setdefault(name, now)
        if phase in ("Succeeded", "Failed"):
            self.ended.setdefault(name, now)
