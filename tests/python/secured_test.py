# SPDX-License-Identifier: Apache-2.0
"""Goal: on a machine that `argosyd init` secured, a user of Python is served by the context that it
wrote, with the rights that he has by argosyctl. Method: nats-server, argosyd and an agent from what
init made, with TLS by an authority of the test's own."""

import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import argosy
import yaml
from deployment import START_WITHIN_S, VARIABLES


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Secured(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.made = cls.folder / "argosy"
        cls.nats, cls.grpc = free_ports(2)
        cls.env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        cls.env["PATH"] = os.environ["ARGOSY_PROGRAMS"] + os.pathsep + cls.env["PATH"]
        # Debian keeps nats-server where ordinary users do not look.
        cls.env["PATH"] += ":/usr/sbin"
        cls.run_program("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem",
                        "-out", "cert.pem")
        cls.said = cls.run_program(
            "argosyd", "init", cls.made, "--listen", f"127.0.0.1:{cls.nats}", "--url",
            f"tls://localhost:{cls.nats}", "--grpc", f"127.0.0.1:{cls.grpc}", "--tls-cert",
            "cert.pem", "--tls-key", "key.pem", "--tls-ca", "cert.pem", "--cluster", "here",
            "--user", "root:operator", "--user", "alice:submitter", "--user", "vera:viewer")
        with open(cls.made / "agents/here.yaml", "a") as settings:
            settings.write(f"dataDir: {cls.folder}/agent\n")
        with open(cls.made / "argosyd.yaml", "a") as settings:
            settings.write(f"dataDir: {cls.folder}/data\nhealth: {{listen: \"off\"}}\n")
        for words in (("nats-server", "-c", cls.made / "nats-server.conf"),
                      ("argosyd", "--config", cls.made / "argosyd.yaml", "--ready-file", "ready"),
                      ("argosy-agent", "--config", cls.made / "agents/here.yaml", "--ready-file",
                       "connected")):
            cls.start(*words)
        until = time.monotonic() + START_WITHIN_S
        while not ((cls.folder / "ready").exists() and (cls.folder / "connected").exists()):
            if time.monotonic() > until:
                raise RuntimeError((cls.folder / "log").read_text())
            time.sleep(0.05)

    @classmethod
    def run_program(cls, *words):
        return subprocess.run(words, cwd=cls.folder, env=cls.env, check=True, text=True,
                              capture_output=True).stdout

    @classmethod
    def start(cls, *words):
        with open(cls.folder / "log", "a") as log:
            started = subprocess.Popen(words, cwd=cls.folder, env=cls.env, stdout=log, stderr=log)
        cls.addClassCleanup(started.wait)
        cls.addClassCleanup(started.terminate)

    def context(self, name):
        """The folder that init wrote, where its user has it, and nothing else."""
        home = self.folder / f"home-{name}"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.made / f"contexts/{name}", home / "argosy")
        own = {"XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home)}
        return mock.patch.dict(os.environ, {**self.env, **own}, clear=True)

    def text(self, name):
        return (self.made / f"contexts/{name}/config.yaml").read_text()

    def client(self, name, **more):
        with self.context(name):
            out = argosy.Client(patience=0, **more)
        self.addCleanup(out.close)
        return out

    def test_a_user_is_served_by_the_context_that_init_wrote(self):
        self.client("root").create_queue("research")
        client = self.client("alice", queue="research")
        self.assertEqual(client.whoami(), "alice")
        self.assertEqual(list(client.map(lambda x: x * x, range(6), cpu="10m", memory="64Mi")),
                         [0, 1, 4, 9, 16, 25])
        with self.context("alice"):
            said = subprocess.run(["argosyctl", "get", "job", "-o", "wide"], check=True,
                                  text=True, capture_output=True).stdout
        self.assertIn("succeeded", said, "argosyctl takes the same file")

    def test_each_has_the_rights_of_his_role(self):
        self.client("root").create_queue("rights")
        for name, allowed in (("alice", True), ("vera", False)):
            client = self.client(name, queue="rights")
            if allowed:
                client.submit("true", cpu="10m", memory="16Mi").cancel()
            else:
                with self.assertRaises(argosy.Error) as raised:
                    client.submit("true", cpu="10m", memory="16Mi")
                self.assertEqual(raised.exception.code, "PERMISSION_DENIED")
            with self.assertRaises(argosy.Error) as raised:
                client.create_queue(f"of-{name}")
            self.assertEqual(raised.exception.code, "PERMISSION_DENIED")

    def test_who_is_removed_or_has_a_new_key_is_not_let_in_by_the_old_context(self):
        self.run_program("argosyd", "init", self.made, "--add-user", "eve", "--add-user", "ann")
        for name, change in (("eve", "--remove"), ("ann", "--rotate")):
            before = self.text(name)
            client = self.client(name)
            self.assertEqual(client.whoami(), name)
            self.run_program("argosyd", "init", self.made, change, f"user/{name}")
            with self.assertRaises(argosy.Error) as raised:
                client.whoami()
            self.assertEqual(raised.exception.code, "UNAUTHENTICATED")
            self.assertEqual(before == self.text(name), change == "--remove")
        self.assertEqual(self.client("ann").whoami(), "ann")

    def test_a_context_is_its_users_secret(self):
        found = list((self.made / "contexts").rglob("*"))
        self.assertGreaterEqual(len(found), 9)
        for path in found:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o77, 0, path)
        password = yaml.safe_load(self.text("alice"))["contexts"]["argosy"]["grpc"].split("@")[0]
        self.assertNotIn(password.split(":")[2], self.said)


if __name__ == "__main__":
    unittest.main()
