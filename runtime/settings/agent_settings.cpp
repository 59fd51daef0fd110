// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent_settings.hpp"

#include <array>
#include <set>

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::array<std::string_view, 3> backend_names{"process", "simulated", "kubernetes"};

void describe_process(field_table& table, process_settings& item) {
  table.section("process", "Backend process: this machine is the one node.");
  table.value("process.nodeName", item.node_name, "Empty: the machine's name.");
  table.value("process.capacity", item.capacity,
              "Amounts that replace what the machine has, for example {cpu: 4, memory: 8Gi}.");
  table.value("process.labels", item.labels, "Labels of the node.");
  table.value("process.taints", item.taints,
              "Taints of the node: [{key: KEY, value: VALUE, effect: NoSchedule}].");
  table.value("process.outputMax", item.output_max, "Output that is kept of one run.");
  table.value("process.keepRunsMax", item.keep_runs_max, "Folders of ended runs that are kept.");
  table.value("process.keepBytesMax", item.keep_bytes_max, "And the output in them, in all.");
}

void describe_simulated(field_table& table, simulated_settings& item) {
  table.section("simulated", "Backend simulated: virtual nodes on which jobs only take time.");
  table.value("simulated.nodes", item.nodes,
              "Kinds of nodes: name (to which a number is appended), count, resources, labels, "
              "taints: [{key, value, effect}].");
  table.value("simulated.startDelay", item.start_delay, "From a job's lease to its start.");
  table.value("simulated.runTime", item.run_time,
              "How long a job runs; its annotation argosy.io/simRuntime comes first.");
  table.value("simulated.runTimeSpread", item.run_time_spread,
              "Part of the run time by which it varies at random, up and down.", between(0.0, 1.0));
  table.value("simulated.failureRate", item.failure_rate, "Part of the jobs that fail at random.",
              between(0.0, 1.0));
  table.value("simulated.seed", item.seed, "From which all that is random follows.");
}

}  // namespace

simulated_settings::simulated_settings() {
  node_template kind;
  kind.name = "node";
  kind.resources = {{"cpu", 32'000},
                    {"memory", std::int64_t{256} << 30},
                    {"ephemeral-storage", std::int64_t{1} << 40}};
  nodes = {kind};
}

std::span<const std::string_view> enum_names(backend_kind) {
  return backend_names;
}

void describe(field_table& table, node_template& item) {
  table.value("name", item.name, "", resource_name());
  table.value("count", item.count, "", between<std::uint32_t>(1, 1'000'000));
  table.value("resources", item.resources, "");
  table.value("labels", item.labels, "");
  table.value("taints", item.taints, "");
}

void describe(field_table& table, agent_settings& item) {
  rule<std::string> cluster = [](const std::string& name) -> complaint {
    return name.empty() ? std::nullopt : resource_name()(name);
  };
  table.value("cluster", item.cluster,
              "The name of this cluster, unique among all; --cluster may give it instead.",
              std::move(cluster));
  table.value("pool", item.pool, "The pool to which its nodes belong.", resource_name());
  table.value("backend", item.backend, "process, simulated or kubernetes.");
  table.value(
      "dataDir", item.data_dir,
      "What the agent must remember, and the files of runs. One agent at a time may use it.",
      not_empty());
  table.value("heartbeat", item.heartbeat,
              "How often it says that it is there, until argosyd has told its agents.heartbeat.",
              between<milliseconds>(50ms, 1h));
  table.value("reportsPerBatch", item.reports_per_batch, "Reports that are sent together.",
              between<std::uint32_t>(1, 100'000));
  describe_nats(table, item.nats);
  describe_process(table, item.process);
  describe_simulated(table, item.simulated);
  describe_health(table, item.health);
  describe_logging(table, item.logging);
  describe_tracing(table, item.tracing);
}

void check(const agent_settings& item, problem_list& problems) {
  std::set<std::string> names;
  for (const auto& kind : item.simulated.nodes) {
    if (kind.name.empty()) problems.emplace_back("simulated.nodes has an item without a name");
    if (kind.resources.empty())
      problems.push_back("simulated.nodes: '" + kind.name +
                         "' needs resources, for example {cpu: 32, memory: 256Gi}");
    if (!names.insert(kind.name).second)
      problems.push_back("simulated.nodes names '" + kind.name + "' twice");
  }
  if (item.backend == backend_kind::simulated && item.simulated.nodes.empty())
    problems.emplace_back("simulated.nodes is empty; backend simulated needs at least one kind");
}

}  // namespace argosy::settings
