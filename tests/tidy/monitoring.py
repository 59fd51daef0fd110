# SPDX-License-Identifier: Apache-2.0
"""Checks config/monitoring: dashboards are what their source says, rules are complete and
described, and every metric that they name is one that the sources make. Whether argosyd
really shows it, monitoring.* looks at.

  monitoring.py ROOT             the fast checks
  monitoring.py ROOT --promtool  runs promtool over rules and their tests; exit code 77 without it
"""

import pathlib
import re
import shutil
import subprocess
import sys

METRIC = re.compile(r"\b(?:argosy|process)_[a-z0-9_]+")
PARTS = ("_bucket", "_sum", "_count")


def complaints_of_dashboards(folder):
    done = subprocess.run([sys.executable, "-B", folder / "generate.py", "--check"],
                          capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode else []


def made_metrics(root):
    """The names that stand as texts in the sources of metrics."""
    names = set()
    for folder in ("messages/probes", "runtime/health", "bins/argosyd", "bins/shared"):
        for path in (root / folder).rglob("*.[ch]pp"):
            names.update(re.findall(r'"((?:argosy|process)_[a-z0-9_]+)"', path.read_text()))
    return names


def named_metrics(folder):
    """Where each metric is named, by its name."""
    places = {}
    for path in [folder / "dashboards.py", folder / "rules.yml"]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith("#"):
                continue
            for name in METRIC.findall(line):
                places.setdefault(name, f"{path.name}:{number}")
    return places


def complaints_of_metrics(root, folder):
    made = made_metrics(root)
    out = []
    for name, place in named_metrics(folder).items():
        plain = next((name[:-len(part)] for part in PARTS
                      if name.endswith(part) and name[:-len(part)] in made), name)
        if plain not in made:
            out.append(f"config/monitoring/{place}: no source makes the metric {name}")
    return out


def rules_of(folder):
    """The blocks of rules.yml, each from its first line on."""
    text = (folder / "rules.yml").read_text()
    return re.split(r"\n      - (?=alert:|record:)", text)[1:]


def complaints_of_rules(root, folder):
    operations = (root / "config/OPERATIONS.md").read_text()
    tests = {path.name: path.read_text() for path in sorted(folder.glob("rules*_test.yml"))}
    out = []
    for block in rules_of(folder):
        kind, name = re.match(r"(alert|record): (\S+)", block).groups()
        if "\n        expr: " not in block:
            out.append(f"rules.yml: {name} has no expr")
        if kind == "record":
            continue
        if not re.search(r"labels: \{severity: (page|ticket)\}", block):
            out.append(f"rules.yml: the severity of {name} is neither page nor ticket")
        if "summary: " not in block:
            out.append(f"rules.yml: {name} has no summary")
        if f'runbook: "config/OPERATIONS.md#alerts, row {name}"' not in block:
            out.append(f"rules.yml: {name} has no runbook that names its row of the operations")
        if f"`{name}`" not in operations:
            out.append(f"config/OPERATIONS.md does not say what to do about {name}")
        if not re.search(rf"alertname: {name}\n +exp_alerts:\n", "".join(tests.values())):
            out.append(f"rules_test.yml: no test has {name} fire")
    for file, text in tests.items():
        for name in re.findall(r"alertname: (\w+)", text):
            if f"alert: {name}\n" not in (folder / "rules.yml").read_text():
                out.append(f"{file}: there is no alert {name}")
    return out


def run_promtool(folder):
    tool = shutil.which("promtool")
    if tool is None:
        print("promtool is not there; Debian's package prometheus has it")
        return 77
    for what in (["check", "rules", folder / "rules.yml"],
                 ["test", "rules", *sorted(folder.glob("rules*_test.yml"))]):
        if subprocess.run([tool, *what], check=False, timeout=60).returncode != 0:
            return 1
    return 0


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    folder = root / "config/monitoring"
    if sys.argv[2:] == ["--promtool"]:
        return run_promtool(folder)
    wrong = (complaints_of_dashboards(folder) + complaints_of_metrics(root, folder) +
             complaints_of_rules(root, folder))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
