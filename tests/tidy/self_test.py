#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: every rule catches what it forbids, and nothing in a tree that keeps the rules.

Method: each case writes a small tree that is clean but for one file, runs the rules, and compares
(path, line, part of the message) of what they found. The rules about names and lacks have files of
their own.
"""

import os
import pathlib
import sys
import tempfile
import unittest

import monitoring
import sizes
import tidy
import tree
from headers_test import HeadersTest  # noqa: F401 (unittest looks for it here)
from lacks_test import LacksTest  # noqa: F401
from names_test import NamesTest  # noqa: F401

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"

CLEAN = {
    "runtime/README.md": "# runtime\n",
    "runtime/base/README.md": "# base\n",
    "runtime/base/id.hpp": HEADER + "#include <string>\n",
    "runtime/bus/README.md": "# bus\n",
    "runtime/bus/bus.hpp": HEADER + '#include "runtime/base/id.hpp"\n',
    "runtime/bus/nats/bus.cpp": SPDX + "#include <nats/nats.h>\n",
    "messages/README.md": "# messages\n",
    "messages/codec/README.md": "# codec\n",
    "messages/codec/job.cpp": SPDX + '#include "messages/proto/job.pb.h"\n',
    "actors/README.md": "# actors\n",
    "actors/queue.cpp": SPDX + '#include "runtime/bus/bus.hpp"\n'
                        "struct queue_state {\n  explicit queue_state(int* self);\n};\n",
    "bins/README.md": "# bins\n",
    "bins/argosyd/main.cpp": SPDX + '#include "runtime/bus/nats/bus.hpp"\n',
}


def body(lines):
    return "".join("  step();\n" for _ in range(lines))


def found_in(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**CLEAN, **files}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(text)
        return list(tidy.findings(root, set(tidy.RULES) - {"names"}))


class RulesTest(unittest.TestCase):

    def expect(self, path, text, line, message, warning=False):
        found = found_in({path: text})
        self.assertEqual([(f.path, f.line, f.warning) for f in found], [(path, line, warning)],
                         "\n".join(map(str, found)))
        self.assertIn(message, found[0].message)

    def expect_clean(self, path, text):
        self.assertEqual(found_in({path: text}), [])

    def test_a_class_above_the_bounds_needs_its_number(self):
        def header(methods, fields=0, private=True):
            return (HEADER + "class pump {\n public:\n  pump() = default;\n"
                    + "".join(f"  void step{i}(std::function<void(int)> then = {{}});\n"
                              for i in range(methods)) + (" private:\n" if private else "")
                    + "".join(f"  std::map<int, int> part{i}_;\n" for i in range(fields)) + "};\n")

        def found(text, table=None):
            return [(each.line, each.message.split(";")[0], each.warning)
                    for each in found_in({"runtime/base/pump.hpp": text,
                                          **({"tests/tidy/classes.json": table} if table else {})})
                    if "pump" in each.path + each.message or "everybody" in each.message]

        self.assertEqual(found(header(25, 15)), [])
        self.assertEqual(found(header(26)), [(3, "pump has 26 methods", False)])
        self.assertEqual(found(header(3, 16)), [(3, "pump has 16 fields", False)])
        self.assertEqual(found(header(2, 16)), [], "a record")
        table = '{"open_fields": 0, "classes": {"runtime/old/pump.hpp pump": [27, 0]}}'
        moved = (1, "runtime/old/pump.hpp pump is moved or within the bounds now: "
                    "run tests/tidy/classes.py . --update", True)
        self.assertEqual(found(header(27), table), [moved])
        self.assertEqual(found(header(28), table), [(3, "pump has 28 methods", False), moved])
        self.assertEqual(len(found(header(3, 1, private=False))), 1)

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(found_in({}), [])

    def test_pure_folders_stay_pure(self):
        for header in ("caf/actor.hpp", "nats/nats.h", "lmdb.h", "google/protobuf/message.h",
                       "spdlog/spdlog.h", "thread"):
            self.expect("runtime/base/id.hpp", HEADER + f"#include <{header}>\n", 3, header)
        self.expect("runtime/base/id.cpp", SPDX + "\nauto t = std::chrono::system_clock::now();\n",
                    3, "no clock")
        self.expect_clean("runtime/base/id.cpp", SPDX + "// Never calls system_clock::now().\n")

    def test_arrows_point_one_way(self):
        self.expect("runtime/bus/bus.hpp", HEADER + '#include "messages/codec/job.hpp"\n', 3,
                    "may not include")
        self.expect("runtime/bus/bus.hpp", HEADER + '#include "actors/queue.hpp"\n', 3,
                    "may not include")
        self.expect("runtime/base/id.hpp", HEADER + '#include "runtime/bus/bus.hpp"\n', 3,
                    "may not include")
        self.expect("messages/codec/job.cpp", SPDX + '#include "actors/queue.hpp"\n', 2,
                    "may not include")
        self.expect("actors/bus.cpp", SPDX + '#include "bins/argosyd/main.hpp"\n', 2,
                    "may not include")

    def test_a_new_folder_must_be_in_the_table(self):
        found = found_in({"runtime/new/x.cpp": SPDX + '#include "runtime/base/id.hpp"\n',
                          "runtime/new/README.md": "# new\n"})
        self.assertEqual([(f.path, f.line) for f in found], [("runtime/new/x.cpp", 2)])

    def test_only_programs_pick_implementations(self):
        self.expect("actors/bus.cpp", SPDX + '#include "runtime/bus/nats/bus.hpp"\n', 2,
                    "only bins/")

    def test_generated_code_stays_in_messages(self):
        self.expect("actors/bus.cpp", SPDX + '#include "messages/proto/job.pb.h"\n', 2,
                    "generated code")
        self.expect_clean("actors/api/job.cpp", SPDX + '#include "messages/proto/job.pb.h"\n')
        self.expect("runtime/bus/bus.cpp", SPDX + '#include "messages/proto/job.pb.h"\n', 2,
                    "generated code")

    def test_the_collective_caf_header_is_banned(self):
        self.expect("actors/bus.cpp", SPDX + "#include <caf/all.hpp>\n", 2, "nobody")

    def test_what_git_keeps_is_not_looked_at(self):
        self.expect_clean(".git", "gitdir: /" + "home/somebody/argosy/.git/worktrees/second\n")

    def test_files_have_limits(self):
        self.expect("actors/bus.cpp", SPDX + "\n" * 300, 301, "301 lines", warning=True)
        self.expect("actors/bus.cpp", SPDX + "\n" * 1000, 1001, "1001 lines", warning=True)
        self.expect("actors/bus.cpp", SPDX + "// " + "x" * 98 + "\n", 2, "101 columns")

    def test_functions_have_limits(self):
        self.expect_clean("actors/bus.cpp", SPDX + "void f() {\n" + body(68) + "}\n")
        self.expect("actors/bus.cpp", SPDX + "void f() {\n" + body(69) + "}\n", 2, "of 71 lines")
        self.expect("actors/bus.cpp", SPDX + "namespace a {\nx::x(int b) : b_{b}, c_{1} {\n"
                    + body(70) + "}\n}\n", 3, "of 72 lines")
        self.expect("actors/bus.cpp", SPDX + "MARK(a)\n\nnamespace a {\nstruct s {\n"
                    "  auto f() const -> int {\n" + body(70) + "  }\n};\n}\n", 6, "of 72 lines")

    def test_folders_have_limits(self):
        files = {f"actors/actor_{n}.{kind}": text for n in range(15)
                 for kind, text in (("hpp", HEADER), ("cpp", SPDX))}
        found = found_in(files)
        self.assertEqual([(f.path, f.warning) for f in found], [("actors", True)])

    def test_states_have_a_constructor(self):
        behavior = "int bus_behavior(int);\n"
        for content in ("bool up = false;", "~bus_state();"):
            self.expect("actors/bus.cpp", f"{SPDX}{behavior}struct bus_state {{\n{content}\n}};\n",
                        3, "bus_state needs a declared constructor")
        self.expect_clean("actors/bus.cpp", SPDX + "struct bus_state {\n  bool up = false;\n};\n")
        self.expect_clean("actors/bus.hpp", HEADER + "struct bus_state;\n")

    def test_traps_of_caf_are_banned(self):
        self.expect("actors/bus.cpp", SPDX + "auto t = caf::infinite;\n", 2, "waits forever")
        self.expect("actors/bus.cpp", SPDX + "void f() { self_->anon_send(b, 1); }\n", 2,
                    "use caf::anon_send")
        self.expect_clean("actors/bus.cpp", SPDX + "void f() { caf::anon_send(b, 1); }\n")

    def test_marks_and_places_are_banned(self):
        self.expect("actors/bus.cpp", SPDX + "// TO" "DO later.\n", 2, "unfinished")
        self.expect("actors/README.md", "See /wo" "rk/notes.\n", 1, "one machine")
        self.expect("actors/README.md", "image: ghcr.i" "o/x\n", 1, "registry")
        self.expect("actors/README.md", "As issu" "e 12 says.\n", 1, "tracker")
        self.expect("bins/web/package-lock.json", '{\n "resolved": "https://x/a.tgz"}\n', 2,
                    "where a package comes from")
        self.expect("actors/bus_utils.cpp", SPDX, 1, "name the concept")

    def test_comments_name_what_they_are_about(self):
        for comment in ("// Of the log.", "/// Of the log.", "int a = 0;  ///< Of the log.",
                        "int a = 0;  // Of the log."):
            self.expect("actors/log.hpp", HEADER + f"\n{comment}\n", 4, "begins with 'Of'")
        self.expect("messages/log.proto", "// Of the log.\n", 1, "begins with 'Of'")
        for comment in ("// The position\n// Of the log.", "// Often.", "// The end of the log."):
            self.expect_clean("actors/log.hpp", HEADER + f"\n{comment}\n")

    def test_links_lead_somewhere(self):
        for target in ("bus.md", "../runtime", "../runtime/base/id.hpp", "#a-heading-of-two", "/"):
            found = found_in({"actors/README.md": f"# A `heading` of two\n\n[x]({target})\n"})
            wrong = target in ("bus.md", "/")
            self.assertEqual([(f.path, f.line) for f in found],
                             [("actors/README.md", 3)] if wrong else [], target)
        self.expect("actors/README.md", "[x](../runtime/README.md#base)\n", 1, "no heading '#base'")
        self.expect("actors/README.md", "See `runtime/base/ids`.\n", 1, "no runtime/base/ids")
        self.expect_clean("actors/README.md", "See `runtime/base/id`, `runtime/base/`, `x [y](z)`, "
                          "[w](https://example.com/).\n```\n[x](y) `runtime/none`\n```\n")
        self.expect_clean("actors/README.md", "# One\n# One\n[x](#one) [y](#one-1)\n")

    def test_every_file_names_its_licence(self):
        self.expect("actors/bus.cpp", "// Nothing.\n", 1, "SPDX")
        self.expect("bins/start", "#!/bin/bash\n", 2, "SPDX")
        self.expect_clean("bins/start", "#!/bin/bash\n#" + SPDX[2:])

    def test_the_map_of_features_is_true(self):
        tests = {
            "tests/README.md": "# tests\n",
            "tests/unit/CMakeLists.txt": "argosy_test(unit queue LIBS q)  # a label\n"
                                         "foreach(client IN ITEMS one two)\n"
                                         "  add_test(NAME interop.${client} COMMAND x)\n"
                                         "endforeach()\nfunction(rule name seconds)\n"
                                         "  add_test(NAME tidy.${name} COMMAND y)\n"
                                         "endfunction()\nrule(sizes 60)\n",
            "tests/actors/CMakeLists.txt": "argosy_test(actors all\n  FOLDERS holds log\n"
                                           "  LIBS a)\n",
            "tests/actors/log/log_test.cpp": SPDX + "TEST_F(log, ends) {}\n",
            "tests/unit/queue_test.cpp": SPDX + "TEST(queue, keeps_order) {}\n"
                                         "TEST_P(queue_of, holds) {}\n// TEST(queue, is_no_test)\n"
                                         "INSTANTIATE_TEST_SUITE_P(each, queue_of, values);\n"
                                         "INSTANTIATE_TEST_SUITE_P(all, log_contract, values);\n",
            "tests/support/log_contract.hpp": HEADER + "TEST_P(log_contract,\n       appends) {}\n",
        }
        shown = ("unit.queue.keeps_order", "unit.queue.*", "unit.each/queue_of.holds/*",
                 "unit.all/log_contract.appends/*", "unit.all/log_contract.*", "interop.two",
                 "tidy.sizes", "actors.log.ends")
        true = ("Of 3\nfeatures: 1 shown, 1 in part, 1 missing.\n\n| id | feature | shown by |\n"
                "|---|---|---|\n| S1 | a | " + ", ".join(f"`{name}`" for name in shown) + " |\n"
                "| S2 | b | in part: `interop.one`; missing: c |\n| B3 | d | missing: all |\n")
        self.assertEqual(found_in({**tests, "tests/features.md": true}), [])
        for old, new, line, message in (
                ("unit.queue.keeps_order", "unit.queue.keeps_odor", 6, "no test unit.queue.keeps"),
                ("unit.queue.keeps_order", "unit.queue.is_no_test", 6, "no test unit.queue.is_no"),
                ("unit.queue.keeps_order", "actors.queue.keeps_order", 6, "no test actors."),
                ("unit.queue.*", "unit.queues.*", 6, "no test unit.queues.*"),
                ("queue_of.holds/*", "queue_of.holds", 6, "no test unit.each/queue_of.holds"),
                ("all/log_contract.*", "each/log_contract.*", 6, "no test unit.each/log_contract"),
                ("interop.one", "interop.three", 7, "no test interop.three"),
                ("| S2 ", "| S1 ", 7, "S1 stands in line 6 already"),
                ("Of 3", "Of 4", 1, "the lines say 3 features: 1 shown, 1 in part, 1 missing"),
                ("1 in part", "2 in part", 1, "the lines say 3 features"),
                ("Of 3\nfeatures", "Three\nfeatures", 1, "no counts"),
                ("; missing: c", "", 7, "what is missing"),
                ("`interop.one`", "something", 7, "names no test"),
                ("missing: all |", "missing: all, `interop.one` |", 8, "has a test"),
                ("| B3 | d |", "| 3 | d |", 8, "no line of a feature")):
            self.assertIn(old, true)
            found = found_in({**tests, "tests/features.md": true.replace(old, new)})
            self.assertIn(("tests/features.md", line), [(f.path, f.line) for f in found], new)
            self.assertIn(message, "\n".join(map(str, found)))

    def test_headers_have_a_guard(self):
        self.expect("actors/bus.hpp", SPDX, 1, "#pragma once")

    def test_folders_have_a_readme(self):
        found = found_in({"runtime/store/store.hpp": HEADER})
        self.assertEqual([(f.path, f.message[:12]) for f in found],
                         [("runtime/store", "no README.md")])


RULE = """groups:
  - rules:
      - alert: Away
        expr: up == 0
        labels: {severity: page}
        annotations: {summary: x, runbook: "config/OPERATIONS.md#alerts, row Away"}
