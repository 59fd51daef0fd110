# SPDX-License-Identifier: Apache-2.0
"""Three machines, each a network namespace with a nats-server, an argosyd and a disk of its own.

The caller lives in the namespace that joins them, and restarts what ends, as systemd would.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

DISK_MIB = 2048
RESTART_AFTER_S = 1
OTHER_SETTINGS = "leases: {length: 10s, killGrace: 1s, margin: 1s}\n"
HUB = "10.77.0.254"


def run(*words, **how):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          **how).stdout


def works(*words):
    return subprocess.run(words, capture_output=True).returncode == 0


def enter(arguments):
    """Starts this program again where its namespaces, mounts and processes end with it. The shell
    is the first process there, and takes in those whose parents have ended."""
    if os.environ.get("NAMESPACES_INSIDE") == "1":
        return
    os.environ["NAMESPACES_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child",
                          "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-B",
                          *arguments])


def make_certificate(folder, addresses):
    """One certificate for all addresses, of an authority of its own."""
    def openssl(*words):
        run("openssl", *words, cwd=folder)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-subj", "/CN=test", "-days", "60")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "request.pem",
            "-subj", "/CN=server")
    (folder / "names").write_text("subjectAltName=" + ",".join(f"IP:{one}" for one in addresses))
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", "certificate.pem", "-days", "60", "-extfile", "names")


class Machine:
    """`down` names its programs that shall not run."""

    def __init__(self, folder, name, address, commands):
        self.name, self.address = name, address
        self.disk = folder / "disks" / address
        self.image = folder / f"image-{name}"
        self.ready_file = folder / f"ready-{name}"
        self.logs = {program: folder / f"{program}-{name}.log" for program in commands}
        self.processes = {}
        self.down = set(commands)
        self.exits = []  # (time, program, code) of those that ended by themselves
        self.led_at = []
        self._commands = commands
        self._ended = {}

    def join(self):
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"to-{self.name}", "type", "veth", "peer", "name", "eth0", "netns",
            self.name)
        run("ip", "link", "set", f"to-{self.name}", "master", "hub", "up")
        self.net("ip", "link", "set", "lo", "up")
        self.net("ip", "address", "add", f"{self.address}/24", "dev", "eth0")
        self.net("ip", "link", "set", "eth0", "up")

    def net(self, *words):
        """Runs a command on this machine."""
        return run("nsenter", f"--net=/run/netns/{self.name}", *words)

    def mount_new_disk(self):
        self.disk.mkdir(parents=True, exist_ok=True)
        if os.path.ismount(self.disk):
            run("umount", self.disk)
        self.image.unlink(missing_ok=True)
        run("truncate", "-s", f"{DISK_MIB}M", self.image)
        run("mkfs.ext4", "-q", "-m", "0", self.image)
        run("mount", "-o", "loop", self.image, self.disk)

    def kill(self, *programs):
        """Leaves the programs dead until start()."""
        self.down |= set(programs)
        for program in programs:
            self.processes[program].kill()
        for program in programs:
            self.processes[program].wait()
        if "argosyd" in programs:
            self.ready_file.unlink(missing_ok=True)

    def terminate(self, program):
        self.down.add(program)
        self.processes[program].terminate()

    def start(self, *programs):
        for program in programs:
            if program not in self.processes or self.processes[program].poll() is not None:
                self._start(program)
        self.down -= set(programs)

    def signal(self, program, number):
        self.processes[program].send_signal(number)

    def _start(self, program):
        if program == "argosyd":
            self.ready_file.unlink(missing_ok=True)
        with open(self.logs[program], "a") as log:
            self.processes[program] = subprocess.Popen(
                ["nsenter", f"--net=/run/netns/{self.name}", *self._commands[program]],
                stdout=log, stderr=log)

    def restart_what_ended(self):
        for program, process in list(self.processes.items()):
            if program in self.down or process.poll() is None:
                self._ended.pop(program, None)
            elif program not in self._ended:
                self._ended[program] = time.monotonic()
                self.exits.append((time.monotonic(), program, process.returncode))
            elif time.monotonic() - self._ended[program] >= RESTART_AFTER_S:
                self._ended.pop(program)
                self._start(program)

    def note_lead(self):
        """Notes when its argosyd has come to lead, by the clock of time.time()."""
        try:
            at = self.ready_file.stat().st_mtime
        except FileNotFoundError:
            return
        if at not in self.led_at:
            self.led_at.append(at)

    def leads(self):
        return (self.ready_file.exists() and "argosyd" in self.processes and
                self.processes["argosyd"].poll() is None)

    def monitored(self, what):
        """What the monitoring port of its nats-server says, or nothing."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:8222/{what}", timeout=1) as answer:
                return json.load(answer)
        except OSError:
            return {}


