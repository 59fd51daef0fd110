# SPDX-License-Identifier: Apache-2.0
"""Goal: what argosyd did in the last seconds can be looked at, also after it has crashed. Method:
an argosyd --dev of its own carries out a job, is asked for its trace, and is ended by a signal.

  traces_test.py PROGRAMS
"""

import json
import pathlib
import signal
import struct
import sys
import tempfile
import unittest
import urllib.error

sys.dont_write_bytecode = True

from deployment import Argosyd, read, wait_for  # noqa: E402 (after the switch above)

# Where the crash page has the number of the signal (bins/shared/crash_page.cpp, crash_content).
SIGNAL_AT = 64


class Traces(unittest.TestCase):
    programs = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="argosy-traces-")
        self.addCleanup(folder.cleanup)
        self.argosyd = Argosyd(self.programs, pathlib.Path(folder.name))
        self.addCleanup(self.argosyd.stop)
        self.argosyd.start()
        self.argosyd.ctl("queue", "create", "q")
        self.argosyd.ctl("run", "--queue", "q", "--", "true")

    def slices(self, text):
        """The names of all slices, by the track on which they are."""
        events = json.loads(text)["traceEvents"]
        tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                  if event["ph"] == "M" and event["name"] == "thread_name"}
        out = {}
        for event in events:
            if event["ph"] == "X":
                actor = tracks[event["pid"], event["tid"]].split(" ")[0]
                out.setdefault(actor, set()).add(event["name"])
        return out

    def test_the_last_seconds_are_shown_by_actor_and_message(self):
        shown = self.slices(read(self.argosyd.http + "/debug/trace?seconds=600"))
        self.assertIn("gateway", shown)
        self.assertIn("queue", shown)
        self.assertIn("journal", shown)
        self.assertTrue(json.loads(read(self.argosyd.http + "/debug/trace"))["traceEvents"])

    def test_a_bad_number_of_seconds_is_refused(self):
        for seconds in ("0", "-1", "3601", "x", "1.5", "99999999999999"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                read(f"{self.argosyd.http}/debug/trace?seconds={seconds}")
            self.assertEqual(refused.exception.code, 400)
            self.assertIn("from 1 to 3600", refused.exception.read().decode())

    def test_the_next_start_saves_what_went_on_before_a_crash(self):
        ring = self.argosyd.data / "flight.ring"
        wait_for("the steps of the job", lambda: b"argosy.journal" in ring.read_bytes())
        saved = self.argosyd.data / "flight-crash-1.json"
        self.argosyd.process.send_signal(signal.SIGKILL)
        self.argosyd.process.wait(timeout=20)
        self.argosyd.start()
        self.assertFalse(saved.exists(), "somebody who kills argosyd knows why")
        self.argosyd.ctl("run", "--queue", "q", "--", "true")
        wait_for("steps of the second start", lambda: b"argosy." in ring.read_bytes())
        self.crash()
        self.argosyd.start()
        self.assertTrue(self.slices(saved.read_text()))
        self.assertEqual(saved.stat().st_mode & 0o777, 0o600)

    def crash(self):
        """It ends with a note in its crash page, as the handler of its signals makes it."""
        self.argosyd.process.send_signal(signal.SIGKILL)
        self.argosyd.process.wait(timeout=20)
        with open(self.argosyd.data / "work", "r+b") as page:
            page.seek(SIGNAL_AT)
            page.write(struct.pack("i", signal.SIGSEGV))


if __name__ == "__main__":
    Traces.programs = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
