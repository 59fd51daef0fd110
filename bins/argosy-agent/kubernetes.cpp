// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/kubernetes.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "bins/argosy-agent/metered_api.hpp"
#include "bins/argosy-agent/pod_defaults.hpp"
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
#include "runtime/kube/credentials/in_cluster.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "runtime/kube/lease/fenced_api.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::agent {

namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

backends::kubernetes_config options_of(const settings::agent_settings& from,
                                       const std::filesystem::path& runs,
                                       const std::string& control_plane) {
  const auto& own = from.kubernetes;
  backends::kubernetes_config out;
  out.cluster = from.cluster;
  out.control_plane = control_plane;
  out.rules = own.rules;
  for (const auto& each : own.pod_defaults) out.defaults.push_back(defaults_of(each));
  if (!own.kubeconfig.empty())
    out.address_place =
        "kubernetes.kubeconfig, '" + own.kubeconfig + "', which is read anew when it changes";
  out.state_dir = runs;
  return out;
}

}  // namespace

kube::access_origin origin_of(const settings::kubernetes_backend_settings& from) {
  kube::access_origin out;
  if (from.kubeconfig.empty()) return out;
  for (const auto path : std::views::split(from.kubeconfig, ':'))
    if (!path.empty()) out.files.emplace_back(path.begin(), path.end());
  out.read = [from] { return access_of(from); };
  return out;
}

result<kube::cluster_access> access_of(const settings::kubernetes_backend_settings& from) {
  if (from.kubeconfig.empty()) {
    auto own = kube::in_cluster_access(variable);
    if (own) return own;
    return fail(
        ec::invalid_argument,
        "kubernetes.kubeconfig names no file, and the agent is in no pod: " + own.error().detail);
  }
  std::vector<kube::kubeconfig_file> files;
  std::string missing;
  for (const auto path : std::views::split(from.kubeconfig, ':')) {
    std::string name{path.begin(), path.end()};
    if (name.empty()) continue;
    auto text = settings::read_file(name);
    if (text)
      files.push_back({std::move(name), std::move(*text)});
    else if (text.error().code != ec::not_found)
      return fail(ec::invalid_argument, "kubernetes.kubeconfig: " + text.error().detail);
    else if (missing.empty())
      missing = text.error().detail;
  }
  // Some of several files may be missing, as kubectl has it.
  if (files.empty()) return fail(ec::invalid_argument, "kubernetes.kubeconfig: " + missing);
  return kube::read_kubeconfigs(files, {from.context});
}

result<backend_maker> make_kubernetes_maker(const settings::agent_settings& from,
                                            const backend_ground& ground) {
  auto options = options_of(from, ground.runs, ground.control_plane);
  const auto& own = from.kubernetes;
  const auto access = access_of(own);
  if (!access) return fail(access.error());
  kube::https_options requests;
  requests.qps = own.qps;
  requests.burst = own.burst;
  const auto& clock = system_clock_source();
  auto api = kube::make_https_api(*access, requests, clock, system_random{}.next(), origin_of(own));
  if (!api) return fail(std::move(api.error()));
  std::shared_ptr<kube::api> server{std::move(*api)};
  server =
      make_metered_api(std::move(server), ground.probes->get<probes::kube_probe>(clock), clock);
  if (ground.limit) server = kube::make_fenced_api(std::move(server), ground.limit, clock);
  using made_backend = result<std::unique_ptr<backends::backend>>;
  return backend_maker{[options, server](backends::event_sink sink) -> made_backend {
    auto made = backends::make_kubernetes_backend(options, server, std::move(sink));
    if (!made) return fail(std::move(made.error()));
    return std::unique_ptr<backends::backend>{std::move(*made)};
  }};
}

}  // namespace argosy::agent
