# SPDX-License-Identifier: Apache-2.0
"""Goal: a header that does not compile alone is found, whichever others share its compilation.
Method: small trees of headers in a folder that is removed again."""

import os
import tempfile
import unittest

import chains
import headers

HEADER = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"


class HeadersTest(unittest.TestCase):

    def compile(self, root, text, outer=None):
        os.makedirs(os.path.join(root, "runtime"), exist_ok=True)
        for name, content in (("id", text), ("outer", outer)):
            if content is not None:
                with open(os.path.join(root, f"runtime/{name}.hpp"), "w",
                          encoding="utf-8") as stream:
                    stream.write(HEADER + content)
        build = os.path.join(root, "build")
        os.makedirs(build, exist_ok=True)
        with open(os.path.join(build, "CMakeCache.txt"), "w", encoding="utf-8") as stream:
            stream.write("CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\n")
        return headers.main(root, build)

    def test_a_header_that_lacks_an_include_is_caught(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertNotEqual(self.compile(root, "std::string name();\n"), 0)
            self.assertEqual(self.compile(root, "#include <string>\nstd::string name();\n"), 0)
            self.assertEqual(self.compile(root, "#include <string>\nstd::string name();\n"), 0)

    def test_a_header_that_lives_on_what_stands_before_it_is_caught(self):
        outer = '#include <string>\n#include "runtime/id.hpp"\nstd::string title();\n'
        with tempfile.TemporaryDirectory() as root:
            self.assertNotEqual(self.compile(root, "std::string name();\n", outer), 0)
            self.assertEqual(
                self.compile(root, "#include <string>\nstd::string name();\n", outer), 0)
            lacking = '#include "runtime/id.hpp"\nstd::vector<int> numbers();\n'
            self.assertNotEqual(
                self.compile(root, "#include <string>\nstd::string name();\n", lacking), 0)

    def test_headers_that_include_each_other_stand_in_few_chains(self):
        includes = {"a": [], "b": ["a"], "c": ["b", "other"], "d": ["a"], "e": [], "ring": ["ring"]}
        found = chains.chains(["c", "a", "d", "b", "e", "ring"], includes)
        self.assertEqual(len(found), 4)
        self.assertEqual(sorted(sum(found, [])), sorted(includes))
        reached = chains.reach(includes)
        for chain in found:
            for inner, outer in zip(chain, chain[1:]):
                self.assertIn(inner, reached[outer])
        self.assertEqual(chains.chains(["c", "a"], includes), [["a", "c"]],
                         "what is between them need not be asked for")
