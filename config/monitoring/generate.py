#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the dashboards that dashboards.py describes into grafana/, one JSON file for each.

  generate.py           writes the files
  generate.py --check   writes nothing; exit code 1 if a file is not what would be written
"""

import json
import pathlib
import sys

import dashboards

FOLDER = pathlib.Path(__file__).resolve().parent / "grafana"
WIDTH = 24  # Grafana's grid
SOURCE = {"type": "prometheus", "uid": "${source}"}


def variable(name, label, query):
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "query": query,
            "refresh": 2, "includeAll": True, "multi": True, "allValue": ".*",
            "current": {"text": "All", "value": "$__all"}, "sort": 1}


def variables(text):
    """The choices above the panels; those that no panel uses are left out."""
    out = [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
    if "$pool" in text:
        out.append(variable("pool", "Pool", "label_values(argosy_pool_round_time_seconds, pool)"))
    if "$queue" in text:
        out.append(variable("queue", "Queue", "label_values(argosy_queue_live_jobs, queue)"))
    return out


def panel_json(panel, number, place):
    targets = []
    for i, (expression, legend) in enumerate(panel["queries"]):
        targets.append({"datasource": SOURCE, "expr": expression, "legendFormat": legend,
                        "refId": chr(ord("A") + i)})
    defaults = {"unit": panel["unit"]}
    if panel["unit"] == "percentunit":
        defaults["min"] = 0
    return {"id": number, "type": panel["kind"], "title": panel["title"],
            "description": panel["means"], "datasource": SOURCE, "gridPos": place,
            "fieldConfig": {"defaults": defaults, "overrides": []}, "targets": targets}


def dashboard_json(described):
    panels = []
    number = 0
    y = 0
    for title, row in described["rows"]:
        number += 1
        panels.append({"id": number, "type": "row", "title": title, "collapsed": False,
                       "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}, "panels": []})
        y += 1
        x = 0
        height = 4 if all(each["kind"] == "stat" for each in row) else 8
        for each in row:
            if x + each["width"] > WIDTH:
                x = 0
                y += height
            number += 1
            place = {"x": x, "y": y, "w": each["width"], "h": height}
            panels.append(panel_json(each, number, place))
            x += each["width"]
        y += height
    text = json.dumps(panels)
    links = [{"type": "dashboards", "title": "Argosy", "tags": ["argosy"], "asDropdown": True,
              "keepTime": True, "includeVars": True}]
    return {"uid": described["uid"], "title": described["title"],
            "description": described["means"], "tags": ["argosy"], "schemaVersion": 38,
            "editable": True, "refresh": "30s", "time": {"from": "now-6h", "to": "now"},
            "links": links, "templating": {"list": variables(text)}, "panels": panels}


def files():
    """The content of each file, by its name."""
    return {f"{each['uid']}.json": json.dumps(dashboard_json(each), indent=1) + "\n"
            for each in dashboards.DASHBOARDS}


def main():
    wanted = files()
    if sys.argv[1:] == ["--check"]:
        present = {path.name: path.read_text() for path in FOLDER.glob("*.json")}
        wrong = sorted(name for name in wanted.keys() | present.keys()
                       if wanted.get(name) != present.get(name))
        for name in wrong:
            print(f"grafana/{name} is not what dashboards.py says; run generate.py there")
        return 1 if wrong else 0
    if sys.argv[1:]:
        print(__doc__)
        return 2
    FOLDER.mkdir(exist_ok=True)
    for name, text in wanted.items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
