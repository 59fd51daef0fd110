#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the jobs of a day in some minutes, on simulated nodes, with generations of the log and times
of retention that are as much shorter. Prints, for each tenth of the jobs, what memory and disks
take: they have to stay where they were after the first tenths.

roll_over_bench.py BIN [JOBS] [SECONDS]
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from system_bench import Server, write_jobs

FILE_JOBS = 1_000
SETTINGS = """\
journal:
  generationBytes: {generation}MiB
  logBytesMax: 1GiB
store:
  eventRetention: 1m
  jobRetention: 1m
api:
  clientIdRetention: 1m
"""


def mebi(folder):
    """What the files of a folder take on disk, in MiB."""
    out = 0
    for path in folder.rglob("*"):
        try:
            out += path.stat().st_blocks * 512
        except FileNotFoundError:
            pass
    return out / 2**20


def figures(server):
    data = Path(server.folder.name) / "data"
    text = (Path(server.folder.name) / "log").read_text(errors="replace")
    store, streams, copies = (mebi(data / name) for name in ("store", "nats", "snapshots"))
    return (f"{server.rss_anon_kib() / 1024:8.0f} {store:8.0f} {streams:8.0f} {copies:10.0f} "
            f"{text.count('the log has rolled over'):11} {text.count('was emptied'):8}")


def main():
    bin_dir = Path(sys.argv[1])
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 600
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "argosyd.yaml"
        # About half a kilobyte for each job and 24 generations, as if one began each hour.
        config.write_text(SETTINGS.format(generation=max(1, jobs // 24 // 2048)))
        file = Path(folder) / "jobs.yaml"
        write_jobs(file, "bench", "day", FILE_JOBS, 1)
        with Server(bin_dir, "--config", config, "--sim-clusters", "4", "--sim-nodes",
                    "1000") as server:
            server.ctl("queue", "create", "bench")
            print("    jobs   memory    store      log  snapshots  roll-overs  emptied   (MiB)")
            begun = time.monotonic()
            for done in range(FILE_JOBS, jobs + 1, FILE_JOBS):
                server.ctl("submit", file, "-o", "name")
                late = begun + seconds * done / jobs - time.monotonic()
                if late > 0:
                    time.sleep(late)
                if done % (jobs // 10) == 0:
                    print(f"{done:8} {figures(server)}", flush=True)
            took = time.monotonic() - begun
            queue = json.loads(server.ctl("get", "queues", "bench", "-o", "json"))
            print(f"{jobs} jobs in {took:.0f} s; {queue['succeeded']} have succeeded")


if __name__ == "__main__":
    main()
