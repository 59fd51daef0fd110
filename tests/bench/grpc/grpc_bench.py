#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clients of the API over gRPC feel, on one machine: prints some lines for each figure.

  submit   jobs/s of requests with 200 jobs from 8 connections
  load     the times of a submit of one job beside 5,000 jobs/s, in requests of 200 and of one
  million  a million jobs of ten files by one argosyctl submit: time, memory of a queued job; then
           the same million cancelled: time, and another queue's submits of one job beside it
  watch    10,000 watches of one job set while 20 jobs run in it, without and with stuck ones
  drop     memory while 100,000 watches are opened and let go
  ends     from the end of a process to the watcher

Usage: grpc_bench.py BIN_DIR BENCH_GRPC [FIGURE...] [--smoke]. --smoke takes small sizes.
"""
import argparse
import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "system"))
from system_bench import Server, wait_for, write_jobs  # noqa: E402 (the folder is beside this one)

HEAD = "queue: {queue}\njobSetId: {job_set}\njobs:\n"
# A job whose last act is to say when it was: its number and the time go into a file.
LAST_ACT = """  - podSpec:
      restartPolicy: Never
      containers:
        - name: main
          image: none
          command: ["/bin/sh", "-c", "sleep 0.1; echo ${{ARGOSY_RUN%-*}} $(date +%s%N) >> {file}"]
          resources: {{requests: {{cpu: 10m, memory: 1Mi}}, limits: {{cpu: 10m, memory: 1Mi}}}}
