# SPDX-License-Identifier: Apache-2.0
"""An argosyd --dev of its own, with an agent beside it, for tests of what it shows over HTTP."""

import os
import pathlib
import signal
import subprocess
import time
import urllib.request

WITHIN_S = 60

# Its members run until argosyd ends.
GANG = """queue: q
jobSetId: gang
jobs:
""" + 2 * """- annotations: {armadaproject.io/gangId: g, armadaproject.io/gangCardinality: "2"}
  podSpec:
    containers:
    - name: main
      command: [sleep, "600"]
      resources:
        requests: {cpu: 100m, memory: 16Mi}
        limits: {cpu: 100m, memory: 16Mi}
"""


def wait_for(what, condition):
    """The first true value of the condition."""
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"{what} did not happen within {WITHIN_S} s")


def read(url, host=None):
    """What is there, called by the name `host` if one is given."""
    asked = urllib.request.Request(url, headers={"Host": host} if host else {})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return answer.read().decode()


class Argosyd:
    def __init__(self, programs, folder, flags=(), settings=""):
        self.programs = programs
        self.folder = folder
        self.flags = flags
        self.children = []
        self.ready = folder / "ready"
        self.log = open(folder / "log", "w")
        self.data = folder / "state/argosy/dev/data"
        (folder / "argosyd.yaml").write_text(settings)
        self.env = dict(os.environ, XDG_STATE_HOME=str(folder / "state"),
                        XDG_CONFIG_HOME=str(folder / "config"), HOME=str(folder),
                        PATH=f"{programs}:{os.environ['PATH']}")
        self.process = None

    def start(self):
        self.ready.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [self.programs / "argosyd", "--dev", "--plain-processes", "--end-jobs-on-stop",
             "--ready-file", self.ready,
             "--config", self.folder / "argosyd.yaml", *self.flags],
            env=self.env, stdout=self.log, stderr=self.log)
        wait_for("the start of argosyd",
                 lambda: self.ready.exists() or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise SystemExit("argosyd ended:\n" + pathlib.Path(self.log.name).read_text())
        urls = self.ready.read_text().split()
        self.server = urls[0]
        self.http = next(url for url in urls if url.startswith("http://"))

    def ctl(self, *words):
        done = subprocess.run([self.programs / "argosyctl", "--server", self.server, *words],
                              env=self.env, capture_output=True, text=True, timeout=WITHIN_S,
                              check=False)
        if done.returncode != 0:
            raise SystemExit(f"argosyctl {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def start_all_parts(self):
        """Parts have metrics once they are there: pools with jobs, gangs, watchers, agents."""
        self.ctl("queue", "create", "q")
        self.ctl("run", "--queue", "q", "--", "true")
        gang = self.folder / "gang.yaml"
        gang.write_text(GANG)
        self.ctl("submit", gang)
        self.spawn("argosyctl", "--server", self.server, "watch", "q", "gang")
        self.spawn("argosy-agent", "--cluster", "other", "--nats", self.server, "--data-dir",
                   self.folder / "agent")

    def spawn(self, program, *words):
        self.children.append(subprocess.Popen([self.programs / program, *words], env=self.env,
                                              stdout=self.log, stderr=self.log))

    def processes(self):
        return [each for each in [*self.children, self.process] if each is not None]

    def stop(self):
        for child in self.processes():
            child.send_signal(signal.SIGTERM)
        for child in self.processes():
            try:
                child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                child.kill()
        self.log.close()
