#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what another user feels while a viewer asks for as much as he can: 300 histories of jobs
every 0.3 s for half a minute, on a deployment of `argosyd init` with many queued jobs. Prints the
times and refusals of the other's `get jobs` and `submit`, the memory and the processor time of
argosyd before, during and 10 s after, and how long an orderly end takes under the same burst.

greedy_bench.py BIN [--jobs N] [--seconds N]     needs nats-server and python3-cryptography
"""
import argparse
import base64
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from system_bench import own_kib, wait_for, write_jobs


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Viewer:
    """A connection to NATS by frames alone, which sends requests and drops the answers."""

    def __init__(self, port, credentials):
        text = credentials.read_text()
        self.name = re.search(r"user/(\S+)", text).group(1)
        seed = re.search(r"seed: (\S+)", text).group(1)
        raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        key = Ed25519PrivateKey.from_private_bytes(raw[2:34])
        public = key.public_key().public_bytes_raw() if hasattr(
            key.public_key(), "public_bytes_raw") else self.raw(key)
        self.socket = socket.create_connection(("127.0.0.1", port))
        info = self.socket.recv(65536).decode()
        nonce = re.search(r'"nonce":"([^"]+)"', info).group(1)
        signed = base64.urlsafe_b64encode(key.sign(nonce.encode())).decode().rstrip("=")
        self.socket.sendall(
            f'CONNECT {{"verbose":false,"nkey":"{nkey(public)}","sig":"{signed}",'
            f'"headers":true,"lang":"python","version":"1"}}\r\n'
            f'SUB _INBOX.user.{self.name}.> replies 1\r\n'
            .encode())
        self.answers, self.closed = 0, False
        threading.Thread(target=self.drain, daemon=True).start()

    @staticmethod
    def raw(key):
        from cryptography.hazmat.primitives import serialization as form
        return key.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)

    def drain(self):
        while not self.closed:
            try:
                got = self.socket.recv(1 << 20)
            except OSError:
                return
            if not got:
                return
            self.answers += got.count(b"HMSG ")
            if b"PING\r\n" in got:
                self.socket.sendall(b"PONG\r\n")

    def ask(self, method, data, count):
        one = (f"PUB argosy.api.{self.name}.{method} _INBOX.user.{self.name}.1 {len(data)}\r\n"
               .encode() + data + b"\r\n")
        self.socket.sendall(one * count)

    def close(self):
        self.closed = True
        self.socket.close()


def nkey(public):
    """The text of a user's public key: its kind, the key, and a CRC16."""
    data, crc = bytes([20 << 3]) + public, 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return base64.b32encode(data + crc.to_bytes(2, "little")).decode().rstrip("=")


class Deployment:
    """What `argosyd init` makes, with a nats-server, an argosyd and an agent."""

    def __init__(self, bin_dir, root):
        self.bin, self.root, self.port = bin_dir, root, free_port()
        self.made = root / "made"
        subprocess.run([bin_dir / "argosyd", "init", self.made, "--listen",
                        f"127.0.0.1:{self.port}", "--cluster", "c1", "--user", "vic:viewer",
                        "--user", "alice:submitter", "--user", "root:operator"], check=True,
                       stdout=subprocess.DEVNULL)
        self.log = open(root / "log", "wb")
        self.nats = self.start("nats-server", "-c", self.made / "nats-server.conf")
        with open(self.made / "argosyd.yaml", "a", encoding="utf-8") as settings:
            settings.write("health:\n  listen: 127.0.0.1:0\n")
        (root / "data").mkdir(mode=0o700)
        (root / "agent").mkdir(mode=0o700)
        self.server = self.start(bin_dir / "argosyd", "--config", self.made / "argosyd.yaml",
                                 "--data-dir", root / "data", "--ready-file", root / "ready")
        wait_for((root / "ready").exists, "argosyd is ready")
        # Without a node no round looks at a job.
        self.agent = self.start(bin_dir / "argosy-agent", "--config",
                                self.made / "agents" / "c1.yaml", "--backend", "simulated",
                                "--data-dir", root / "agent")

    def start(self, *words):
        return subprocess.Popen(words, cwd=self.root, stdout=self.log, stderr=self.log)

    def ctl(self, user, *words, limit=60):
        env = dict(os.environ, ARGOSY_SERVER=f"nats://127.0.0.1:{self.port}",
                   ARGOSY_CREDENTIALS=str(self.made / "credentials" / f"user-{user}"),
                   XDG_STATE_HOME=str(self.root / "state"))
        return subprocess.run([self.bin / "argosyctl", *words], env=env, text=True,
                              capture_output=True, timeout=limit)

    def rss_anon_mib(self):
        return own_kib(self.server.pid) / 1024

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.server.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_share(self, seconds):
        before = self.cpu_seconds()
        time.sleep(seconds)
        return (self.cpu_seconds() - before) / seconds

    def close(self):
        for each in (self.agent, self.server, self.nats):
            if each.poll() is None:
                each.kill()
                each.wait()
        self.log.close()


