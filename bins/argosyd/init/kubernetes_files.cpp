// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/kubernetes_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyd/init/settings_text.hpp"

namespace argosy::argosyd {

namespace {

/// The namespaces of the agent's account and of jobs.
constexpr const char* own_space = "argosy";
constexpr const char* job_space = "jobs";

/// The rights are those of config/kubernetes/rights.txt, less the lease by which replicas choose
/// one, since this agent has none; a test compares both.
constexpr const char* manifest =
    R"(# Written by `argosyd init`: the account of the agent of cluster {cluster} and its rights.
apiVersion: v1
kind: Namespace
metadata:
  name: {own}
---
# Jobs may name this namespace. It keeps their pods to the level baseline, as the agent does; the
# agent fills in a seccomp profile and drops capabilities where pods say nothing.
apiVersion: v1
kind: Namespace
metadata:
  name: {jobs}
  labels: {{pod-security.kubernetes.io/enforce: baseline}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {name}, namespace: {own}}}
automountServiceAccountToken: false
---
# The token of the account. It holds until this object is deleted.
apiVersion: v1
kind: Secret
type: kubernetes.io/service-account-token
metadata:
  name: {name}
  namespace: {own}
  annotations: {{kubernetes.io/service-account.name: {name}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:
  - {{apiGroups: [""], resources: [nodes, pods], verbs: [list, watch]}}
  - {{apiGroups: [""], resources: [namespaces], verbs: [get], resourceNames: [kube-system]}}
  - {{apiGroups: [""], resources: [persistentvolumes], verbs: [get]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}}}
subjects: [{{kind: ServiceAccount, name: {name}, namespace: {own}}}]
---
# For each further namespace of jobs: a namespace as above, and these two.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: {name}, namespace: {jobs}}}
rules:
  - {{apiGroups: [""], resources: [pods, services], verbs: [create, get, list, watch, delete]}}
  - {{apiGroups: [networking.k8s.io], resources: [ingresses],
     verbs: [create, get, list, watch, delete]}}
  - {{apiGroups: [""], resources: [pods/log, persistentvolumeclaims], verbs: [get]}}
  - {{apiGroups: [""], resources: [events], verbs: [list, watch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: {name}, namespace: {jobs}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: {name}}}
subjects: [{{kind: ServiceAccount, name: {name}, namespace: {own}}}]
)";

constexpr const char* kubeconfig =
    R"(# Written by `argosyd init`: how the agent of cluster {cluster} reaches it.
apiVersion: v1
kind: Config
current-context: agent
contexts:
  - name: agent
    context: {{cluster: cluster, user: agent, namespace: {own}}}
clusters:
  - name: cluster
    cluster:
      server: {server}
{more}users:
  - name: agent
    user:
      tokenFile: {token}
)";

std::string account_of(const std::string& cluster) {
  return "argosy-agent-" + cluster;
}

std::filesystem::path token_file(const std::string& cluster) {
  return std::filesystem::path{"credentials"} / ("kubernetes-" + cluster);
}

std::filesystem::path file_of(const std::string& cluster, const char* end) {
  return std::filesystem::path{"kubernetes"} / (cluster + end);
}

/// One word of a shell, whatever it has in it.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

}  // namespace

std::vector<init_file> kubernetes_files(const init_request& request, const std::string& cluster) {
  const auto& target = *request.kubernetes;
  std::vector<init_file> out;
  out.push_back({file_of(cluster, ".yaml"),
                 fmt::format(fmt::runtime(manifest), fmt::arg("cluster", cluster),
                             fmt::arg("name", account_of(cluster)), fmt::arg("own", own_space),
                             fmt::arg("jobs", job_space)),
                 false});
  std::string more;
  const auto authority = file_of(cluster, "-ca.pem");
  if (!target.authorities.empty()) {
    more +=
        "      certificate-authority: " + quoted_yaml((request.folder / authority).string()) + "\n";
    out.push_back({authority, target.authorities, false});
  }
  if (!target.tls_name.empty())
    more += "      tls-server-name: " + quoted_yaml(target.tls_name) + "\n";
  if (!target.proxy.empty()) more += "      proxy-url: " + quoted_yaml(target.proxy) + "\n";
  out.push_back(
      {file_of(cluster, ".kubeconfig"),
       fmt::format(fmt::runtime(kubeconfig), fmt::arg("cluster", cluster),
                   fmt::arg("own", own_space), fmt::arg("server", quoted_yaml(target.server)),
                   fmt::arg("more", more),
                   fmt::arg("token", quoted_yaml((request.folder / token_file(cluster)).string()))),
       false});
  return out;
}

std::string kubernetes_settings_text(const init_request& request, const std::string& cluster) {
  return "backend: kubernetes\nkubernetes:\n  kubeconfig: " +
         quoted_yaml((request.folder / file_of(cluster, ".kubeconfig")).string()) +
         "\n  namespaces: [" + job_space +
         "]\n  # The level of pods: baseline, restricted, or privileged, which opens the nodes.\n"
         "  podPolicies: [{level: baseline}]\n";
}

std::string how_to_apply(const init_request& request, const std::string& cluster) {
  const auto kubectl = "  kubectl --context " + shell_word(request.kubernetes->context);
  const auto token = shell_word((request.folder / token_file(cluster)).string());
  return "First give the agent of cluster " + cluster +
         " its account and its token, which holds until its\nSecret is deleted:\n" + kubectl +
         " apply -f " + shell_word((request.folder / file_of(cluster, ".yaml")).string()) + "\n" +
         "  umask 077\n" + kubectl + " get secret " + account_of(cluster) + " -n " + own_space +
         " -o go-template='{{.data.token | base64decode}}' > " + token + "\n";
}

result<void> check_kubernetes(const init_request& request) {
  if (!request.kubernetes) return {};
  if (request.clusters.size() + request.add_clusters.size() != 1)
    return fail(ec::invalid_argument,
                "--kubernetes CONTEXT is for one cluster: name it, and no other, with --cluster "
                "NAME, or with --add-cluster NAME in a folder that is there");
  const auto& name =
      request.clusters.empty() ? request.add_clusters.front() : request.clusters.front();
  constexpr std::size_t size_max = 50;
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool fits =
      !name.empty() && name.size() <= size_max && is_plain(name.front()) && is_plain(name.back()) &&
      name.find("..") == std::string::npos &&
      std::ranges::all_of(name, [&](char c) { return is_plain(c) || c == '-' || c == '.'; });
  if (fits) return {};
  return fail(ec::invalid_argument,
              "'" + name +
                  "': the name of a cluster of Kubernetes has at most 50 of the characters a-z, "
                  "0-9, '-' and '.', and begins and ends with a letter or digit");
}

}  // namespace argosy::argosyd
