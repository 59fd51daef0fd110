#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What open web pages cost argosyd, in parts of a core: pages that hold a stream of changes, as the
page does, first with nothing going on, and then with simulated jobs that change all the time, when
each page also loads the jobs in sight again. Each page has a connection of its own for that.

  pages_bench.py build/release/bin [PAGES [SECONDS]] [--ask] [--searches N] [--queues N]

With --ask the pages ask for the position every two seconds, as the page does where it gets no
stream. With --searches there are N different searches, so that only pages with the same one can
share an answer; with as many as there are pages, none can. With --queues each page shows one of N
queues, and jobs change in ten of them; as the page does, it does not load again what no change
concerns.
"""

import argparse
import base64
import gzip
import http.client
import itertools
import json
import os
import queue
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

from system_bench import Server, write_jobs  # noqa: E402 (no folder of bytecode is written)

PERIOD = 2.0  # As in bins/web/src/api/live.ts.
ENCODING = "gzip"
WORKERS = 10
JOBS_A_SECOND = 200  # Each is five changes.
# Without a proof argosyd --dev looks up at each call which user has the other end.
PROOF = "Basic " + base64.b64encode(b"ann:secret").decode()
TOLD = re.compile(rb"^data: (.*)$", re.MULTILINE)
BUSY_QUEUES = 10
UNCONCERNED = 30.0  # As in bins/web/src/model/freshness.ts.


def search(number, queue):
    """What page `number` looks for. All find the same jobs, but the server does not know that, or
    those of the queue."""
    where = f"queue:{queue}" if queue else "state:active" + " " * number
    return json.dumps({"where": where, "orderBy": "jobId", "ascending": False, "limit": 50,
                       "cursor": "", "activeJobSets": False}).encode()


def print_of(name):
    """FNV-1a in 32 bits, as names are told."""
    out = 2166136261
    for byte in name.encode():
        out = (out ^ byte) * 16777619 & 0xffffffff
    return out


class Page:
    """One open page that somebody sees."""

    def __init__(self, address, number, queue=None):
        self.address = address
        self.link = http.client.HTTPConnection(address, timeout=30)
        self.find = search(number, queue)
        self.queue = print_of(queue) if queue else None
        self.loaded_at = time.monotonic()
        self.position = None
        self.due = 0.0
        self.busy_until = 0.0
        self.stream = None

    def open_stream(self):
        host, port = self.address.split(":")
        self.stream = socket.create_connection((host, int(port)))
        self.stream.sendall(f"GET /v1/changes HTTP/1.1\r\nHost: {self.address}\r\n"
                            f"Authorization: {PROOF}\r\n\r\n".encode())

    def call(self, verb, path, body=None):
        headers = {"Accept": "application/json", "Accept-Encoding": ENCODING,
                   "Authorization": PROOF}
        if body:
            headers["Content-Type"] = "application/json"
            headers["Argosy-Position"] = str(self.position)
        try:
            self.link.request(verb, path, body, headers)
            answer = self.link.getresponse()
        except (http.client.HTTPException, OSError):
            # The server may close a connection that rests, as it may with a browser.
            self.link.close()
            self.link.request(verb, path, body, headers)
            answer = self.link.getresponse()
        return answer.status, answer.read()

    def is_concerned(self, told):
        """Whether what it shows may have changed."""
        return (self.queue is None or self.queue in told.get("queues", [self.queue])
                or time.monotonic() > self.loaded_at + UNCONCERNED)

    def load(self, counts):
        loaded = time.monotonic()
        if loaded < self.busy_until:
            return
        self.loaded_at = loaded
        status, _ = self.call("POST", "/v1/jobs/find", self.find)
        counts["loaded"] += status == 200
        counts["refused"] += status != 200
        self.busy_until = time.monotonic() + min(15.0, 4 * (time.monotonic() - loaded))

    def look(self, counts):
        begun = time.monotonic()
        status, body = self.call("GET", "/v1/position")
        counts["told"] += status == 200
        counts["refused"] += status != 200
        now = json.loads(gzip.decompress(body))["position"] if status == 200 else self.position
        before, self.position = self.position, now
        if before is not None and now != before:
            self.load(counts)
        self.due = begun + PERIOD


def ask(pages, stopped, counts):
    """Has these pages ask in turn."""
    while not stopped.is_set():
        for page in pages:
            wait = page.due - time.monotonic()
            if wait > 0 and stopped.wait(wait):
                return
            page.look(counts)


def listen(pages, stopped, counts, moved):
    """Reads the streams of all pages; `moved` gets each page that is told of a change."""
    with selectors.DefaultSelector() as streams:
        for page in pages:
            page.open_stream()
            streams.register(page.stream, selectors.EVENT_READ, page)
        while not stopped.is_set():
            for key, _ in streams.select(0.2):
                page = key.data
                piece = page.stream.recv(65536)
                if not piece:
                    streams.unregister(page.stream)
                    page.open_stream()
                    streams.register(page.stream, selectors.EVENT_READ, page)
                    continue
                told = [json.loads(one) for one in TOLD.findall(piece)]
                counts["told"] += len(told)
                if told:
                    before, page.position = page.position, told[-1]["position"]
                    if before is not None and any(page.is_concerned(one) for one in told):
                        moved.put(page)
        for page in pages:
            page.stream.close()


def load(moved, stopped, counts):
    while not stopped.is_set():
        try:
            moved.get(timeout=0.2).load(counts)
        except queue.Empty:
            pass


def measure(server, address, number, seconds, what, options):
    """Prints the part of a core that argosyd takes with so many pages; returns it."""
    stopped = threading.Event()
    counts = [{"told": 0, "loaded": 0, "refused": 0} for _ in range(WORKERS + 1)]
    queue_of = lambda at: f"pages-{at % options.queues}" if options.queues else None
    pages = [Page(address, at % options.searches, queue_of(at)) for at in range(number)]
    for at, page in enumerate(pages):
        page.due = time.monotonic() + PERIOD * at / max(1, number)
    if options.ask:
        threads = [threading.Thread(target=ask, args=(pages[i::WORKERS], stopped, counts[i]))
                   for i in range(WORKERS)]
    else:
        moved = queue.Queue()
        threads = [threading.Thread(target=load, args=(moved, stopped, counts[i]))
                   for i in range(WORKERS)]
        threads.append(threading.Thread(target=listen,
                                        args=(pages, stopped, counts[WORKERS], moved)))
    for thread in threads if number else []:
        thread.start()
    time.sleep(2 * PERIOD)
    begun, cpu = time.monotonic(), server.cpu_seconds()
    before = {name: sum(one[name] for one in counts) for name in counts[0]}
    time.sleep(seconds)
    took = time.monotonic() - begun
    part = (server.cpu_seconds() - cpu) / took
    rates = {name: (sum(one[name] for one in counts) - before[name]) / took for name in before}
    stopped.set()
    for thread in threads if number else []:
        thread.join()
    print(f"{what}, {number} pages: {part:.1%} of a core, told {rates['told']:.0f}/s, "
          f"{rates['loaded']:.0f} lists/s, {rates['refused']:.1f} refused/s, load "
          f"{os.getloadavg()[0]:.1f}", flush=True)
    return part


def work(server, folder, stopped, queues):
    """Submits jobs as fast as they are to change. Returns when it is told to stop."""
    files = [folder / f"{queue}.yaml" for queue in queues]
    for file, queue in zip(files, queues):
        write_jobs(file, queue, "changes", JOBS_A_SECOND, "10m")
    due = time.monotonic()
    for turn in itertools.count():
        if stopped.wait(max(0.0, due - time.monotonic())):
            return
        server.ctl("submit", files[turn % len(files)])
        due = max(due + 1, time.monotonic() - 5)


def settings(programs, folder):
    """A configuration with the user whom the pages show."""
    made = subprocess.run([programs / "argosyd", "hash-password"], input=b"secret",
                          capture_output=True, check=True).stdout.decode().strip()
    file = folder / "argosyd.yaml"
    file.write_text(f'access: {{users: [{{name: ann, passwordHash: "{made}"}}]}}\n')
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("pages", type=int, nargs="?", default=500)
    parser.add_argument("seconds", type=float, nargs="?", default=20.0)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--searches", type=int, default=1)
    parser.add_argument("--queues", type=int, default=0)
    options = parser.parse_args()
    number, seconds, programs = options.pages, options.seconds, options.bin_dir.resolve()
    with tempfile.TemporaryDirectory(prefix="argosy-pages-") as name, \
            Server(programs, "--sim-clusters", "2", "--sim-nodes", "100", "--config",
                   settings(programs, Path(name))) as server:
        address = server.urls[1].split("://")[1].rstrip("/")
        queues = [f"pages-{at}" for at in range(options.queues)] or ["pages"]
        for queue_name in queues:
            server.ctl("queue", "create", queue_name)
        still = measure(server, address, 0, seconds, "nothing goes on", options)
        idle = measure(server, address, number, seconds, "nothing goes on", options)
        stopped = threading.Event()
        worker = threading.Thread(target=work, args=(server, Path(name), stopped,
                                                       queues[:BUSY_QUEUES]))
        worker.start()
        time.sleep(5)
        alone = measure(server, address, 0, seconds, f"{JOBS_A_SECOND} jobs/s", options)
        busy = measure(server, address, number, seconds, f"{JOBS_A_SECOND} jobs/s", options)
        stopped.set()
        worker.join()
        print(f"{number} pages cost {idle - still:.1%} of a core with nothing going on, and "
              f"{busy - alone:.1%} beside {JOBS_A_SECOND} jobs/s")


if __name__ == "__main__":
    main()
