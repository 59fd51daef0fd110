# SPDX-License-Identifier: Apache-2.0
"""An argosyd --dev of its own for each class of tests, and what the tests need to talk to it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import grpc
from armada_client.k8s.io.api.core.v1 import generated_pb2 as core_v1
from armada_client.k8s.io.apimachinery.pkg.api.resource import generated_pb2 as resource

START_WITHIN_S = 30


class Argosyd:
    """The program with its state in a folder that goes away with it."""

    def __init__(self, settings=""):
        """`settings` is what argosyd's configuration file has."""
        self.folder = tempfile.mkdtemp(prefix="argosy-interop-")
        self._config = os.path.join(self.folder, "argosyd.yaml")
        with open(self._config, "w") as file:
            file.write(settings)
        self.address = None
        self._process = None

    @staticmethod
    def hash_password(password):
        program = os.path.join(os.environ["ARGOSY_PROGRAMS"], "argosyd")
        done = subprocess.run([program, "hash-password"], input=password + "\n", text=True,
                              capture_output=True, check=True)
        return done.stdout.strip()

    def start(self):
        ready = os.path.join(self.folder, "ready")
        if os.path.exists(ready):
            os.remove(ready)
        programs = os.environ["ARGOSY_PROGRAMS"]
        env = dict(os.environ, XDG_STATE_HOME=os.path.join(self.folder, "state"),
                   PATH=programs + os.pathsep + os.environ["PATH"])
        log = open(os.path.join(self.folder, "log"), "a")
        self._process = subprocess.Popen(
            [os.path.join(programs, "argosyd"), "--dev", "--plain-processes",
             "--end-jobs-on-stop", "--ready-file", ready, "--config", self._config],
            env=env, stdout=log, stderr=log)
        log.close()
        until = time.monotonic() + START_WITHIN_S
        while not os.path.exists(ready):
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("argosyd did not start:\n" + self.log())
            time.sleep(0.02)
        with open(ready) as file:
            urls = dict(line.strip().split("://", 1) for line in file)
        self.address = urls["grpc"]

    def stop(self):
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(20)
            self._process = None

    def kill(self):
        self._process.kill()
        self._process.wait(20)
        self._process = None

    def log(self):
        with open(os.path.join(self.folder, "log")) as file:
            return file.read()

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class InteropTest(unittest.TestCase):
    """A class of tests that shares one argosyd; each test has a queue of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = Argosyd()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    @property
    def queue(self):
        return self.id().rsplit(".", 1)[1].replace("_", "-")

    def assert_status(self, code, text, call):
        """The call has to fail with this code, and a message that has the text."""
        with self.assertRaises(grpc.RpcError) as raised:
            call()
        self.assertEqual(raised.exception.code(), code)
        self.assertIn(text, raised.exception.details())


def pod(command, cpu="50m", memory="32Mi"):
    """A pod of one container that runs the command in a shell."""
    amounts = {"cpu": resource.Quantity(string=cpu), "memory": resource.Quantity(string=memory)}
    return core_v1.PodSpec(containers=[core_v1.Container(
        name="main", image="none", command=["/bin/sh", "-c", command],
        resources=core_v1.ResourceRequirements(requests=amounts, limits=amounts))])
