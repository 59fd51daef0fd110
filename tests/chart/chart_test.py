#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: the chart's manifests are valid, give the agent the rights that it uses and no others, keep
its pods within the strictest rules for pods, and hold configurations that the programs accept.
Method: the chart rendered with sets of values that switch everything on and off. Three replicas are
compared with what `argosyd init` makes for three machines of their names."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from rendering import CASES, KUBERNETES, NEEDED, RENDER, rendered, yaml

PROGRAMS = pathlib.Path(sys.argv[2])


def of_kind(objects, *kinds):
    return [each for each in objects if each["kind"] in kinds]


def agent_settings(case):
    maps = of_kind(rendered(case), "ConfigMap")
    return yaml.load(maps[0]["data"]["agent.yaml"], Loader=OnceLoader)


class OnceLoader(yaml.SafeLoader):
    """Refuses a key that stands twice."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            raise AssertionError(f"a key stands twice: {keys}")
        return super().construct_mapping(node, deep)


def rights_of(roles):
    """As config/kubernetes/rights.txt writes them."""
    out = set()
    for role in roles:
        for rule in role["rules"]:
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    full = f"{resource}.{group}" if group else resource
                    out |= {f"{verb} {full}" for verb in rule["verbs"]}
    return out


def listed_rights():
    lines = (KUBERNETES / "rights.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


class Chart(unittest.TestCase):
    def test_every_object_has_a_kind_a_name_and_its_namespace(self):
        whole_cluster = {"ClusterRole", "ClusterRoleBinding", "Namespace"}
        for case in CASES:
            seen = set()
            for each in rendered(case):
                meta = each["metadata"]
                key = (each["kind"], meta.get("namespace"), meta["name"])
                self.assertNotIn(key, seen, case)
                seen.add(key)
                self.assertIn("apiVersion", each, case)
                self.assertEqual("namespace" in meta, each["kind"] not in whole_cluster, key)
                self.assertEqual(meta["labels"]["app.kubernetes.io/instance"], "argosy", key)

    def test_the_rights_are_those_that_the_code_uses(self):
        for case in ("the least", "both", "everything", "all namespaces, no policies"):
            roles = of_kind(rendered(case), "Role", "ClusterRole")
            self.assertEqual(rights_of(roles), listed_rights(), case)

    def test_who_is_impersonated_is_named_where_the_values_name_them(self):
        roles = of_kind(rendered("strict"), "ClusterRole")
        rules = [r for r in roles[0]["rules"] if r["verbs"] == ["impersonate"]]
        self.assertEqual([(r["resources"], r.get("resourceNames")) for r in rules],
                         [(["users"], None), (["groups"], ["staff", "students"])])
        self.assertEqual(rights_of(roles + of_kind(rendered("strict"), "Role")),
                         listed_rights() | {"impersonate users", "impersonate groups"})

    def test_the_namespaces_of_jobs_are_made_with_a_level_that_the_agent_keeps(self):
        for case, level, names in (("the least", "baseline", ["jobs"]),
                                   ("everything", "baseline", ["jobs", "more-jobs"]),
                                   ("strict", "restricted", ["jobs"]),
                                   ("policies by queue", None, []),
                                   ("the control plane alone", None, [])):
            made = of_kind(rendered(case), "Namespace")
            self.assertEqual([each["metadata"]["name"] for each in made], names, case)
            for each in made:
                label = each["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
                self.assertEqual(label, level)
            if level:
                self.assertEqual(agent_settings(case)["kubernetes"]["podPolicies"],
                                 [{"level": level}])
        self.assertEqual(agent_settings("policies by queue")["kubernetes"]["podPolicies"],
                         [{"queues": ["ann-*"], "level": "restricted"}])

    def test_what_the_values_say_stands_once(self):
        self.assertEqual(agent_settings("one replica")["kubernetes"]["leaderElection"], "never")
        self.assertEqual(agent_settings("the least")["kubernetes"]["leaderElection"], "always")
        for key in ("agent.kubernetes.namespaces", "agent.kubernetes.leaseName",
                    "agent.settings.nats", "argosyd.settings.grpc"):
            with self.assertRaisesRegex(RENDER.Mistake, re.escape(key)):
                RENDER.render_chart("argosy", "argosy", [*NEEDED, "argosyd.enabled=true",
                                                         f"{key}={{x}}"])

    def test_set_is_read_as_helm_reads_it(self):
        for text, values in (
                ("a={b,c}", {"a": ["b", "c"]}), ("a={}", {"a": [""]}),
                ("a={1,true}", {"a": [1, True]}),
                ("a.b=1,a.c=x", {"a": {"b": 1, "c": "x"}}), ("a[1].b=x", {"a": [None, {"b": "x"}]}),
                ("a=null", {}), ("a=012", {"a": "012"}), ("a=1.5", {"a": "1.5"}),
                (r"a\.b=x\,y", {"a.b": "x,y"}), ("a=", {"a": ""}), ("a=b=c", {"a": "b=c"})):
            out = {"a": {"z": 0}} if text == "a=null" else {}
            RENDER.Settings(text).apply(out)
            self.assertEqual(out, values, text)
        for text in ("a", "a.=1", "=1", "a={b", "a[x]=1", "a={b}c"):
            with self.assertRaises(RENDER.Mistake, msg=text):
                RENDER.Settings(text).apply({})

    def test_no_right_reaches_further_than_it_has_to(self):
        roles = {(r["kind"], r["metadata"].get("namespace")): r for r in
                 of_kind(rendered("the least"), "Role", "ClusterRole")}
        self.assertEqual(rights_of([roles["ClusterRole", None]]),
                         {"list nodes", "watch nodes", "list pods", "watch pods", "get namespaces",
                          "get persistentvolumes"})
        made = {f"{verb} {resource}" for verb in ("create", "get", "list", "watch", "delete")
                for resource in ("pods", "services", "ingresses.networking.k8s.io")}
        self.assertEqual(rights_of([roles["Role", "jobs"]]),
                         made | {"get pods/log", "get persistentvolumeclaims", "list events",
                                 "watch events"})
        lease = roles["Role", "argosy-system"]
        named = [rule for rule in lease["rules"] if rule["verbs"] != ["create"]]
        self.assertEqual([rule["resourceNames"] for rule in named], [["argosy-agent"]])
        self.assertEqual(len(roles), 3)

    def test_a_pattern_of_namespaces_has_rights_in_all_and_makes_those_that_are_named(self):
        objects = rendered("a pattern")
        whole = rights_of(of_kind(objects, "ClusterRole"))
        self.assertLessEqual({"create pods", "delete pods", "get pods/log", "create services",
                              "watch events", "get persistentvolumeclaims"}, whole)
        self.assertEqual(rights_of(of_kind(objects, "Role", "ClusterRole")), listed_rights())
        self.assertEqual([each["metadata"]["name"] for each in of_kind(objects, "Namespace")],
                         ["jobs"])
        places = {each["metadata"].get("namespace") for each in objects}
        self.assertEqual(places, {None, "jobs", "argosy-system"})
        self.assertEqual(agent_settings("a pattern")["kubernetes"]["namespaces"],
                         ["jobs", "team-*"])

    def test_bindings_name_roles_and_accounts_that_are_there(self):
        for case in CASES:
            objects = rendered(case)
            roles = {(r["kind"], r["metadata"].get("namespace"), r["metadata"]["name"])
                     for r in of_kind(objects, "Role", "ClusterRole")}
            accounts = {(a["metadata"]["namespace"], a["metadata"]["name"])
                        for a in of_kind(objects, "ServiceAccount")}
            for each in of_kind(objects, "RoleBinding", "ClusterRoleBinding"):
                to = each["roleRef"]
                self.assertIn((to["kind"], each["metadata"].get("namespace"), to["name"]), roles)
                for subject in each["subjects"]:
                    self.assertIn((subject["namespace"], subject["name"]), accounts)

    def test_pods_keep_to_the_restricted_profile_and_write_to_volumes_alone(self):
        for case in CASES:
            for each in of_kind(rendered(case), "StatefulSet"):
                spec = each["spec"]["template"]["spec"]
                self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                self.assertGreater(spec["securityContext"]["runAsUser"], 0)
                self.assertEqual(spec["securityContext"]["seccompProfile"]["type"],
                                 "RuntimeDefault")
                volumes = {v["name"] for v in spec["volumes"]}
                volumes |= {v["metadata"]["name"] for v in each["spec"]["volumeClaimTemplates"]}
                mounted = set()
                for container in spec["containers"]:
                    context = container["securityContext"]
                    self.assertTrue(context["readOnlyRootFilesystem"])
                    self.assertFalse(context["allowPrivilegeEscalation"])
                    self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
                    mounted |= {m["name"] for m in container["volumeMounts"]}
                    ports = {p["name"] for p in container["ports"]}
                    for probe in ("livenessProbe", "readinessProbe"):
                        self.assertIn(container[probe]["httpGet"]["port"], ports)
                self.assertIn("httpGet", spec["containers"][0]["startupProbe"])
                self.assertEqual(mounted, volumes)

    def test_selectors_reach_the_pods(self):
        for case in CASES:
            objects = rendered(case)
            pods = [s["spec"]["template"]["metadata"]["labels"]
                    for s in of_kind(objects, "StatefulSet")]
            for each in of_kind(objects, "Service", "PodDisruptionBudget", "NetworkPolicy",
                                "StatefulSet"):
                spec = each["spec"]
                wanted = spec.get("podSelector", spec.get("selector"))
                wanted = wanted.get("matchLabels", wanted)
                self.assertEqual(sum(wanted.items() <= labels.items() for labels in pods), 1,
                                 (case, each["kind"]))

    def test_only_the_agent_has_a_token(self):
        for each in of_kind(rendered("both"), "StatefulSet"):
            spec = each["spec"]["template"]["spec"]
            self.assertEqual(spec["automountServiceAccountToken"],
                             each["metadata"]["name"].endswith("-agent"))

    def test_the_programs_accept_their_configurations(self):
        for case in CASES:
            for each in of_kind(rendered(case), "ConfigMap"):
                for name, text in each["data"].items():
                    if name in ("nats-server.conf", "haproxy.cfg"):
                        continue
                    program = {"agent.yaml": "argosy-agent", "argosyd.yaml": "argosyd"}[name]
                    with tempfile.TemporaryDirectory() as folder:
                        file = pathlib.Path(folder) / name
                        file.write_text(text)
                        done = subprocess.run(
                            [PROGRAMS / program, "config", "check", "--config", file],
                            capture_output=True, text=True, timeout=20)
                        self.assertEqual(done.returncode, 0, f"{case}: {done.stderr}")

    def test_network_policies_let_the_nats_server_through(self):
        for each in of_kind(rendered("everything"), "NetworkPolicy"):
            ports = [p["port"] for rule in each["spec"]["egress"] for p in rule["ports"]]
            self.assertIn(14222, ports)
            self.assertEqual(16443 in ports, each["metadata"]["name"].endswith("-agent"))

    def test_what_has_no_default_is_asked_for(self):
        for left_out, said in ((0, "agent.cluster"), (1, "nats.url")):
            sets = [NEEDED[1 - left_out]]
            with self.assertRaisesRegex(RENDER.Mistake, said):
                RENDER.render_chart("argosy", "argosy", sets)

    def test_a_namespace_has_a_name(self):
        with self.assertRaisesRegex(RENDER.Mistake, "for all namespaces say --set-json"):
            RENDER.render_chart("argosy", "argosy", NEEDED + ["agent.jobNamespaces={}"])

    def test_the_renderer_refuses_what_it_does_not_know(self):
        renderer = RENDER.Renderer({"Values": {"a": [1]}})
        self.assertEqual(renderer.render('{{- range .Values.a }} {{ . }}{{- end }}'), " 1")
        self.assertEqual(renderer.render('{{ if .Values.b }}x{{ else }}y{{ end }}'), "y")
        with self.assertRaises(RENDER.Mistake):
            renderer.render("{{ tpl .Values.a }}")


PEERS = [f"argosy-argosyd-{i}.argosy-argosyd-peers.argosy-system.svc" for i in range(3)]


class Three(unittest.TestCase):
    """Three replicas of the control plane, of which any one may be lost."""

    def setUp(self):
        objects = rendered("three")
        self.set = of_kind(objects, "StatefulSet")[0]
        self.pod = self.set["spec"]["template"]["spec"]
        self.argosyd, self.nats, self.proxy = self.pod["containers"]
        self.services = {each["metadata"]["name"]: each["spec"]
                         for each in of_kind(objects, "Service")}
        self.files = of_kind(objects, "ConfigMap")[0]["data"]

    def made_by_init(self):
        """What `argosyd init` makes: the settings of the first machine and its server's."""
        tls = "/etc/argosy-nats-tls"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAMS / "argosyd", "init", folder + "/made", "--machines",
                            ",".join(PEERS), "--tls-cert", tls + "/tls.crt", "--tls-key",
                            tls + "/tls.key", "--tls-ca", tls + "/ca.crt"],
                           check=True, capture_output=True, timeout=20)
            made = pathlib.Path(folder) / "made"
            return (yaml.safe_load((made / f"argosyd.{PEERS[0]}.yaml").read_text()),
                    (made / f"nats-server.{PEERS[0]}.conf").read_text())

    def test_the_servers_are_those_of_three_machines(self):
        def lines(text):
            bare = (re.sub("#.*", "", line).strip() for line in text.splitlines())
            return {re.sub('store_dir: "[^"]*"', "store_dir", line) for line in bare if line}
        made, ours = lines(self.made_by_init()[1]), lines(self.files["nats-server.conf"])
        self.assertEqual(made - ours, {f'server_name: "{PEERS[0]}"', 'include "accounts.conf"'})
        self.assertEqual(ours - made, {"server_name: $POD_NAME", 'http: "0.0.0.0:8222"',
                                       'include "../argosy-accounts/accounts.conf"'})

    def test_the_settings_are_those_of_three_machines(self):
        made, ours = self.made_by_init()[0], yaml.safe_load(self.files["argosyd.yaml"])
        self.assertEqual(made["nats"]["url"], ours["nats"]["url"])
        self.assertEqual(made["nats"]["caFile"], ours["nats"]["caFile"])
        for key in ("replicas", "commit"):
            self.assertEqual(made["journal"][key], ours["journal"][key])
        folder = "/etc/argosy-nats/"
        self.assertEqual([ours["journal"]["keyFile"], ours["nats"]["credentialsFile"]],
                         [folder + "credentials/log.key", folder + "credentials/argosyd"])
        secret = next(v["secret"] for v in self.pod["volumes"] if v["name"] == "nats")
        self.assertEqual({each["path"] for each in secret["items"]},
                         {"credentials/log.key", "credentials/argosyd", "access.list"})

    def test_the_server_of_the_own_pod_comes_first(self):
        urls = self.argosyd["args"][self.argosyd["args"].index("--nats") + 1].split(",")
        own = "tls://$(POD_NAME)." + PEERS[0].split(".", 1)[1] + ":4222"
        self.assertEqual(urls, [own] + [f"tls://{each}:4222" for each in PEERS])
        for each in (self.argosyd, self.nats):
            self.assertIn({"name": "POD_NAME",
                           "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, each["env"])

    def test_replicas_find_one_another_before_they_are_ready(self):
        spec = self.set["spec"]
        self.assertEqual((spec["replicas"], spec["podManagementPolicy"]), (3, "Parallel"))
        self.assertEqual(spec["serviceName"], PEERS[0].split(".")[1])
        peers = self.services[spec["serviceName"]]
        self.assertEqual(peers["clusterIP"], "None")
        self.assertTrue(peers["publishNotReadyAddresses"])
        self.assertEqual([each["port"] for each in peers["ports"]], [4222, 6222])

    def test_an_update_does_not_wait_for_a_replica_to_lead(self):
        self.assertEqual(self.argosyd["readinessProbe"]["httpGet"]["path"], "/livez")
        self.assertNotIn("updateStrategy", self.set["spec"])
        budget = of_kind(rendered("three"), "PodDisruptionBudget")[0]
        self.assertEqual(budget["spec"]["maxUnavailable"], 1)

    def test_no_node_has_two_of_them(self):
        apart = self.pod["affinity"]["podAntiAffinity"]
        for each in apart["requiredDuringSchedulingIgnoredDuringExecution"]:
            self.assertEqual(each["topologyKey"], "kubernetes.io/hostname")
            self.assertEqual(each["labelSelector"], self.set["spec"]["selector"])

    def test_callers_reach_the_replica_that_leads(self):
        named = {each["name"]: each["containerPort"] for each in self.proxy["ports"]}
        config = self.files["haproxy.cfg"]
        self.assertIn("option httpchk GET /readyz\n", config)
        self.assertIn("default-server check port 9480 ", config)
        for each in self.services["argosy-argosyd"]["ports"]:
            part = config.split(f"  bind :{named[each['targetPort']]}\n")[1].split("\n", 3)[:3]
            self.assertEqual([line.split()[2] for line in part],
                             [f"{peer}.cluster.local:{each['port']}" for peer in PEERS])
        self.assertIn(f"  bind :{named['proxy-health']}\n", config)

    def test_the_proxy_accepts_its_configuration(self):
        if not shutil.which("haproxy"):
            self.skipTest("haproxy is not installed")
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(self.files["haproxy.cfg"])
            file.flush()
            done = subprocess.run(["haproxy", "-c", "-f", file.name], capture_output=True,
                                  text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_network_policy_lets_replicas_and_nobody_else_route(self):
        spec = of_kind(rendered("three"), "NetworkPolicy")[0]["spec"]
        known = {each["containerPort"] for c in self.pod["containers"] for each in c["ports"]}
        everybody, peers = spec["ingress"]
        self.assertEqual({p["port"] for p in everybody["ports"]}, known - {6222, 8222, 9482})
        self.assertEqual([p["port"] for p in peers["ports"]], [6222])
        self.assertEqual(peers["from"], [{"podSelector": self.set["spec"]["selector"]}])
        out = {p["port"] for rule in spec["egress"] for p in rule["ports"]}
        self.assertLessEqual({4222, 6222, 9480, 50051}, out)

    def test_values_are_taken(self):
        objects = rendered("three, with everything")
        argosyd = next(each for each in of_kind(objects, "StatefulSet")
                       if each["metadata"]["name"] == "argosy-argosyd")
        pod = argosyd["spec"]["template"]["spec"]
        self.assertEqual(pod["containers"][1]["image"], "nats:2.11.4")
        secrets = {v["name"]: v["secret"]["secretName"] for v in pod["volumes"] if "secret" in v}
        self.assertEqual(secrets, {"nats": "mine", "accounts": "mine", "nats-tls": "mine-tls",
                                   "grpc": "grpc-tls"})
        text = next(each["data"]["argosyd.yaml"] for each in of_kind(objects, "ConfigMap")
                    if "argosyd.yaml" in each["data"])
        self.assertEqual(yaml.load(text, Loader=OnceLoader)["journal"]["logBytesMax"], "1GiB")

    def test_one_replica_has_nothing_of_this(self):
        objects = rendered("the control plane alone")
        spec = of_kind(objects, "StatefulSet")[0]["spec"]
        pod = spec["template"]["spec"]
        self.assertEqual((spec["replicas"], spec["serviceName"]), (1, "argosy-argosyd"))
        self.assertEqual([each["readinessProbe"]["httpGet"]["path"] for each in pod["containers"]],
                         ["/readyz"])
        self.assertNotIn("affinity", pod)
        self.assertEqual(len(of_kind(objects, "Service")), 1)
        self.assertEqual(list(of_kind(objects, "ConfigMap")[0]["data"]), ["argosyd.yaml"])

    def test_no_other_number_is_taken(self):
        for number in (0, 2, 5, 13):
            with self.assertRaisesRegex(RENDER.Mistake, "argosyd.replicas: say 1, or 3"):
                RENDER.render_chart("argosy", "argosy",
                                    [*NEEDED, "argosyd.enabled=true", f"argosyd.replicas={number}"])


class Recipe(unittest.TestCase):
    """The images have the libraries that the programs need."""

    def test_the_libraries_of_the_programs_are_installed(self):
        text = (KUBERNETES / "Containerfile").read_text()
        base, agent, argosyd = (
            set(re.findall(r"\blib[\w.+-]+", text.split(f" AS {stage}\n")[1].split("\nFROM ")[0]))
            for stage in ("base", "argosy-agent", "argosyd"))
        self.assertEqual(self.packages_of("argosy-agent"), base | agent)
        self.assertEqual(self.packages_of("argosyd") | self.packages_of("argosyctl"),
                         base | argosyd)

    @staticmethod
    def packages_of(program):
        listing = subprocess.run(["readelf", "-d", PROGRAMS / program], capture_output=True,
                                 text=True, check=True).stdout
        loaded = subprocess.run(["ldd", PROGRAMS / program], capture_output=True, text=True,
                                check=True).stdout
        paths = dict(re.findall(r"(\S+) => (\S+)", loaded))
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", listing)
        files = [str(pathlib.Path(paths.get(each, each)).resolve()) for each in needed]
        # A package may name its files as they were before /lib became a link to /usr/lib.
        files += [each.removeprefix("/usr") for each in files]
        owners = subprocess.run(["dpkg", "-S", *files], capture_output=True, text=True).stdout
        # The others are in each image of Debian.
        return {line.split(":")[0] for line in owners.splitlines()} - {
            "libc6", "libgcc-s1", "libcrypt1", "libtinfo6", "zlib1g"}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
