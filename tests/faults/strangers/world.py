# SPDX-License-Identifier: Apache-2.0
"""What is attacked: argosyd --dev with its nats-server, and an agent."""

import atexit
import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def until(what, limit=60.0):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    return None


class World:
    """argosyd --dev with a user who has a password, and an agent."""

    listen = "127.0.0.1:0"
    # The child that is one, where it is no part of argosyd.
    nats_server = None

    def __init__(self, programs):
        self.programs = Path(programs).resolve()
        self.folder = Path(tempfile.mkdtemp(prefix="argosy-strangers-"))
        self.children = []
        self.env = {**os.environ, "HOME": str(self.folder),
                    "PATH": f"{self.programs}:{os.environ['PATH']}"}
        self.env.pop("ARGOSY_SERVER", None)
        atexit.register(self.end)
        self.owner = os.getpid()
        self.told = False
        self.begin()

    @classmethod
    def why_not(cls):
        """Why there can be no such world here; nothing if there can."""
        return None

    def begin(self):
        """Starts the programs, and makes the queue q."""
        hashed = subprocess.run(["argosyd", "hash-password"], input="secret\n", env=self.env,
                                capture_output=True, text=True, check=True).stdout.strip()
        config = self.folder / "argosyd.yaml"
        config.write_text(json.dumps({
            "health": {"listen": self.listen}, "grpc": {"listen": "127.0.0.1:0"},
            "rest": {"enabled": True},
            "access": {"users": [{"name": "ann", "passwordHash": hashed, "groups": ["all"]},
                                 {"name": "bob", "passwordHash": hashed, "groups": []}],
                       "permissions": [{"name": name, "groups": ["all"]}
                                       for name in ("submit_any_jobs", "create_queue")]}}))
        self.start_argosyd("--dev", "--plain-processes", "--config", str(config))
        self.env["ARGOSY_SERVER"] = self.nats
        self.start_agent("--cluster", "strangers", "--nats", self.nats)
        subprocess.run(["argosyctl", "queue", "create", "q"], env=self.env, check=True,
                       capture_output=True)

    def start_argosyd(self, *words):
        ready = self.folder / "ready"
        (self.folder / "data").mkdir(mode=0o700)
        self.argosyd = self.start("argosyd", *words, "--data-dir", str(self.folder / "data"),
                                  "--ready-file", str(ready))
        if not until(lambda: ready.exists() and len(ready.read_text().split()) > 2):
            sys.exit("argosyd is not ready: " + (self.folder / "argosyd.log").read_text()[-2000:])
        self.nats, self.url, self.grpc = ready.read_text().split()[:3]

    def start_agent(self, *words):
        ready = self.folder / "agent-ready"
        (self.folder / "agent").mkdir(mode=0o700)
        self.agent = self.start("argosy-agent", *words, "--data-dir", str(self.folder / "agent"),
                                "--ready-file", str(ready))
        if not until(ready.exists):
            sys.exit("the agent is not ready: " +
                     (self.folder / "argosy-agent.log").read_text()[-2000:])
        self.agent_url = ready.read_text().split()[1]

    def start(self, *words):
        log = open(self.folder / f"{words[0]}.log", "w", encoding="utf-8")
        child = subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=log)
        self.children.append(child)
        return child

    def end(self):
        if os.getpid() != self.owner:
            return
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def http_port(self, target):
        return int((self.url if target == "argosyd" else self.agent_url).rsplit(":", 1)[1])

    def connect(self, target, room=None):
        """A connection to the HTTP port, with so much room for what is not read."""
        return self.connect_from(socket.socket(), ("127.0.0.1", self.http_port(target)), room)

    @staticmethod
    def connect_from(made, to, room):
        try:
            if room is not None:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
            made.settimeout(5)
            made.connect(to)
            return made
        except OSError:
            made.close()
            raise

    def grpc_port(self):
        return int(self.grpc.rsplit(":", 1)[1])

    def password_of(self, name):
        return "Basic " + base64.b64encode(f"{name}:secret".encode()).decode()

    def pids(self):
        return {"argosyd": self.argosyd.pid, "agent": self.agent.pid}

    def submit(self):
        """Whether a submission of a user who is known was accepted."""
        body = json.dumps({"queue": "q", "jobSetId": "s", "jobRequestItems": [{
            "namespace": "default", "priority": 1, "podSpec": {"containers": [{
                "name": "main", "image": "none", "command": ["true"],
                "resources": {"requests": {"cpu": "900", "memory": "1Mi"},
                              "limits": {"cpu": "900", "memory": "1Mi"}}}]}}]})
        asked = http.client.HTTPConnection("127.0.0.1", self.http_port("argosyd"), timeout=10)
        try:
            asked.request("POST", "/v1/job/submit", body,
                          {"Authorization": self.password_of("ann")})
            answer = asked.getresponse()
            return self.accepted(answer.status == 200, f"{answer.status} {answer.read()[:300]}")
        finally:
            asked.close()

    def accepted(self, good, answer):
        if not good and not self.told:
            self.told = True
            print(f"  a submission was refused: {answer}")
        return good
