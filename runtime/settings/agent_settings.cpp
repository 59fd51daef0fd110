// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent_settings.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "runtime/model/process_plan.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto backend_names = [] {
  std::array<std::string_view, known_backends.size()> out;
  std::ranges::transform(known_backends, out.begin(), &backend_entry::name);
  return out;
}();

/// The kernel takes the greatest number for "no change".
rule<id_list> user_ids() {
  return [](const id_list& ids) -> complaint {
    if (std::find(ids.begin(), ids.end(), UINT32_MAX) == ids.end()) return std::nullopt;
    return "must be ids below 4294967295";
  };
}

rule<std::string> id_range_or_nothing() {
  return [](const std::string& text) -> complaint {
    if (!text.empty() && !model::parse_id_range(text))
      return "must be a range of user ids above 0, for example 2000000-2065535, or empty";
    return std::nullopt;
  };
}

/// argosyd takes no other names of nodes.
rule<std::string> node_name_or_nothing() {
  return [](const std::string& text) -> complaint {
    if (text.size() > 253 || text.find('/') != std::string::npos)
      return "must have at most 253 characters and no '/'";
    return std::nullopt;
  };
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

std::string backends_text() {
  std::string out;
  for (const auto& [name, what] : known_backends)
    out.append(out.empty() ? "" : ", ").append(name).append(" ").append(what);
  return out;
}

std::span<const std::string_view> enum_names(backend_kind) {
  return backend_names;
}

void describe(field_table& table, process_settings& item) {
  table.section("process", "Backend process: this machine is the one node of the cluster.");
  table.value("process.nodeName", item.node_name,
              "The name of the node. Empty means the name that the machine had when the agent "
              "first used its data directory. Another name counts from the first start on at which "
              "no run goes on.",
              node_name_or_nothing());
  table.value("process.capacity", item.capacity,
              "What the node offers, for example {cpu: 4, memory: 8Gi}. A resource that is not "
              "named has the amount that the machine has. Name less to keep something for other "
              "programs, and name GPUs, which are not found by themselves.");
  table.value("process.labels", item.labels,
              "Labels of the node that jobs may select by, for example {rack: r7}.");
  table.value("process.taints", item.taints,
              "Taints of the node that keep jobs away which do not tolerate them: [{key: KEY, "
              "value: VALUE, effect: NoSchedule}].");
  table.value(
      "process.uidRange", item.uid_range,
      "From these user ids each run gets one of its own while it lives, if the agent runs as "
      "root. They must not belong to anybody else, also not to containers. If it is empty, "
      "runs are executed as the agent's own user, and then nothing keeps a run from "
      "changing what the agent may change.",
      id_range_or_nothing());
  table.value(
      "process.allowedUsers", item.allowed_users,
      "The user ids that jobs may ask for (podSpec.securityContext.runAsUser), for example "
      "[1000]. A job that asks for another one fails. List 0 only if everybody who may "
      "submit jobs may be root on this machine. Containers, which have no rights of root, may "
      "be user and group 0, and what their images name unless they are shown files of the "
      "machine (hostPath).",
      user_ids());
  table.value("process.allowedGroups", item.allowed_groups,
              "The group ids that jobs may ask for (podSpec.securityContext.runAsGroup).",
              user_ids());
  table.value(
      "process.pidsMax", item.limits.pids_max,
      "How many processes and threads a run may have at a time; 0 means any number. It holds where "
      "cgroups count processes or the run has a user of its own.");
  table.value("process.diskReserve", item.limits.disk_reserve,
              "Runs are not started while the file system of dataDir has less room than this, so "
              "that the agent can still note what happens to those that run. Then folders of runs "
              "that have ended are removed, and if that is not enough, the run that stores the "
              "most is ended; its job counts as lost. 0 turns this off.");
  table.value("process.storageMax", item.limits.storage_max,
              "How much a run may store in its working directory and its output if its job does "
              "not say so (ephemeral-storage). A run that stores more fails with the reason "
              "StorageExceeded. 0 means any amount.");
  table.value("process.filesMax", item.limits.files_max,
              "How many files and folders a run may have in its working directory; 0 means any "
              "number.");
  table.value("process.outputMax", item.limits.output_max,
              "How much of a run's output is kept: half of it for its beginning, the rest for "
              "its end. What is missing between them is told.");
  table.value("process.keepRunsMax", item.limits.keep_runs_max,
              "How many folders of runs that have ended are kept. The oldest go first, and their "
              "output with them.");
  table.value("process.keepBytesMax", item.limits.keep_bytes_max,
              "How much output of runs that have ended is kept in all. The oldest goes first.");
}

void describe(field_table& table, simulated_settings& item) {
  table.section("simulated",
                "Backend simulated: virtual nodes on which jobs only take time. It is for trying "
                "out how a configuration schedules.");
  table.value("simulated.nodes", item.nodes,
              "Kinds of nodes, each with name (to which a number is appended), count (1 to "
              "1000000), resources, labels and taints: [{key, value, effect}].");
  table.endless("simulated.startDelay", item.runs.start_delay,
                "How long it takes from a job's lease to its start.");
  table.endless("simulated.runTime", item.runs.runtime,
                "How long a job runs. A job may ask for another time by its annotation "
                "argosy.io/simRuntime.");
  table.value("simulated.runTimeSpread", item.runs.runtime_spread,
              "By which part of its run time a job runs longer or shorter at random, 0.0 to 1.0.",
              between(0.0, 1.0));
  table.value("simulated.failureRate", item.runs.failure_rate,
              "The part of the jobs that fail at random, 0.0 to 1.0.", between(0.0, 1.0));
  table.value("simulated.seed", item.runs.seed,
              "The number from which all that is random follows, so that a trial can be repeated.");
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
              "The name of this cluster: 1 to 253 characters of a-z, 0-9, '-' and '.', and at "
              "most 63 with backend kubernetes. No two agents may have the same name. --cluster "
              "may give it instead; there is no default.",
              std::move(cluster));
  table.value("pool", item.pool,
              "The pool to which the nodes of this cluster belong. Jobs are scheduled within a "
              "pool.",
              resource_name());
  table.value("backend", item.backend, "How jobs are run: " + backends_text() + ".");
  table.value("dataDir", item.data_dir,
              "The directory for what the agent must remember, and for the files and output of "
              "runs. Put it on a local disk that survives a power cut, and never copy it to "
              "another machine. Only one agent at a time may use it.",
              not_empty());
  table.value("heartbeat", item.heartbeat,
              "How often the agent tells argosyd that it is there, from 50ms to 1h. It counts "
              "only until argosyd has answered for the first time; from then on agents.heartbeat "
              "of argosyd counts.",
              between<milliseconds>(50ms, 1h));
  table.value(
      "reportsPerBatch", item.reports_per_batch,
      "How many reports about runs are sent together at most, 1 to 100000. So many are "
      "sent without delay. Fewer are too, after a rest; while there are new ones all the time, "
      "they are sent ten times a second.",
      between<std::uint32_t>(1, 100'000));
  describe_nats(table, item.nats);
  std::apply([&](auto&... each) { (describe(table, each), ...); }, item.of_backends());
  describe_health(table, item.health);
  describe_logging(table, item.logging);
  describe_tracing(table, item.tracing);
}

void check(const agent_settings& item, problem_list& problems) {
  check_kubernetes(item.kubernetes, problems);
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
  constexpr std::size_t label_size_max = 63;
  if (item.backend == backend_kind::kubernetes && item.cluster.size() > label_size_max)
    problems.emplace_back(
        "cluster has more than 63 characters, which backend kubernetes takes as no name, since "
        "pods carry it as a label");
}

}  // namespace argosy::settings
