#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: Helm makes of the chart what the script beside it makes.
Method: Helm, built with Go, renders the chart with the same values; `helm lint` finds nothing. A
server that kubectl reaches is asked whether it accepts all of it, if KUBECONFIG names one."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from rendering import CASES, KUBERNETES, RENDER, is_json, objects_of, rendered

HELM = "helm.sh/helm/v3/cmd/helm@v3.18.4"
FOLDER = pathlib.Path(sys.argv[2])


def get_helm():
    found = shutil.which("helm") or FOLDER / "helm"
    if pathlib.Path(found).exists():
        return found
    if shutil.which("go") is None:
        sys.exit(77)
    FOLDER.mkdir(parents=True, exist_ok=True)
    built = subprocess.run(["go", "install", HELM], env={**os.environ, "GOBIN": str(FOLDER)})
    if built.returncode != 0:
        print("helm cannot be built here", file=sys.stderr)
        sys.exit(77)
    return found


def sets_of(case):
    return [word for each in CASES[case]
            for word in ("--set-json" if is_json(each) else "--set", each)]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sorted_objects(objects):
    return sorted(objects, key=lambda each: (each["kind"], each["metadata"]["name"],
                                             each["metadata"].get("namespace", "")))


class Helm(unittest.TestCase):
    def test_it_makes_the_same(self):
        for case in CASES:
            text = run(HELM_PROGRAM, "template", "argosy", KUBERNETES / "chart", "-n",
                       "argosy-system", "--kube-version", "1.30", *sets_of(case))
            self.assertEqual(sorted_objects(objects_of(text)), sorted_objects(rendered(case)), case)

    def test_it_finds_nothing_wrong(self):
        out = run(HELM_PROGRAM, "lint", KUBERNETES / "chart", *sets_of("everything"))
        self.assertIn("0 chart(s) failed", out)

    @unittest.skipUnless(os.environ.get("KUBECONFIG"), "KUBECONFIG names no cluster")
    def test_a_real_server_accepts_all_of_it(self):
        spaces = ("argosy-chart-test", "argosy-chart-test-jobs")
        for each in spaces:
            subprocess.run(["kubectl", "create", "namespace", each], capture_output=True)
        try:
            for case in CASES:
                sets = CASES[case] + [f"agent.jobNamespaces={{{spaces[1]}}}"]
                text = RENDER.render_chart("argosy", spaces[0], sets)
                done = subprocess.run(["kubectl", "apply", "--dry-run=server", "-f", "-"],
                                      input=text, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), case)
        finally:
            run("kubectl", "delete", "namespace", "--wait=false", *spaces)


HELM_PROGRAM = get_helm()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
