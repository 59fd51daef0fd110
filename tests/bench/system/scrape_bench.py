#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long /metrics takes and how large it is, with 10,000 simulated nodes and 1,000 queues that
each have a job that waits.

  scrape_bench.py build/release/bin
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "monitoring"))

from deployment import Argosyd, read, wait_for  # noqa: E402 (its folder has just been added)

QUEUES = 1_000
CLUSTERS = 10
NODES = 1_000
ASKED_MS = 200
ASKED_BYTES = 20_000_000

# No node has so much, so that the jobs go on waiting.
JOB = """queue: q{number}
jobSetId: s
jobs:
- podSpec:
    containers:
    - name: main
      resources:
        requests: {{cpu: "1000", memory: 1Gi}}
        limits: {{cpu: "1000", memory: 1Gi}}
"""


def fill(argosyd, folder):
    queues = folder / "queues.yaml"
    queues.write_text("---\n".join(f"kind: Queue\nname: q{i}\n" for i in range(QUEUES)))
    argosyd.ctl("apply", "-f", queues)
    files = [folder / f"job-{i}.yaml" for i in range(QUEUES)]
    for i, file in enumerate(files):
        file.write_text(JOB.format(number=i))
    argosyd.ctl("submit", *files)


def main():
    with tempfile.TemporaryDirectory(prefix="argosy-scrape-") as name:
        folder = pathlib.Path(name)
        argosyd = Argosyd(pathlib.Path(sys.argv[1]).resolve(), folder,
                          ["--sim-clusters", str(CLUSTERS), "--sim-nodes", str(NODES)],
                          "api: {onNeverFits: wait}\n")
        try:
            argosyd.start()
            fill(argosyd, folder)
            url = argosyd.http + "/metrics"
            wait_for("all nodes", lambda: f'argosy_nodes{{state="ready"}} {CLUSTERS * NODES}\n'
                     in read(url))
            wait_for("a round over all queues", lambda: read(url).count(
                'kind="fair"') >= QUEUES)
            times = []
            for _ in range(21):
                begun = time.monotonic()
                text = read(url)
                times.append((time.monotonic() - begun) * 1e3)
            commit = subprocess.run([argosyd.programs / "argosyd", "version"], text=True,
                                    capture_output=True, check=True).stdout.strip()
            series = sum(1 for line in text.splitlines() if not line.startswith("#"))
            print(f"{commit}: {len(text) / 1e6:.2f} MB ({ASKED_BYTES / 1e6:.0f} asked), "
                  f"{series} series, median {statistics.median(times):.0f} ms, most "
                  f"{max(times):.0f} ms ({ASKED_MS} asked)")
        finally:
            argosyd.stop()


if __name__ == "__main__":
    main()
