// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/in_cluster.hpp"

#include "runtime/kube/credentials/server_url.hpp"
#include "runtime/kube/credentials/watched_file.hpp"

namespace argosy::kube {

result<cluster_access> in_cluster_access(const variable_lookup& variable,
                                         const std::string& folder) {
  const auto host = variable("KUBERNETES_SERVICE_HOST").value_or("");
  const auto port = variable("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty())
    return fail(
        ec::not_found,
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod "
        "of a cluster; name a kubeconfig file");
  const bool v6 = host.find(':') != std::string::npos;
  const auto url = read_server_url("https://" + (v6 ? "[" + host + "]" : host) + ":" + port);
  if (!url)
    return fail(ec::invalid_argument,
                "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " + url.error().detail);
  cluster_access out{.server = url->text()};
  out.token.file = folder + "/token";
  out.authorities.file = folder + "/ca.crt";
  for (const auto& file : {out.token.file, out.authorities.file})
    if (const auto there = watched_file{file}.read(); !there)
      return fail(ec::not_found,
                  there.error().detail +
                      "; give the pod a service account (automountServiceAccountToken: true) or "
                      "name a kubeconfig file");
  out.space = watched_file{folder + "/namespace"}.read().value_or("");
  while (!out.space.empty() && out.space.back() <= ' ') out.space.pop_back();
  return out;
}

}  // namespace argosy::kube
