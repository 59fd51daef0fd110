# SPDX-License-Identifier: Apache-2.0
"""The chart's renderer as a module, and sets of values that switch everything in the chart on and
off."""
import functools
import importlib.machinery
import importlib.util
import pathlib
import sys

SOURCE = pathlib.Path(sys.argv[1])
KUBERNETES = SOURCE / "config/kubernetes"


def load_renderer():
    loader = importlib.machinery.SourceFileLoader("render", str(KUBERNETES / "render"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("render", loader))
    loader.exec_module(module)
    return module


RENDER = load_renderer()
yaml = RENDER.yaml

NEEDED = ["agent.cluster=east", "nats.url=tls://nats.example.com:4222"]
CASES = {
    "the least": NEEDED,
    "both": NEEDED + ["argosyd.enabled=true"],
    "the control plane alone": NEEDED + ["argosyd.enabled=true", "agent.enabled=false"],
    "everything": NEEDED + [
        "argosyd.enabled=true", "nats.ca=true", "nats.port=14222",
        "agent.jobNamespaces={jobs,more-jobs}", "agent.kubernetes.nodeWait=1m",
        "agent.settings.logging.level=debug", "agent.tolerations[0].operator=Exists",
        "agent.nodeSelector.disk=fast", "agent.imagePullSecrets[0].name=pull",
        "agent.storage.class=fast,argosyd.grpc.tlsSecret=grpc-tls",
        "argosyd.settings.rest.enabled=true", "argosyd.tolerations[0].operator=Exists",
        "argosyd.nodeSelector.example\\.com/disk=fast", "argosyd.imagePullSecrets[0].name=pull",
        "argosyd.storage.class=fast", "networkPolicy.apiPorts={443,16443}"],
    "all namespaces, no policies": NEEDED + [
        "agent.jobNamespaces=[]", "agent.countOtherPods=false", "networkPolicy.enabled=false",
        "argosyd.enabled=true"],
    "a pattern": NEEDED + ["agent.jobNamespaces={jobs,team-*}"],
    "one replica": NEEDED + ["agent.replicas=1", "agent.kubernetes.leaderElection=never"],
    "strict": NEEDED + [
        "agent.podSecurity=restricted", "agent.kubernetes.impersonateUsers=true",
        "agent.impersonate.groups={staff,students}"],
    "policies by queue": NEEDED + [
        "agent.createNamespaces=false", "agent.kubernetes.podPolicies[0].queues={ann-*}",
        "agent.kubernetes.podPolicies[0].level=restricted"],
    "three": ["agent.enabled=false", "argosyd.enabled=true", "argosyd.replicas=3"],
    "three, with everything": NEEDED + [
        "argosyd.enabled=true", "argosyd.replicas=3", "argosyd.grpc.tlsSecret=grpc-tls",
        "argosyd.natsImage=nats:2.11.4", "argosyd.journal.logBytesMax=1GiB",
        "argosyd.settings.rest.enabled=true", "argosyd.tolerations[0].operator=Exists",
        "argosyd.storage.class=fast", "nats.secret=mine", "nats.tlsSecret=mine-tls"],
}


def objects_of(text):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [each for each in yaml.load_all(text, Loader=loader) if each]


def is_json(setting):
    """Whether it is said by --set-json: --set has no list of nothing."""
    return setting.endswith("=[]")


@functools.cache
def rendered(case, name="argosy", name_space="argosy-system"):
    sets = [each for each in CASES[case] if not is_json(each)]
    return objects_of(RENDER.render_chart(name, name_space, sets,
                                          json_sets=filter(is_json, CASES[case])))
