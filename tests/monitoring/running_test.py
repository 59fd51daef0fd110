# SPDX-License-Identifier: Apache-2.0
"""Goal: dashboards and rules ask for what a running argosyd shows. Method: an argosyd --dev of its
own carries out a job; its metrics are read, and with --prometheus a real Prometheus collects them
and is asked each query.

  running_test.py PROGRAMS               every metric that is named exists
  running_test.py PROGRAMS --prometheus  Prometheus answers every query; exit code 77 without it
"""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
MONITORING = ROOT / "config/monitoring"
sys.dont_write_bytecode = True
sys.path[:0] = [str(MONITORING), str(ROOT / "tests/tidy")]

import dashboards  # noqa: E402 (their folders have just been added)
import monitoring  # noqa: E402
from deployment import Argosyd, read, wait_for  # noqa: E402

# What argosyd shows only when it is told to, as its environment asks for an export.
ON_REQUEST = {"argosy_trace_exported_spans_total"}


def shown_names(text):
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def missing_metrics(http):
    for part in ("argosy_pool_round_time_seconds{", "argosy_feed_watchers 1",
                 'argosy_link_requests_total{result="answered"}', "argosy_gangs{"):
        wait_for(f"the metric {part}", lambda: part in read(http + "/metrics"))  # noqa: B023
    shown = shown_names(read(http + "/metrics"))
    out = []
    for name, place in monitoring.named_metrics(MONITORING).items():
        plain = next((name[:-len(part)] for part in monitoring.PARTS
                      if name.endswith(part) and name[:-len(part)] in shown), name)
        if plain not in shown and plain not in ON_REQUEST:
            out.append(f"config/monitoring/{place}: argosyd shows no metric {name}")
    return out


def described_settings():
    """The names and targets that the page of the monitoring tells to write."""
    text = (MONITORING / "README.md").read_text()

    def listed(key):
        return [each.strip() for part in re.findall(key + r": \[(.*?)\]", text)
                for each in part.split(",")]
    return listed("hostNames"), listed("targets")


def refused_targets(http, targets):
    """Those of the page's targets whose name argosyd does not take, with the page's settings."""
    out = []
    for target in targets:
        try:
            read(http + "/metrics", host=target)
        except urllib.error.HTTPError as refused:
            out.append(f"config/monitoring/README.md: the target {target} gets {refused.code}")
    return out if targets else ["config/monitoring/README.md names no targets"]


def all_queries():
    """Every query of the dashboards, with its choices filled in."""
    for each in dashboards.DASHBOARDS:
        for _, row in each["rows"]:
            for panel in row:
                for expression, _ in panel["queries"]:
                    yield (each["title"], panel["title"],
                           expression.replace("$pool", ".*").replace("$queue", ".*"))


def ask(prometheus, path, **words):
    url = f"{prometheus}/api/v1/{path}?{urllib.parse.urlencode(words)}"
    try:
        return json.loads(read(url))
    except urllib.error.HTTPError as refused:
        # While it starts it answers with a word that is no JSON.
        text = refused.read().decode()
        return json.loads(text) if text.startswith("{") else {"status": "away"}
    except OSError:
        return {"status": "away"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wrong_answers(http, folder):
    """What a real Prometheus says against the queries and rules."""
    target = http.removeprefix("http://")
    config = folder / "prometheus.yml"
    config.write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(MONITORING / "rules.yml")],
        "scrape_configs": [{"job_name": "argosy", "static_configs": [{"targets": [target]}]}]}))
    address = f"127.0.0.1:{free_port()}"
    server = subprocess.Popen(
        [shutil.which("prometheus"), f"--config.file={config}", f"--web.listen-address={address}",
         f"--storage.tsdb.path={folder / 'tsdb'}"],
        stdout=subprocess.DEVNULL, stderr=open(folder / "prometheus.log", "w"))
    try:
        url = f"http://{address}"
        wait_for("the begin of all parts", lambda: ask(
            url, "query", query="argosy_feed_watchers + on () argosy_gangs{state='complete'} + "
            "on () sum(argosy_link_requests_total)").get("data", {}).get("result"))
        wait_for("three collections", lambda: ask(
            url, "query", query="count_over_time(up[1m]) > 2").get("data", {}).get("result"))
        out = []
        answers = 0
        for board, panel, query in all_queries():
            answer = ask(url, "query", query=query)
            if answer["status"] != "success":
                out.append(f"{board}, {panel}: {answer.get('error', answer)}")
            elif answer["data"]["result"]:
                answers += 1
        for group in ask(url, "rules")["data"]["groups"]:
            out += [f"{rule['name']}: {rule['lastError']}"
                    for rule in group["rules"] if rule.get("lastError")]
        firing = [alert["labels"]["alertname"] for alert in ask(url, "alerts")["data"]["alerts"]
                  if alert["state"] == "firing"]
        if firing:
            out.append(f"these alerts fire though all is well: {firing}")
        if answers < 60:
            out.append(f"only {answers} of {len(list(all_queries()))} queries have an answer")
        print(f"{answers} of {len(list(all_queries()))} queries have an answer")
        return out
    finally:
        server.terminate()
        server.wait(timeout=20)


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    by_prometheus = sys.argv[2:] == ["--prometheus"]
    if by_prometheus and shutil.which("prometheus") is None:
        print("prometheus is not there; Debian's package prometheus has it")
        return 77
    with tempfile.TemporaryDirectory(prefix="argosy-monitoring-") as name:
        folder = pathlib.Path(name)
        names, targets = described_settings()
        argosyd = Argosyd(programs, folder,
                          settings=json.dumps({"health": {"hostNames": names}}) + "\n")
        try:
            argosyd.start()
            argosyd.start_all_parts()
            wrong = (wrong_answers(argosyd.http, folder) if by_prometheus
                     else missing_metrics(argosyd.http) + refused_targets(argosyd.http, targets))
        finally:
            argosyd.stop()
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
