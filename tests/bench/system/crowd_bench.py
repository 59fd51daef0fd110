#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what one client and an agent feel while others ask for as much as they can: a million
queued jobs, 10,000 watches, two loops over the heaviest queries, and the cancel of the million.
Prints, for each crowd, the times of `submit` and `get jobs ID`, starts of argosyctl included, and
how many of the agent's heartbeats were answered within 50 and 200 ms.

crowd_bench.py BIN WATCHES    with the folder of the programs, and the program bench_watches
"""

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from system_bench import Server, metrics, wait_for, write_jobs

FILES = 10
FILE_JOBS = 100_000
WATCHES = 10_000
SETS = 100
OPEN_SECONDS = 45  # What opening the watches takes.
METRIC = 'argosy_executor_answer_seconds_bucket{to="heartbeat",le="'


class Agent:
    """An agent with a simulated node, which says how fast its heartbeats are answered."""

    def __init__(self, server, folder):
        settings, ready = folder / "agent.yaml", folder / "agent.ready"
        settings.write_text('health:\n  listen: "127.0.0.1:0"\n')
        self.log = open(folder / "agent.log", "wb")
        self.process = server.begin_agent("far", settings, folder / "agent", self.log,
                                          "--ready-file", ready)
        wait_for(ready.exists, "the agent is ready")
        self.url = ready.read_text().splitlines()[1]

    def answered(self):
        """How many heartbeats were answered so far, by the bound of the histogram."""
        return {name[len(METRIC):].split('"')[0]: count
                for name, count in metrics(self.url).items() if name.startswith(METRIC)}

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()


def spread(times):
    times = sorted(times)
    at = [times[min(len(times) - 1, int(len(times) * part))] * 1e3 for part in (0.5, 0.99)]
    return f"p50 {at[0]:.0f}, p99 {at[1]:.0f}, most {times[-1] * 1e3:.0f} ms"


def measure(name, server, agent, one, job, go_on):
    before = agent.answered()
    times = {"submit": [], "get jobs ID": []}
    while go_on():
        for what, words in (("submit", ("submit", one, "-o", "name")),
                            ("get jobs ID", ("get", "jobs", job))):
            start = time.monotonic()
            server.ctl(*words)
            times[what].append(time.monotonic() - start)
    after = agent.answered()
    sent = after["+Inf"] - before["+Inf"]
    within = ", ".join(f"{(after[bound] - before[bound]) / sent:.2%} within {bound} s"
                       for bound in ("0.05", "0.2"))
    print(f"{name}: {len(times['submit'])} calls of each kind")
    for what, all_of in times.items():
        print(f"  {what}: {spread(all_of)}")
    print(f"  heartbeats: {sent:.0f}, {within}", flush=True)


def for_seconds(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end


def loop(server, words, ended):
    while not ended.is_set():
        subprocess.run([server.bin / "argosyctl", *words], env=server.env, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    bin_dir, watches = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config, many, five, one = (folder / each for each in ("config", "many", "five", "one"))
        config.write_text("agents:\n  heartbeat: 50ms\n")
        with Server(bin_dir, "--config", config, "--sim-clusters", "1", "--sim-nodes",
                    "1") as server:
            agent = Agent(server, folder)
            for queue in ("bench", "other"):
                server.ctl("queue", "create", queue)
            write_jobs(many, "bench", "many", FILE_JOBS, 4096)
            for _ in range(FILES):
                server.ctl("submit", many, "-o", "name")
            for number in range(SETS):
                write_jobs(five, "bench", f"set-{number}", 5, 4096)
                server.ctl("submit", five, "-o", "name")
            write_jobs(one, "other", "o", 1, 4096)
            job = server.ctl("submit", one, "-o", "name").strip().split("/")[1]
            measure("alone", server, agent, one, job, for_seconds(20))
            crowd = subprocess.Popen([watches, str(WATCHES), str(SETS), "600"], env=server.env)
            time.sleep(OPEN_SECONDS)
            ended = threading.Event()
            loops = [threading.Thread(target=loop, args=(server, words, ended))
                     for words in (("get", "jobsets"), ("get", "jobs", "--state", "failed"))]
            for each in loops:
                each.start()
            measure("watches and loops", server, agent, one, job, for_seconds(20))
            cancel = subprocess.Popen(
                [bin_dir / "argosyctl", "cancel", "-q", "bench", "--jobset", "many", "--timeout",
                 "300s"], env=server.env)
            measure("watches, loops and the cancel", server, agent, one, job,
                    lambda: cancel.poll() is None)
            ended.set()
            for each in loops:
                each.join()
            crowd.kill()
            crowd.wait()
            agent.stop()


if __name__ == "__main__":
    main()
