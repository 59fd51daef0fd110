#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs argosyd to export its traces: its processor time while simulated jobs come
steadily, in turns without a collector of OpenTelemetry and with one that takes everything.

  exporter_bench.py build/release/bin [--turns N] [--seconds S] [--jobs JOBS_A_SECOND]
"""
import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "system"))

from system_bench import Server, write_jobs  # noqa: E402 (its folder has just been added)

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
WARM_UP = 5


def collect(port, taken):
    """A collector that counts the bytes that it is sent."""
    class Taker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # noqa: N802 (http.server wants this name)
            size = len(self.rfile.read(int(self.headers["Content-Length"])))
            with taken.get_lock():
                taken.value += size
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    port.value = server.server_port
    server.serve_forever()


def share_of_core(bin_dir, jobs, seconds):
    with Server(bin_dir, "--sim-clusters", "2", "--sim-nodes", "100") as server, \
            tempfile.TemporaryDirectory() as folder:
        server.ctl("queue", "create", "bench")
        file = Path(folder) / "jobs.yaml"
        write_jobs(file, "bench", "export", jobs, 1)
        begin = time.monotonic()
        before = None
        for second in range(WARM_UP + seconds):
            if second == WARM_UP:
                before = server.cpu_seconds(), time.monotonic()
            subprocess.run([bin_dir / "argosyctl", "submit", file], env=server.env, check=True,
                           stdout=subprocess.DEVNULL)
            time.sleep(max(0.0, begin + second + 1 - time.monotonic()))
        return (server.cpu_seconds() - before[0]) / (time.monotonic() - before[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=200)
    args = parser.parse_args()
    port, taken = multiprocessing.Value("i", 0), multiprocessing.Value("q", 0)
    collector = multiprocessing.Process(target=collect, args=(port, taken), daemon=True)
    collector.start()
    while port.value == 0:
        time.sleep(0.01)
    without, exporting = [], []
    for turn in range(args.turns):
        os.environ.pop(ENDPOINT, None)
        without.append(share_of_core(args.bin_dir.resolve(), args.jobs, args.seconds))
        os.environ[ENDPOINT] = f"http://127.0.0.1:{port.value}"
        before = taken.value
        exporting.append(share_of_core(args.bin_dir.resolve(), args.jobs, args.seconds))
        if taken.value == before:
            sys.exit("the collector was sent nothing")
        print(f"turn {turn + 1}: {without[-1]:.2%} of a core without, {exporting[-1]:.2%} with the "
              f"export of {(taken.value - before) / 1e6:.1f} MB", flush=True)
    a, b = statistics.median(without), statistics.median(exporting)
    print(f"medians: {a:.2%} and {b:.2%} of a core: {b - a:.2%} of a core more, {b / a - 1:.1%} of "
          "what argosyd takes (less than 3 % of a core asked)")
    collector.terminate()


if __name__ == "__main__":
    main()
