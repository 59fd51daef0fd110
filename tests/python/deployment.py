# SPDX-License-Identifier: Apache-2.0
"""An argosyd --dev of its own for each file of tests."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import argosy

START_WITHIN_S = 30
# What the environment says of other servers does not count here.
VARIABLES = ("ARGOSY_GRPC", "ARGOSY_SERVER", "ARGOSY_CONTEXT", "ARGOSY_CREDENTIALS")


class Argosyd:
    """The program with its state in a folder that goes away with it."""

    def __init__(self, settings=""):
        self.folder = Path(tempfile.mkdtemp(prefix="argosy-python-"))
        self.env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        self.env.update(XDG_STATE_HOME=str(self.folder / "state"),
                        XDG_CONFIG_HOME=str(self.folder / "config"),
                        PATH=os.environ["ARGOSY_PROGRAMS"] + os.pathsep + os.environ["PATH"])
        (self.folder / "argosyd.yaml").write_text(settings)
        self._process = None
        self.urls = {}

    def start(self):
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        with open(self.folder / "log", "a") as log:
            self._process = subprocess.Popen(
                ["argosyd", "--dev", "--end-jobs-on-stop", "--ready-file", ready, "--config",
                 self.folder / "argosyd.yaml"], env=self.env, stdout=log, stderr=log)
        until = time.monotonic() + START_WITHIN_S
        while not ready.exists():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("argosyd did not start:\n" + (self.folder / "log").read_text())
            time.sleep(0.02)
        self.urls = {url.split("://")[0]: url for url in ready.read_text().split()}

    def stop(self, how=signal.SIGTERM):
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ctl(self, *words):
        """Calls argosyctl, and returns what it prints."""
        return subprocess.run(["argosyctl", *words], env=self.env, check=True, text=True,
                              capture_output=True).stdout


_shared = None


def shared_server():
    """The server of this file of tests. The process then sees what its user would see."""
    global _shared
    if _shared is None:
        _shared = Argosyd()
        unittest.addModuleCleanup(_shared.remove)
        _shared.start()
        os.environ.update(_shared.env)
        for name in VARIABLES:
            os.environ.pop(name, None)
    return _shared


class DevTest(unittest.TestCase):
    """Tests that share an argosyd; each has a queue of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = shared_server()

    def setUp(self):
        self.client = argosy.Client(queue=self.id().rsplit(".", 1)[1].replace("_", "-")[:60])
        self.addCleanup(self.client.close)
        self.client.create_queue(self.client.queue)

    def submit(self, command, **needs):
        return self.client.submit(command, **{"cpu": "10m", "memory": "16Mi", **needs})
