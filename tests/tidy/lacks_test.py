# SPDX-License-Identifier: Apache-2.0
"""Goal: what a page says to be lacking lacks in the map of features, and the front page lists it.

Method: small trees of a map and a page, with one difference each.
"""

import unittest

import lacks
from tree import Source

MAP = ("| S1 | one thing | `unit.a.b` |\n| P2 | arrays | missing: all |\n"
       "| B3 | a plan | in part: `unit.a.c`; missing: d |\n")


def found_in(page, path="bins/README.md"):
    return [(found.path, found.line) for found in
            lacks.check([Source("tests/features.md", MAP), Source(path, page)])]


class LacksTest(unittest.TestCase):

    def test_what_is_lacking_names_an_id_that_is_lacking(self):
        for page in ("It cannot do this yet.\n", "Arrays are not there yet (P2).\n",
                     "Plans are not\nyet whole (B3).\n", "| arrays | **no** (P2) |\n",
                     "| arrays | no |\n", "```\nnot yet\n```\n"):
            self.assertEqual(found_in(page), [], page)
        for page in ("Arrays are not there yet.\n", "It is not\nyet done (S1).\n",
                     "| arrays | **no** |\n", "| arrays (P2) | **no** (S1) |\n",
                     "| arrays | not yet |\n", "Not so: it is not yet whole (P4).\n"):
            self.assertEqual(found_in(page), [("bins/README.md", 1)], page)

    def test_the_front_page_has_the_list_of_the_map(self):
        true = ("<!-- lacks -->\n\nMissing: arrays (P2).\n\nThere in part: a plan (B3).\n\n"
                "<!-- end of lacks -->\n")
        self.assertEqual(found_in(true, "README.md"), [])
        self.assertEqual(found_in(true.replace("arrays (P2)", "all"), "README.md"),
                         [("README.md", 2)])
