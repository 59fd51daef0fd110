#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What open web pages cost argosyd, in parts of a core: pages that ask for the position of the log
every two seconds, as the page does, first with nothing going on, and then with simulated jobs that
change all the time, when each page also loads the jobs in sight again. Each page has a connection
that it keeps.

  pages_bench.py build/release/bin [PAGES [SECONDS]]
"""

import base64
import http.client
import json
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
FIND = json.dumps({"where": "state:active", "orderBy": "jobId", "ascending": False, "limit": 100,
                   "cursor": "", "activeJobSets": False}).encode()


class Page:
    """One open page that somebody sees."""

    def __init__(self, address):
        self.link = http.client.HTTPConnection(address, timeout=30)
        self.position = None
        self.due = 0.0
        self.busy_until = 0.0

    def call(self, verb, path, body=None):
        headers = {"Accept": "application/json", "Accept-Encoding": ENCODING,
                   "Authorization": PROOF}
        if body:
            headers["Content-Type"] = "application/json"
        try:
            self.link.request(verb, path, body, headers)
            answer = self.link.getresponse()
        except (http.client.HTTPException, OSError):
            # The server may close a connection that rests, as it may with a browser.
            self.link.close()
            self.link.request(verb, path, body, headers)
            answer = self.link.getresponse()
        return answer.status, answer.read()

    def look(self, counts):
        begun = time.monotonic()
        status, body = self.call("GET", "/v1/position")
        counts["asked"] += status == 200
        counts["refused"] += status != 200
        now = body if status == 200 else self.position
        if self.position is not None and now != self.position and begun >= self.busy_until:
            loaded = time.monotonic()
            status, _ = self.call("POST", "/v1/jobs/find", FIND)
            counts["loaded"] += status == 200
            counts["refused"] += status != 200
            self.busy_until = time.monotonic() + min(15.0, 4 * (time.monotonic() - loaded))
        self.position = now
        self.due = begun + PERIOD


def follow(pages, stopped, counts):
    while not stopped.is_set():
        for page in pages:
            wait = page.due - time.monotonic()
            if wait > 0 and stopped.wait(wait):
                return
            page.look(counts)


def measure(server, address, number, seconds, what):
    """Prints the part of a core that argosyd takes with so many pages; returns it."""
    stopped = threading.Event()
    counts = [{"asked": 0, "loaded": 0, "refused": 0} for _ in range(WORKERS)]
    pages = [Page(address) for _ in range(number)]
    for at, page in enumerate(pages):
        page.due = time.monotonic() + PERIOD * at / max(1, number)
    threads = [threading.Thread(target=follow, args=(pages[i::WORKERS], stopped, counts[i]))
               for i in range(WORKERS)]
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
    print(f"{what}, {number} pages: {part:.1%} of a core, {rates['asked']:.0f} questions/s, "
          f"{rates['loaded']:.0f} lists/s, {rates['refused']:.1f} refused/s", flush=True)
    return part


def work(server, folder, stopped):
    """Submits jobs as fast as they are to change. Returns when it is told to stop."""
    file = folder / "jobs.yaml"
    write_jobs(file, "pages", "changes", JOBS_A_SECOND, "10m")
    due = time.monotonic()
    while not stopped.wait(max(0.0, due - time.monotonic())):
        server.ctl("submit", file)
        due = max(due + 1, time.monotonic() - 5)


def settings(programs, folder):
    """A configuration with the user whom the pages show."""
    made = subprocess.run([programs / "argosyd", "hash-password"], input=b"secret",
                          capture_output=True, check=True).stdout.decode().strip()
    file = folder / "argosyd.yaml"
    file.write_text(f'access: {{users: [{{name: ann, passwordHash: "{made}"}}]}}\n')
    return file


def main():
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0
    programs = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="argosy-pages-") as name, \
            Server(programs, "--sim-clusters", "2", "--sim-nodes", "100", "--config",
                   settings(programs, Path(name))) as server:
        page = (Path(server.folder.name) / "ready").read_text().splitlines()[1]
        address = page.split("://")[1].rstrip("/")
        server.ctl("queue", "create", "pages")
        still = measure(server, address, 0, seconds, "nothing goes on")
        idle = measure(server, address, number, seconds, "nothing goes on")
        stopped = threading.Event()
        worker = threading.Thread(target=work, args=(server, Path(name), stopped))
        worker.start()
        time.sleep(5)
        alone = measure(server, address, 0, seconds, f"{JOBS_A_SECOND} jobs/s")
        busy = measure(server, address, number, seconds, f"{JOBS_A_SECOND} jobs/s")
        stopped.set()
        worker.join()
        print(f"{number} pages cost {idle - still:.1%} of a core with nothing going on, and "
              f"{busy - alone:.1%} beside {JOBS_A_SECOND} jobs/s")


if __name__ == "__main__":
    main()