def field(number, text):
    data = text.encode()
    return bytes([number << 3 | 2, len(data)]) + data


def burst(viewer, job, seconds, ended):
    until = time.monotonic() + seconds
    while time.monotonic() < until and not ended.is_set():
        viewer.ask("Explain.ExplainJobHistory", field(1, job), 300)
        time.sleep(0.3)


def measure(where, job, seconds):
    one = where.root / "one.yaml"
    write_jobs(one, "b", "set", 1, "100m")
    viewer = Viewer(where.port, where.made / "credentials" / "user-vic")
    print(f"before: RssAnon {where.rss_anon_mib():.0f} MiB, {where.cpu_share(3):.0%} of a core",
          flush=True)
    before = where.rss_anon_mib()
    ended, most = threading.Event(), [before]
    attack = threading.Thread(target=burst, args=(viewer, job, seconds, ended))

    def watch():
        while not ended.is_set():
            most[0] = max(most[0], where.rss_anon_mib())
            time.sleep(0.1)
    watcher = threading.Thread(target=watch)
    attack.start()
    watcher.start()
    times = {"get jobs": [], "submit": []}
    refused = 0
    while attack.is_alive():
        for name, words in (("get jobs", ("get", "jobs", "--limit", "5")),
                            ("submit", ("submit", str(one)))):
            begun = time.monotonic()
            done = where.ctl("alice", *words)
            times[name].append(time.monotonic() - begun)
            if done.returncode != 0:
                refused += 1
                print(f"  {name}: {done.stderr.strip()[:150]}", flush=True)
    for name, all_times in times.items():
        all_times.sort()
        print(f"{name}: {len(all_times)} calls, p50 {all_times[len(all_times) // 2]:.2f} s, "
              f"p99 {all_times[int(len(all_times) * .99)]:.2f} s, most {all_times[-1]:.2f} s")
    print(f"refused: {refused}; the viewer had {viewer.answers} answers", flush=True)
    time.sleep(10)
    print(f"10 s later: RssAnon {where.rss_anon_mib():.0f} MiB, at most {most[0]:.0f} MiB "
          f"(+{most[0] - before:.0f}), {where.cpu_share(3):.0%} of a core", flush=True)
    ended.set()
    watcher.join()
    viewer.close()


def measure_end(where, job):
    viewer = Viewer(where.port, where.made / "credentials" / "user-vic")
    ended = threading.Event()
    attack = threading.Thread(target=burst, args=(viewer, job, 60, ended))
    attack.start()
    time.sleep(5)
    begun = time.monotonic()
    where.server.send_signal(signal.SIGTERM)
    code = where.server.wait(timeout=60)
    print(f"an orderly end under the burst: {time.monotonic() - begun:.2f} s, exit code {code}")
    ended.set()
    attack.join()
    viewer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=30)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="argosy-greedy-") as folder:
        where = Deployment(chosen.bin.resolve(), Path(folder))
        try:
            for queue in ("a", "b"):
                made = where.ctl("root", "queue", "create", queue)
                if made.returncode != 0:
                    sys.exit(made.stderr)
            jobs = where.root / "jobs.yaml"
            write_jobs(jobs, "a", "set", chosen.jobs, "100m")
            sent = where.ctl("alice", "submit", str(jobs), "-o", "name", limit=600)
            if sent.returncode != 0:
                sys.exit(sent.stderr)
            job = sent.stdout.split()[0].removeprefix("job/")
            # Some rounds have to be there that can be decided again.
            time.sleep(10)
            measure(where, job, chosen.seconds)
            measure_end(where, job)
        finally:
            where.close()


if __name__ == "__main__":
    main()
