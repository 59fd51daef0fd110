#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole system on one machine, by its own programs: prints one line for each figure.

  submit     jobs/s of one file through the real gateway, YAML included, until every id is printed
  memory     RssAnon of argosyd per queued job, before and after
  latency    submission to process started, one job at a time on an idle system
  idle       share of a core that argosyd takes with many simulated nodes and nothing to do
  simulate   jobs/s of simulated one-second jobs from the first submission to the last end

Usage: system_bench.py BIN_DIR [--smoke] [FIGURE...]. --smoke takes small sizes, and checks only
that everything works: time decides nothing.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime
from pathlib import Path

JOB = """  - namespace: default
    podSpec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: none
          command: ["/bin/true"]
          args: ["{number}"]
          resources:
            requests: {{cpu: {cpu}, memory: 64Mi}}
            limits: {{cpu: {cpu}, memory: 64Mi}}
"""


class Server:
    """One argosyd --dev in a folder of its own, ended at exit."""

    def __init__(self, bin_dir, *flags):
        self.bin = bin_dir
        self.folder = tempfile.TemporaryDirectory(prefix="argosy-bench-")
        root = Path(self.folder.name)
        self.ready = root / "ready"
        self.env = dict(os.environ, XDG_STATE_HOME=str(root / "state"))
        self.log = open(root / "log", "wb")
        self.command = [bin_dir / "argosyd", "--dev", "--end-jobs-on-stop", "--data-dir",
                        root / "data", "--ready-file", self.ready, *flags]
        self.start()

    def start(self, limit=60.0):
        """Starts argosyd, on the same folder if its process was killed."""
        self.ready.unlink(missing_ok=True)
        self.process = subprocess.Popen(self.command, env=self.env, stdout=self.log,
                                        stderr=self.log)
        wait_for(self.is_ready, "argosyd is ready", limit)
        self.urls = self.ready.read_text().splitlines()
        self.env["ARGOSY_SERVER"] = self.urls[0]

    def is_ready(self):
        if self.process.poll() is not None:
            sys.exit(f"argosyd ended before it was ready: {Path(self.log.name).read_text()[-500:]}")
        return self.ready.exists()

    def ctl(self, *words):
        done = subprocess.run([self.bin / "argosyctl", *words], env=self.env, text=True,
                              capture_output=True, timeout=600)
        if done.returncode != 0:
            sys.exit(f"argosyctl {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def begin_agent(self, cluster, config, data_dir, log, *flags):
        """Starts an agent with simulated nodes, whose process the caller ends."""
        return subprocess.Popen(
            [self.bin / "argosy-agent", "--cluster", cluster, "--backend", "simulated", "--config",
             config, "--data-dir", data_dir, "--nats", self.urls[0], *flags],
            env=self.env, stdout=log, stderr=log)

    def rss_anon_kib(self):
        return own_kib(self.process.pid)

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.log.close()
        self.folder.cleanup()


def own_kib(pid):
    """The memory that a process shares with no other one."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status).group(1))


def metrics(url):
    """Every sample that a program shows, by its name with its labels."""
    text = urllib.request.urlopen(url + "/metrics", timeout=60).read().decode()
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def wait_for(condition, what, limit=60.0, pause=0.01):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {limit:.0f} s in vain: {what}")
        time.sleep(pause)


def write_jobs(path, queue, job_set, count, cpu):
    with open(path, "w") as out:
        out.write(f"queue: {queue}\njobSetId: {job_set}\njobs:\n")
        for number in range(count):
            out.write(JOB.format(number=number, cpu=cpu))


def seconds_of(stamp):
    return datetime.fromisoformat(stamp[:26].rstrip("Z")).timestamp()


def submit_and_memory(bin_dir, count):
    """Jobs that fit on no node, so that they stay queued."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "argosyd.yaml"
        config.write_text("api: {onNeverFits: wait}\n")
        with Server(bin_dir, "--config", config) as server:
            server.ctl("queue", "create", "bench")
            file = Path(folder) / "jobs.yaml"
            write_jobs(file, "bench", "many", count, 4096)
            time.sleep(1)
            before = server.rss_anon_kib()
            start = time.monotonic()
            ids = server.ctl("submit", file, "-o", "name").split()
            took = time.monotonic() - start
            if len(ids) != count:
                sys.exit(f"{len(ids)} of {count} jobs were accepted")
            time.sleep(3)
            grown = server.rss_anon_kib() - before
    print(f"submit: {count} jobs in {took:.2f} s = {count / took:.0f} jobs/s")
    print(f"memory: {grown / count:.2f} KiB per queued job "
          f"(RssAnon, {grown / 1024:.0f} MiB in all)")


def latency(bin_dir, count):
    with Server(bin_dir) as server, tempfile.TemporaryDirectory() as folder:
        server.ctl("queue", "create", "bench")
        file = Path(folder) / "job.yaml"
        write_jobs(file, "bench", "one", 1, "10m")
        for _ in range(count):
            server.ctl("submit", file, "--wait", "-o", "name")
        jobs = json.loads(server.ctl("get", "jobs", "-q", "bench", "-o", "json"))["items"]
    delays = sorted(seconds_of(job["jobRuns"][0]["startedTs"]) - seconds_of(job["submittedTs"])
                    for job in jobs)
    p99 = delays[min(len(delays) - 1, int(len(delays) * 0.99))]
    print(f"latency: submit to process started, {len(delays)} jobs: "
          f"p50 {delays[len(delays) // 2] * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, "
          f"max {delays[-1] * 1000:.0f} ms")


def idle(bin_dir, clusters, nodes, seconds):
    with Server(bin_dir, "--sim-clusters", str(clusters), "--sim-nodes", str(nodes)) as server:
        wait_for(lambda: len(server.ctl("get", "nodes", "-o", "name").split()) == clusters * nodes,
                 "all nodes are there")
        time.sleep(3)
        start = server.cpu_seconds()
        time.sleep(seconds)
        share = (server.cpu_seconds() - start) / seconds
    print(f"idle: {clusters * nodes} simulated nodes, {share * 100:.2f} % of a core "
          f"over {seconds} s")


def simulate(bin_dir, clusters, nodes, count):
    with Server(bin_dir, "--sim-clusters", str(clusters), "--sim-nodes", str(nodes)) as server, \
            tempfile.TemporaryDirectory() as folder:
        server.ctl("queue", "create", "bench")
        file = Path(folder) / "jobs.yaml"
        write_jobs(file, "bench", "sim", count, 1)
        start = time.monotonic()
        server.ctl("submit", file, "-o", "name")

        def ended():
            queue = json.loads(server.ctl("get", "queues", "bench", "-o", "json"))
            return int(queue["succeeded"]) == count

        wait_for(ended, "the simulated jobs have ended", limit=900.0, pause=0.2)
        took = time.monotonic() - start
    print(f"simulate: {count} one-second jobs on {clusters * nodes} nodes in {took:.1f} s = "
          f"{count / took:.0f} jobs/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("figures", nargs="*", metavar="FIGURE",
                        help="submit, latency, idle, simulate; all if none is named")
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    small = args.smoke
    figures = {
        "submit": lambda: submit_and_memory(args.bin_dir, 2_000 if small else 100_000),
        "latency": lambda: latency(args.bin_dir, 5 if small else 200),
        "idle": lambda: idle(args.bin_dir, *((2, 10, 1) if small else (10, 1_000, 30))),
        "simulate": lambda: simulate(args.bin_dir, *((2, 10, 200) if small
                                                     else (10, 1_000, 200_000))),
    }
    for name in args.figures or figures:
        figures[name]()


if __name__ == "__main__":
    main()