"""


class GrpcServer(Server):
    """An argosyd --dev with the queues "bench" and "other", which takes some watches more."""

    def __init__(self, bin_dir, client, *flags):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("api:\n  onNeverFits: wait\n"
                         "  watchesMax: 31000\n  watchesPerUserMax: 10100\n")
            config.flush()
            super().__init__(bin_dir, "--config", config.name, *flags)
        self.client = client
        lines = (Path(self.folder.name) / "ready").read_text().splitlines()
        self.address = next(line for line in lines if line.startswith("grpc://"))[len("grpc://"):]
        for queue in ("bench", "other"):
            self.ctl("queue", "create", queue)

    def begin(self, what, *flags):
        """Starts the client, which some subcommands end when their standard input ends."""
        return subprocess.Popen([self.client, what, self.address, *map(str, flags)],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, what, *flags):
        return finish(self.begin(what, *flags))


class Peak:
    """The most memory that a server takes while this runs, in KiB."""

    def __init__(self, server):
        self.server, self.most, self.ended = server, 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.ended.wait(0.1):
            self.most = max(self.most, self.server.rss_anon_kib())

    def stop(self):
        self.ended.set()
        self.thread.join()
        return self.most


def finish(client):
    out, _ = client.communicate(timeout=900)
    return out.strip()


def submit(args, jobs_s=10):
    with GrpcServer(args.bin_dir, args.client) as server:
        print("submit:", server.run("submit", "--seconds", 1 if args.smoke else jobs_s))


def load(args):
    seconds = 1 if args.smoke else 20
    for per_request in (200, 1):
        with GrpcServer(args.bin_dir, args.client) as server:
            beside = server.begin("submit", "--jobs", per_request, "--rate", 5_000 / per_request,
                                  "--seconds", 0)
            time.sleep(1)
            print("load:", server.run("submit", "--queue", "other", "--jobs", 1, "--connections",
                                      1, "--rate", 50, "--seconds", seconds))
            print("  beside", finish(beside), flush=True)


def fill(server, folder, args):
    """Submits the million by one command; returns how long it took, and of how many jobs."""
    files = [Path(folder) / f"{number}.yaml" for number in range(2 if args.smoke else 10)]
    each = 500 if args.smoke else 100_000
    for file in files:
        write_jobs(file, "bench", "many", each, 4096)
    terminal, end = pty.openpty()
    start = time.monotonic()
    done = subprocess.Popen([server.bin / "argosyctl", "submit", *files, "--progress"],
                            env=server.env, stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    shown = b""
    try:
        while more := os.read(terminal, 65536):
            shown += more
    except OSError:  # The other end of a terminal has gone.
        pass
    if done.wait(timeout=600) != 0:
        sys.exit(shown.decode())
    return time.monotonic() - start, each * len(files), shown.count(b"submitted")


def million(args):
    with GrpcServer(args.bin_dir, args.client) as server, tempfile.TemporaryDirectory() as folder:
        before = server.rss_anon_kib()
        cpu = server.cpu_seconds()
        took, count, shown = fill(server, folder, args)
        cpu = server.cpu_seconds() - cpu
        time.sleep(5)
        grown = server.rss_anon_kib() - before
        print(f"million: {count} jobs in {took:.1f} s = {count / took:.0f} jobs/s, {cpu:.1f} s of "
              f"processor in argosyd; {grown / count:.2f} KiB per queued job; progress was shown "
              f"{shown} times", flush=True)
        cancel(args, server, count)


def cancel(args, server, count):
    beside = server.begin("submit", "--queue", "other", "--jobs", 1, "--connections", 1, "--rate",
                          50, "--seconds", 0)
    time.sleep(1)
    start, cpu = time.monotonic(), server.cpu_seconds()
    told = server.run("cancel")

    def ended():
        queue = json.loads(server.ctl("get", "queues", "bench", "-o", "json"))
        return int(queue["queued"]) == 0

    wait_for(ended, "all are cancelled", 300)
    took, cpu = time.monotonic() - start, server.cpu_seconds() - cpu
    print(f"cancel: {told}; none of {count} was queued after {took:.1f} s, {cpu:.1f} s of "
          f"processor in argosyd\n  beside {finish(beside)}", flush=True)


def watch(args):
    watches, jobs = (50, 5) if args.smoke else (10_000, 20)
    for stuck in (0, 20):
        with GrpcServer(args.bin_dir, args.client, "--sim-clusters", "1", "--sim-nodes",
                        "20") as server, tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "jobs.yaml"
            write_jobs(file, "bench", "busy", 1, 1)
            server.ctl("submit", file, "--wait", "-o", "name")
            before = server.rss_anon_kib()
            client = server.begin("watch", "--jobset", "busy", "--watches", watches, "--stuck",
                                  stuck)
            print("watch:", client.stdout.readline().strip())
            time.sleep(2)
            opened = server.rss_anon_kib() - before
            write_jobs(file, "bench", "busy", jobs, 1)
            start, cpu, peak = time.monotonic(), server.cpu_seconds(), Peak(server)
            server.ctl("submit", file, "--wait", "-o", "name", "--timeout", "300s")
            ran = time.monotonic() - start
            told = finish(client)
            busy = peak.stop() - before
            print(f"  {stuck} stuck ones; {jobs} jobs ended after {ran:.1f} s; {told}\n"
                  f"  argosyd: {opened / watches:.1f} KiB per open watch, {busy / watches:.1f} KiB "
                  f"at most; {server.cpu_seconds() - cpu:.1f} s of processor",
                  flush=True)


def drop(args):
    with GrpcServer(args.bin_dir, args.client) as server, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "jobs.yaml"
        write_jobs(file, "bench", "many", 1, 4096)
        server.ctl("submit", file, "-o", "name")
        before = server.rss_anon_kib()
        for _ in range(2 if args.smoke else 10):
            told = server.run("drop", "--connections", 8, "--watches",
                              100 if args.smoke else 10_000)
            print(f"drop: {told}; {server.rss_anon_kib() - before} KiB more than before",
                  flush=True)
    with GrpcServer(args.bin_dir, args.client) as server:
        before, peak = server.rss_anon_kib(), Peak(server)
        told = server.run("drop", "--queue", "none", "--connections", 1, "--at-once", "--watches",
                          1_000 if args.smoke else 100_000)
        print(f"drop: {told}; {peak.stop() - before} KiB more than before at most")


def ends(args):
    count = 5 if args.smoke else 200
    with GrpcServer(args.bin_dir, args.client) as server, tempfile.TemporaryDirectory() as folder:
        file, times = Path(folder) / "job.yaml", Path(folder) / "times"
        file.write_text(HEAD.format(queue="bench", job_set="ends") + LAST_ACT.format(file=times))
        server.ctl("submit", file, "--wait", "-o", "name")
        watcher = server.begin("ends", "--jobset", "ends", "--count", count + 1)
        for _ in range(count):
            server.ctl("submit", file, "--wait", "-o", "name")
        seen = dict(line.split() for line in finish(watcher).splitlines())
        ended = dict(line.split() for line in times.read_text().splitlines()[1:])
    delays = sorted((int(seen[job]) - int(at)) / 1e6 for job, at in ended.items())
    print(f"ends: {len(delays)} jobs, end of the process to the watcher: "
          f"p50 {delays[len(delays) // 2]:.1f}, p99 {delays[int(len(delays) * 0.99)]:.1f}, "
          f"most {delays[-1]:.1f} ms")


def main():
    figures = {"submit": submit, "load": load, "million": million, "watch": watch, "drop": drop,
               "ends": ends}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("client", type=Path)
    parser.add_argument("figures", nargs="*", metavar="FIGURE",
                        help=", ".join(figures) + "; all if none is named")
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    if unknown := set(args.figures) - set(figures):
        parser.error(f"there is no figure {', '.join(sorted(unknown))}")
    for name in args.figures or figures:
        figures[name](args)


if __name__ == "__main__":
    main()
