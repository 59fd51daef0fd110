# SPDX-License-Identifier: Apache-2.0
"""Goal: the example of how to submit from Python does what it says. Method: it is run as it is."""

import subprocess
import sys
import unittest
from pathlib import Path

from deployment import InteropTest


class PythonExample(InteropTest):
    def test_it_waits_for_its_jobs(self):
        example = Path(__file__).parents[2] / "config/examples/submit.py"
        done = subprocess.run([sys.executable, example, self.server.address], text=True,
                              capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[1] for line in done.stdout.splitlines()], ["succeeded"] * 3)


if __name__ == "__main__":
    unittest.main()
