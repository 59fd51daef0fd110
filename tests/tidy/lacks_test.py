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

    def test_the_comparison_says_what_the_map_says(self):
        true = ("<!-- lacks -->\n| | Argosy | other |\n|---|---|---|\n"
                "| things (S1–S3) | yes | no |\n"
                "| work (P2, B3) | some; in part: a plan (B3); **no**: arrays (P2) | yes |\n"
                "| in production | nowhere | yes |\n<!-- end of lacks -->\n")
        self.assertEqual(found_in(true, "README.md"), [])
        self.assertEqual(lacks.updated(true, lacks.features_of(Source("m", MAP))), true)
        for wrong, line in (("; **no**: arrays (P2)", 5), ("; in part: a plan (B3)", 5)):
            page = true.replace(wrong, "")
            self.assertEqual(found_in(page, "README.md"), [("README.md", line)], wrong)
            self.assertEqual(lacks.updated(page, lacks.features_of(Source("m", MAP))), true)
        self.assertEqual(found_in(true.replace("S1–S3", "P2"), "README.md"),
                         [("README.md", 4), ("README.md", 5), ("README.md", 2)])
        self.assertEqual(found_in(true.replace(" (S1–S3)", ""), "README.md"), [("README.md", 2)])
