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
#include "bins/argosy-agent/pod_trouble.hpp"
#include "bins/shared/ending.hpp"
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/random.hpp"
#include "runtime/kube/credentials/in_cluster.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "runtime/kube/lease/fenced_api.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::agent {

namespace {

const logging::logger cluster_logger{"agent"};

/// A cluster that answers later than this is told of.
constexpr boot_time quiet_wait = std::chrono::seconds{3};
constexpr std::chrono::milliseconds list_slice{200};

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
  out.namespaces = own.namespaces;
  out.placement = own.placement == settings::pod_placement::node_name
                      ? backends::pod_placement::node_name
                      : backends::pod_placement::selector;
  out.node_label = own.node_label;
  out.tracked_labels = own.tracked_labels;
  out.priority_class = own.priority_class;
  out.policies = own.pod_policies;
  for (const auto& each : own.pod_defaults) out.defaults.push_back(defaults_of(each));
  out.count_other_pods = own.count_other_pods;
  out.ingresses.host_suffix = own.ingress_host_suffix;
  out.ingresses.certificate_suffix = own.ingress_certificate_suffix;
  out.ingresses.class_name = own.ingress_class;
  out.ingresses.annotations.insert(own.ingress_annotations.begin(), own.ingress_annotations.end());
  out.pods.impersonate = own.impersonate_users;
  out.pods.save_output = own.kept_output_per_run.bytes;
  out.kept_output_max = own.kept_output_max.bytes;
  out.state_dir = runs;
  out.follow_events = own.trouble.follow_events;
  set_trouble(own.trouble, out.pods);
  out.pods.keep = own.keep_pods;
  out.pods.keep_max = own.keep_pods_max;
  return out;
}

/// Waits until the API server has told of nodes and pods, however long it is silent. `place` says
/// where its address stands. Returns false if the process is to stop instead.
result<bool> await_cluster(backends::kubernetes_backend& backend, const std::string& place,
                           const std::function<void(std::string)>& tell) {
  const auto tell_at = backends::boot_now() + quiet_wait;
  for (bool told = false;;) {
    const auto listed = backend.await_lists(list_slice);
    if (listed) return true;
    const auto& why = listed.error();
    if (why.code != ec::unreachable && why.code != ec::timeout) return fail(why);
    tell(why.detail + place);
    if (!told && backends::boot_now() >= tell_at) {
      told = true;
      cluster_logger.warning("the cluster does not answer yet; trying on",
                             logging::kv("error", to_string(why) + place));
    }
    if (stop_wanted()) return false;
  }
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
  // It tells nothing before it has adopted runs, which is after its owner has taken it.
  const auto to = std::make_shared<backends::event_sink>();
  auto made = backends::make_kubernetes_backend(
      std::move(options), std::move(server),
      [to](std::vector<backends::run_event> events) { (*to)(std::move(events)); });
  if (!made) return fail(std::move(made.error()));
  const auto place = own.kubeconfig.empty()
                         ? std::string{}
                         : "; its address stands in kubernetes.kubeconfig, '" + own.kubeconfig +
                               "', which is read anew when it changes";
  const auto there = await_cluster(**made, place, ground.tell_trouble);
  if (!there) return fail(there.error());
  if (!*there) return backend_maker{};
  const auto held = std::make_shared<std::unique_ptr<backends::backend>>(std::move(*made));
  return backend_maker{
      [to, held](backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
        *to = std::move(sink);
        return std::move(*held);
      }};
}

}  // namespace argosy::agent
