# SPDX-License-Identifier: Apache-2.0
"""The case of bad_day.py in which volumes say where pods may run."""

from bad_day_world import case
from fleet import pod

ZONE = "topology.kubernetes.io/zone"


def make_volume(day, name, key, values):
    """A volume that nodes of these values of a label reach, and the claim that it is bound to.

    They are bound here, since not every cluster of tests runs the controllers of volumes.
    """
    size = {"storage": "1Gi"}
    volumes = "/api/v1/persistentvolumes"
    claims = "/api/v1/namespaces/bad-day/persistentvolumeclaims"
    day.one.api.ask("POST", claims, {
        "metadata": {"name": name, "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "",
                 "volumeName": f"bad-day-{name}", "resources": {"requests": size}}})
    uid = day.one.api.ask("GET", f"{claims}/{name}")["metadata"]["uid"]
    day.one.api.ask("POST", volumes, {
        "metadata": {"name": f"bad-day-{name}"},
        "spec": {"capacity": size, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                 "persistentVolumeReclaimPolicy": "Retain", "local": {"path": "/tmp"},
                 "claimRef": {"namespace": "bad-day", "name": name, "uid": uid},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                     {"key": key, "operator": "In", "values": values}]}]}}}})
    for path in (f"{volumes}/bad-day-{name}", f"{claims}/{name}"):
        day.one.api.ask("PATCH", f"{path}/status", {"status": {"phase": "Bound"}})


def drop_volume(day, name):
    for path in (f"/api/v1/namespaces/bad-day/persistentvolumeclaims/{name}",
                 f"/api/v1/persistentvolumes/bad-day-{name}"):
        day.one.api.ask("DELETE", path, may_fail=True)
        # What protects it waits for a controller as well.
        day.one.api.ask("PATCH", path, {"metadata": {"finalizers": None}}, may_fail=True)


@case
def volumes(day):
    """Jobs whose volumes are on one node, or in one zone, run there after one try at most."""
    items = day.one.api.ask("GET", "/api/v1/nodes?labelSelector=type%3Dkwok")["items"]
    nodes = sorted(each["metadata"]["name"] for each in items
                   if not each["spec"].get("taints") and ZONE not in each["metadata"]["labels"])
    of_zone = set(nodes[-5:])
    for each in of_zone:
        day.one.api.ask("PATCH", f"/api/v1/nodes/{each}", {"metadata": {"labels": {ZONE: "za"}}})
    try:
        make_volume(day, "of-node", "kubernetes.io/hostname", [nodes[7]])
        make_volume(day, "of-zone", ZONE, ["za"])
        day.join()
        places, told = {}, []
        for name in ("of-node", "of-zone"):
            volume = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]
            day.fleet.submit(name, pod(volumes=volume), 20, namespace="bad-day",
                             annotations={"lab/run": "2s"})
        for name in ("of-node", "of-zone"):
            told += day.fleet.until_ended(name, 300)
        for each in day.one.pods():
            claim = each["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
            places.setdefault(claim, set()).add(each["spec"].get("nodeName", ""))
        day.expect(places.get("of-node") == {nodes[7]}, f"of-node ran on {places.get('of-node')}")
        day.expect(places.get("of-zone", {""}) <= of_zone, f"of-zone ran on {places['of-zone']}")
        day.expect_success(told, 2)
        day.expect(not day.fleet.closed_nodes(), "nodes are closed")
        day.row("20 jobs with a volume of one node and 20 with one of a zone of 5 nodes", told)
    finally:
        for name in ("of-node", "of-zone"):
            drop_volume(day, name)
        for each in of_zone:
            day.one.api.ask("PATCH", f"/api/v1/nodes/{each}",
                            {"metadata": {"labels": {ZONE: None}}})
