// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/convert.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::agent {

namespace {

std::vector<model::taint> taints_of(const std::vector<settings::taint_settings>& from) {
  static constexpr std::array<const char*, 3> effects{"NoSchedule", "PreferNoSchedule",
                                                      "NoExecute"};
  std::vector<model::taint> out;
  for (const auto& taint : from)
    out.push_back({taint.key, taint.value, effects[static_cast<std::size_t>(taint.effect)]});
  return out;
}

/// Lists of the model are sorted by name.
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
  out.capacity = sorted(from.capacity);
  out.labels = sorted(from.labels);
  out.taints = taints_of(from.taints);
  out.output_max = static_cast<std::int64_t>(from.output_max.bytes);
  out.keep_runs_max = from.keep_runs_max;
  out.keep_bytes_max = static_cast<std::int64_t>(from.keep_bytes_max.bytes);
  return out;
}

backends::simulated_config simulated_options(const settings::simulated_settings& from) {
  backends::simulated_config out;
  for (const auto& kind : from.nodes)
    out.nodes.push_back({kind.name, kind.count, sorted(kind.resources), sorted(kind.labels),
                         taints_of(kind.taints)});
  out.runs.start_delay = from.start_delay;
  out.runs.runtime = from.run_time;
  out.runs.runtime_spread = from.run_time_spread;
  out.runs.failure_rate = from.failure_rate;
  out.runs.seed = from.seed;
  return out;
}

}  // namespace

backend_maker make_backend_maker(const settings::agent_settings& from,
                                 const std::filesystem::path& runs) {
  if (from.backend == settings::backend_kind::simulated)
    return [config = simulated_options(from.simulated)](
               backends::event_sink sink) -> result<std::unique_ptr<backends::backend>> {
      return std::unique_ptr<backends::backend>{
          std::make_unique<backends::simulated_backend>(config, std::move(sink))};
    };
  auto config = process_options(from.process);
  config.runs_dir = runs;
  std::error_code ignored;
  config.shim =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "argosy-shim";
  return [config](backends::event_sink sink) {
    return backends::make_process_backend(config, std::move(sink));
  };
}

logging::options logging_options(const settings::logging_settings& from) {
  logging::options out;
  out.minimum = static_cast<logging::level>(from.level);
  out.format = static_cast<logging::line_format>(from.format);
  out.lines_per_second = from.lines_per_second;
  out.file = from.file;
  for (const auto& [component, name] : from.components)
    if (const auto level = logging::parse_level(name)) out.components[component] = *level;
  return out;
}

std::string with_token(const std::string& urls, const std::string& token) {
  std::istringstream in{urls};
  std::string out;
  for (std::string url; std::getline(in, url, ',');) {
    const auto scheme = url.find("://");
    const auto host = scheme == std::string::npos ? 0 : scheme + 3;
    if (!token.empty() && url.find('@') == std::string::npos) url.insert(host, token + "@");
    out += (out.empty() ? "" : ",") + url;
  }
  return out;
}

result<bus::nats_settings> nats_options(const settings::agent_settings& from) {
  bus::nats_settings out;
  std::string token;
  if (!from.nats.token_file.empty()) {
    auto text = settings::read_file(from.nats.token_file);
    if (!text) return fail(std::move(text.error()));
    token = text->substr(0, text->find_first_of("\r\n"));
  }
  out.url = with_token(from.nats.url, token);
  out.name = "argosy-agent/" + from.cluster;
  out.connect_timeout = from.nats.connect_timeout;
  out.ping_interval = from.nats.ping_interval;
  out.pings_out = static_cast<int>(from.nats.pings_out_max);
  return out;
}

ledger::executor_config executor_rules(const settings::agent_settings& from) {
  ledger::executor_config out;
  out.heartbeat = from.heartbeat;
  out.reports_per_batch = from.reports_per_batch;
  return out;
}

}  // namespace argosy::agent