"""
FIRES = "        alertname: Away\n        exp_alerts:\n          - {}\n"


class MonitoringTest(unittest.TestCase):

    def complaints(self, rule=RULE, test=FIRES, page="`Away`"):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            folder = root / "config/monitoring"
            folder.mkdir(parents=True)
            (root / "config/OPERATIONS.md").write_text(page)
            (folder / "rules.yml").write_text(rule)
            (folder / "rules_test.yml").write_text(test)
            return monitoring.complaints_of_rules(root, folder)

    def test_alerts_are_described_and_have_a_test(self):
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.complaints(page=""),
                         ["config/OPERATIONS.md does not say what to do about Away"])
        self.assertEqual(self.complaints(test="- {alertname: Away, exp_alerts: []}"),
                         ["rules_test.yml: no test has Away fire"])
        self.assertEqual(self.complaints(test=FIRES + "  alertname: Gone\n"),
                         ["rules_test.yml: there is no alert Gone"])
        self.assertEqual(self.complaints(rule=RULE.replace("page", "now")),
                         ["rules.yml: the severity of Away is neither page nor ticket"])


class ScannerTest(unittest.TestCase):

    def test_comments_and_literals_are_blanked(self):
        text = 'a("{ // x"); // {\nR"(})"; /* {\n */ b(\'{\'); 1\'000\'000;'
        code = tree.blank(text)
        self.assertNotRegex(code, r"[{}]")
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertIn("1'000'000", code)

    def test_functions_are_found_among_other_braces(self):
        code = ("namespace a {\nenum class e { x, y };\nstruct s : t<int> {\n  int v{1};\n"
                "  s() : v{2} {}\n  int f() const noexcept {\n    if (v) {\n    }\n    return v;\n"
                "  }\n};\nconst auto table = std::array{f(1), f(2)};\n"
                "template <typename T>\nT g(T v) {\n  return {v};\n}\n}\n")
        bodies = [(code.count("\n", 0, a) + 1, code.count("\n", 0, b) + 1)
                  for a, b in sizes.functions(code)]
        self.assertEqual(bodies, [(5, 5), (6, 10), (14, 16)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
