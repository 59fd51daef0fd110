// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/convert.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "bins/argosy-agent/kubernetes.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/backends/container/container_backend.hpp"
#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/base/program.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::agent {

namespace {

const logging::logger process_logger{"agent"};

std::vector<model::taint> taints_of(const std::vector<settings::taint_settings>& from) {
  static constexpr std::array<const char*, 3> effects{"NoSchedule", "PreferNoSchedule",
                                                      "NoExecute"};
  std::vector<model::taint> out;
  for (const auto& taint : from)
    out.push_back({taint.key, taint.value, effects[static_cast<std::size_t>(taint.effect)]});
  return out;
}

/// The model's lists are sorted by name.
template <class Pairs>
auto sorted(const Pairs& from) {
  std::vector<std::pair<std::string, std::decay_t<decltype(from.begin()->second)>>> out{
      from.begin(), from.end()};
  std::sort(out.begin(), out.end());
  return out;
}

backends::process_config process_options(const settings::process_settings& from) {
  backends::process_config out;
  out.node_name = from.node_name;
  out.node_name_setting = "process.nodeName";
  out.capacity = sorted(from.capacity);
  out.labels = sorted(from.labels);
  out.taints = taints_of(from.taints);
  out.users.own = model::parse_id_range(from.uid_range);
  out.users.allowed_users = from.allowed_users;
  out.users.allowed_groups = from.allowed_groups;
  out.limits = from.limits;
  return out;
}

backends::simulated_config simulated_options(const settings::simulated_settings& from) {
  backends::simulated_config out;
  for (const auto& kind : from.nodes)
    out.nodes.push_back({kind.name, kind.count, sorted(kind.resources), sorted(kind.labels),
                         taints_of(kind.taints)});
  out.runs = from.runs;
  return out;
}

result<backend_maker> make_simulated_maker(const settings::agent_settings& from,
                                           const backend_ground&) {
  return backend_maker{[config = simulated_options(from.simulated)](backends::event_sink sink)
                           -> result<std::unique_ptr<backends::backend>> {
    return std::unique_ptr<backends::backend>{
        std::make_unique<backends::simulated_backend>(config, std::move(sink))};
  }};
}

/// All but what makes a backend of it.
backends::process_config processes_on(const settings::agent_settings& from,
                                      const backend_ground& ground) {
  auto config = process_options(from.process);
  config.runs_dir = ground.runs;
  config.shim = own_program().parent_path() / "argosy-shim";
  config.hidden.push_back(ground.runs.parent_path());
  config.hidden.insert(config.hidden.end(), {from.nats.token_file, from.nats.credentials_file});
  config.on_missing_protection = [](const std::string& what) {
    process_logger.warning("a protection of runs is missing", logging::kv("what", what));
  };
  return config;
}

backend_maker telling_lacks(backend_maker make) {
  return [make = std::move(make)](backends::event_sink sink) {
    auto made = make(std::move(sink));
    if (made && !(*made)->trouble().lacks.empty()) process_logger.warning((*made)->trouble().lacks);
    return made;
  };
}

result<backend_maker> make_process_maker(const settings::agent_settings& from,
                                         const backend_ground& ground) {
  return telling_lacks([config = processes_on(from, ground)](backends::event_sink sink) {
    return backends::make_process_backend(config, std::move(sink));
  });
}

result<backend_maker> make_container_maker(const settings::agent_settings& from,
                                           const backend_ground& ground) {
  const backends::container_config images{from.container.rules,
                                          ground.runs.parent_path() / "images"};
  return telling_lacks([config = processes_on(from, ground), images](backends::event_sink sink) {
    return backends::make_container_backend(config, images, std::move(sink));
  });
}

/// In the order of settings::known_backends.
constexpr std::array makers{make_process_maker, make_simulated_maker, make_kubernetes_maker,
                            make_container_maker};
static_assert(makers.size() == settings::known_backends.size());

}  // namespace

result<backend_maker> make_backend_maker(const settings::agent_settings& from,
                                         const backend_ground& ground) {
  return makers[static_cast<std::size_t>(from.backend)](from, ground);
}

ledger::executor_config executor_rules(const settings::agent_settings& from) {
  ledger::executor_config out;
  out.heartbeat = from.heartbeat;
  out.reports_per_batch = from.reports_per_batch;
  out.lapse = from.backend == settings::backend_kind::kubernetes && from.kubernetes.lapse;
  return out;
}

result<std::optional<access::order_checker>> make_order_checker(
    const settings::agent_settings& settings) {
  std::vector<std::string> keys;
  if (!settings.nats.credentials_file.empty()) {
    auto own = access::read_credentials(settings.nats.credentials_file);
    if (!own) return fail(ec::invalid_argument, "nats.credentialsFile: " + own.error().detail);
    keys = std::move(own->order_keys);
  }
  if (keys.empty()) {
    process_logger.warning(
        "orders are not checked: whoever may publish on the subjects of this agent can start "
        "runs; a line 'order-key: U...' in nats.credentialsFile names whose orders are obeyed",
        logging::kv("cluster", settings.cluster));
    return std::nullopt;
  }
  auto made = access::order_checker::of_keys(keys);
  if (!made) return fail(std::move(made.error()));
  process_logger.info("only signed orders are obeyed", logging::kv("cluster", settings.cluster),
                      logging::kv("keys", keys.size()));
  return std::move(*made);
}

}  // namespace argosy::agent