class World:
    """All of it: machines, the agent and the homes of users. The agent and users live in the
    caller's namespace, which has the bridge."""

    def __init__(self, folder, programs, nats_server, users):
        self.folder, self.programs = folder, programs
        addresses = [f"10.77.0.{number}" for number in (1, 2, 3)]
        self._make_hub()
        make_certificate(folder, addresses)
        self.deployment = folder / "deployment"
        told = run(programs / "argosyd", "init", self.deployment, "--machines", ",".join(addresses),
                   "--tls-cert", folder / "certificate.pem", "--tls-key", folder / "key.pem",
                   "--tls-ca", folder / "ca.pem", "--store-dir", folder / "disks", "--cluster",
                   "east", *[word for user in users for word in ("--user", f"{user}:operator")])
        self._make_contexts(told, users)
        self.machines = []
        for name, address in zip("abc", addresses):
            with open(self.deployment / f"nats-server.{address}.conf", "a") as conf:
                conf.write(f'http: "{address}:8222"\n')
            settings = self.deployment / f"argosyd.{address}.yaml"
            text = settings.read_text()
            settings.write_text(text.replace(text.split("logBytesMax: ")[1].split()[0], "512MiB") +
                                OTHER_SETTINGS)
            self.machines.append(Machine(folder, name, address, {
                "nats": [nats_server, "-c", str(self.deployment / f"nats-server.{address}.conf")],
                "argosyd": [str(programs / "argosyd"), "--config", str(settings), "--data-dir",
                            str(folder / "disks" / address / "argosyd"), "--ready-file",
                            str(folder / f"ready-{name}")]}))
        for machine in self.machines:
            machine.join()
            machine.mount_new_disk()

    def _make_hub(self):
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "none", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "hub", "type", "bridge")
        run("ip", "address", "add", f"{HUB}/24", "dev", "hub")
        run("ip", "link", "set", "hub", "up")

    def _make_contexts(self, told, users):
        """Runs the commands that `argosyd init` tells, for each user in a home of his own."""
        lines = [line.split() for line in told.splitlines() if "set-context" in line]
        for user, words in zip(users, lines):
            run(self.programs / words[0], *words[1:], env=self._environment(user))

    def _environment(self, user):
        return dict(os.environ, XDG_CONFIG_HOME=str(self.folder / "homes" / user))

    def ctl(self, user, *words):
        """Starts argosyctl for the user."""
        return subprocess.Popen([self.programs / "argosyctl", *words, "--context", "argosy"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self._environment(user))

    def told(self, user, *words):
        """Code, output and errors of argosyctl."""
        process = self.ctl(user, *words)
        out, err = process.communicate()
        return process.returncode, out, err

    def start(self):
        for machine in self.machines:
            machine.start("nats", "argosyd")
        threading.Thread(target=self._restart, daemon=True).start()

    def start_agent(self):
        with open(self.folder / "agent.log", "a") as log:
            self.agent = subprocess.Popen(
                [self.programs / "argosy-agent", "--config", self.deployment / "agents/east.yaml",
                 "--data-dir", self.folder / "agent"], stdout=log, stderr=log)

    def _restart(self):
        while True:
            for machine in self.machines:
                machine.restart_what_ended()
                machine.note_lead()
            time.sleep(0.1)

    def leader(self):
        """The machine whose argosyd said last that it leads, or None."""
        led = [machine for machine in self.machines if machine.leads()]
        return max(led, key=lambda machine: machine.ready_file.stat().st_mtime, default=None)

    def jetstream_leaders(self):
        """Names of the servers that lead the log and all of JetStream, and how many copies of the
        log are up to date."""
        log, meta, copies = None, None, 0
        for machine in self.machines:
            told = machine.monitored("jsz?accounts=1&streams=1")
            meta = told.get("meta_cluster", {}).get("leader") or meta
            for account in told.get("account_details", []):
                for stream in account.get("stream_detail", []):
                    cluster = stream.get("cluster", {})
                    if cluster.get("leader") == machine.address:
                        log = machine.address
                        copies = 1 + sum(1 for one in cluster.get("replicas", [])
                                         if one.get("current") and not one.get("offline"))
        return log, meta, copies

    def agents_machine(self):
        """The machine to whose nats-server the agent is connected, or None."""
        return next((machine for machine in self.machines
                     for one in machine.monitored("connz").get("connections", [])
                     if "argosy-agent" in one.get("name", "")), None)

    def machine_at(self, address):
        return next((one for one in self.machines if one.address == address), None)

    def lacks(self, user):
        """Why one more loss could not be borne now, or an empty text."""
        code, out, err = self.told(user, "status", "--timeout", "10s")
        if code != 0:
            return "status: " + err.strip()
        wrong = [line for line in out.splitlines() if "could not take over" in line or
                 "a person has to decide" in line or "does not follow" in line]
        if wrong:
            return wrong[0].strip()
        if sum(line.strip().startswith("standby") for line in out.splitlines()) != 2:
            return "there are not two standbys: " + out
        copies = self.jetstream_leaders()[2]
        return "" if copies == 3 else f"{copies} copies of the log are up to date"

    def end(self):
        self.agent.terminate()
        self.agent.wait(30)
        for machine in self.machines:
            machine.down |= {"nats", "argosyd"}
            for program in machine.processes.values():
                program.send_signal(signal.SIGCONT)
                program.kill()
                program.wait()
            run("umount", machine.disk)
