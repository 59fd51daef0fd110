# SPDX-License-Identifier: Apache-2.0
"""Goal: the rule about names in pages finds what is not there, and tables of files that lack some.

Method: each case is a small tree in memory.
"""

import unittest

import names
from tree import Source

CODE = {
    "actors/README.md": "| file | what |\n|---|---|\n| `queue` | x |\n",
    "actors/queue.hpp": "",
    "actors/queue.cpp": "void queue_state::cut() {}\n",
    "runtime/bus/README.md": "| file | what |\n|---|---|\n| `bus`, `nats/` | x |\n",
    "runtime/bus/bus.hpp": "",
    "runtime/bus/nats/session.cpp": "",
}


def found_in(files):
    sources = [Source(path, text) for path, text in sorted({**CODE, **files}.items())]
    return [(found.path, found.line, found.message) for found in names.check(sources)]


class NamesTest(unittest.TestCase):

    def test_functions_stand_in_the_file_beside_them(self):
        for page in ("The QUEUE cuts (`queue_state::cut()` in [`queue.cpp`](queue.cpp)).\n",
                     "`actors/queue.cpp` has `cut()`. Nobody calls `gone()`.\n",
                     "- `queue.cpp` is one.\n- `gone()` is another.\n",
                     "```\n`queue.cpp` `gone()`\n```\n",
                     "| `queue.cpp` |\n| `gone()` |\n"):
            self.assertEqual(found_in({"actors/PAGE.md": page}), [], page)
        for page, line, name in (("\nIt cuts (`cu()` in\n[`queue.cpp`](queue.cpp)).\n", 2, "cu"),
                                 ("| x |\n|---|\n| `queue.cpp` `state::gone()` |\n", 3, "gone")):
            self.assertEqual(found_in({"actors/PAGE.md": page}),
                             [("actors/PAGE.md", line,
                               f"there is no {name}() in actors/queue.cpp")], page)

    def test_tables_of_files_name_all_that_is_there(self):
        for path, name in (("runtime/bus/frame.hpp", "frame"),
                           ("runtime/bus/server/run.cpp", "server/")):
            self.assertEqual(found_in({path: ""}), [("runtime/bus/README.md", 1,
                                                     f"no table of files names {name}")])
        self.assertEqual(found_in({"runtime/bus/nats/reply.cpp": ""}), [])

    def test_tables_of_files_name_nothing_else(self):
        page = CODE["runtime/bus/README.md"] + "| `nats/session`, `old` | x |\n"
        self.assertEqual(found_in({"runtime/bus/README.md": page}),
                         [("runtime/bus/README.md", 4, "there is no old in runtime/bus")])
        self.assertEqual(found_in({"runtime/bus/README.md": page.replace("`old`", "`bus`")}), [])

    def test_a_page_above_folders_names_them(self):
        self.assertEqual(found_in({"runtime/README.md": "`bus` is one.\n"}), [])
        self.assertEqual(found_in({"runtime/README.md": "# runtime\n"}),
                         [("runtime/README.md", 1, "the page does not name bus/")])
