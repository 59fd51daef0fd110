// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/argosyd_settings.hpp"

#include <algorithm>

#include "runtime/model/quantity.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::uint64_t kibi = 1 << 10;
constexpr std::uint64_t mebi = 1 << 20;

complaint check_replicas(const std::uint32_t& count) {
  if (count == 1 || count == 3 || count == 5) return std::nullopt;
  return "must be 1, 3 or 5";
}

void describe_cycle(field_table& table, ledger::cycle_times& item) {
  table.section("cycle", "When rounds of scheduling take place.");
  table.value("cycle.period", item.period, "At the latest after this.",
              between<boot_time>(10ms, 1h));
  table.value("cycle.minGap", item.gap_min,
              "New work or room wakes a cycle earlier, but never within this time of the last.",
              between<boot_time>(1ms, 1h));
  table.value("cycle.roundTimeout", item.round_timeout,
              "A round that takes longer counts as failed; its plan is thrown away.",
              at_least<milliseconds>(100ms));
}

void describe_journal(field_table& table, journal_settings& item) {
  table.section("journal", "The log in which every change is written before it is answered.");
  table.value("journal.batchBytes", item.limits.batch_bytes_max,
              "Changes that wait meanwhile are written together, up to so much; more only where a "
              "single request needs it.",
              between<byte_size>({4 * kibi}, {8 * mebi}));
  table.value("journal.waitingBytesMax", item.limits.waiting_bytes_max,
              "When more waits to be written, new requests are refused as overload.",
              at_least<byte_size>({mebi}));
  table.value("journal.publishTimeout", item.publish_timeout,
              "After which a write counts as failed.", at_least<milliseconds>(100ms));
  table.value("journal.replicas", item.replicas,
              "Copies of the log in a NATS cluster: 1, or 3 or 5 to survive the loss of servers. "
              "It must agree with a log that exists; that one's copies are changed with the nats "
              "program.",
              rule<std::uint32_t>{check_replicas});
  table.value("journal.logBytesMax", item.log_bytes_max,
              "Size of the log on disk; when it is full nothing new is accepted.",
              at_least<byte_size>({mebi}));
}

void describe_store(field_table& table, argosyd_settings& item) {
  table.section("store", "The state on this machine's disk (LMDB), rebuilt from the log if lost.");
  table.value("store.mapSize", item.store_map_size,
              "Address space for the store and the most that it can grow to; not allocated ahead.",
              at_least<byte_size>({16 * mebi}));
  table.value("store.eventRetention", item.retention.events,
              "How long events of job sets can be read.", at_least<boot_time>(1min));
  table.value("store.jobRetention", item.retention.jobs, "How long ended jobs can be asked for.",
              at_least<boot_time>(1min));
}

void describe_leases(field_table& table, argosyd_settings& item) {
  table.section("leases", "For how long an agent may run jobs without hearing from argosyd.");
  table.value("leases.length", item.clusters.lease,
              "An agent that has not reached argosyd for so long ends its runs. Tests use 2s.",
              between<boot_time>(100ms, 7 * 24h));
  table.value("leases.clockDrift", item.clusters.clock_drift,
              "By how much an agent's clock may be wrong, as a part.", between(0.0, 0.5));
  table.value("leases.killGrace", item.clusters.kill_grace,
              "How long the end of a run may take once its lease has passed. Longer grace periods "
              "of jobs are cut to this, so that a run never lives beside its successor; the longer "
              "it is, the later such jobs are placed again.",
              between<boot_time>(0ms, 24h));
  table.value("leases.margin", item.clusters.margin,
              "Added to all that before a job is placed again.");
  table.value("leases.onExpiry", item.queues.on_lease_expiry,
              "What becomes of a job whose lease was lost: requeueAfterLease, "
              "requeueAfterConfirmation (waits for the agent's word), or fail. A job may ask for "
              "another by its annotation argosy.io/onLeaseExpiry; one with "
              "argosy.io/keepOnDisconnect: \"true\" is not killed and waits for the agent.");
  table.value("leases.returnsMax", item.queues.returns_max,
              "So many runs of a job may come back unstarted; the next one fails the job.");
}

void describe_agents(field_table& table, argosyd_settings& item) {
  table.section("agents", "The worker clusters' agents.");
  table.value("agents.heartbeat", item.clusters.heartbeat,
              "How often an agent says that it is there.", between<boot_time>(50ms, 1h));
  table.value("agents.silenceMax", item.clusters.silence_max,
              "Without a word for so long, an agent's nodes take no new jobs.",
              between<boot_time>(100ms, 24h));
  table.value("agents.resendAfter", item.clusters.resend_after,
              "Orders that were not confirmed are sent again after this.",
              at_least<boot_time>(50ms));
  table.value("agents.comparePeriod", item.clusters.compare,
              "How often both sides compare their lists of runs.", at_least<boot_time>(100ms));
  table.value("agents.quarantineThreshold", item.nodes.quarantine_threshold,
              "A node whose share of failed runs reaches this takes no new jobs; above 1.0: never.",
              at_least(0.0));
  table.value("agents.quarantinePeriod", item.nodes.quarantine_period,
              "After which such a node is tried again.", at_least<boot_time>(1s));
}

void describe_leader(field_table& table, ledger::leader_times& item) {
  table.section("leader", "How the argosyd that leads makes sure that it still may.");
  table.value("leader.heartbeat", item.heartbeat, "How often it looks whether it was held up.",
              between<milliseconds>(50ms, 1min));
  table.value("leader.takeover", item.takeover,
              "Held up for so long it stands down, since another may have claimed the lead.",
              between<milliseconds>(200ms, 1h));
}

void describe_api_limits(field_table& table, argosyd_settings& item) {
  table.section("api", "What requests of users are held to, and what they get if they are silent.");
  table.value("api.requestBytesMax", item.api.limits.request_bytes_max,
              "Of one request; not above NATS's max_payload.",
              between<byte_size>({64 * kibi}, {64 * mebi}));
  table.value("api.jobsPerRequestMax", item.api.jobs_per_request_max, "",
              at_least<std::uint32_t>(1));
  table.value("api.podSpecBytesMax", item.api.pod_spec_bytes_max, "Of one encoded pod spec.",
              at_least<std::uint32_t>(256));
  table.value("api.jobSetBytesMax", item.api.job_set_bytes_max, "Of a job set's id.",
              between<std::uint32_t>(1, 1'023));
  table.value("api.clientIdBytesMax", item.api.client_id_bytes_max, "",
              between<std::uint32_t>(1, 1'000));
  table.value("api.reasonBytesMax", item.api.limits.reason_bytes_max,
              "Of the reason given for a cancel.", between<std::uint32_t>(1, 10'000));
  table.value("api.metadataBytesMax", item.api.metadata_bytes_max,
              "Of all labels and annotations of a job.", at_least<byte_size>({kibi}));
  table.value("api.liveJobsPerQueueMax", item.queues.live_jobs_max,
              "Jobs of a queue that have not ended.", at_least<std::size_t>(1));
  table.value(
      "api.gangCardinalityMax", item.queues.gang_cardinality_max,
      "Members of a gang. All its leases are one record of the log, so that gangs of more than "
      "about 6000 are refused whatever is set here.",
      at_least<std::uint32_t>(1));
  table.value("api.watchesMax", item.api.limits.watches_max, "Open event streams.",
              at_least<std::uint32_t>(1));
  table.value("api.queryItemsMax", item.api.limits.query_items_max, "Jobs that one query may name.",
              at_least<std::uint32_t>(1));
  table.value("api.clientIdRetention", item.retention.client_ids,
              "For how long a repeated client id is recognised.", at_least<boot_time>(1min));
}

void describe_api_jobs(field_table& table, api_settings& item) {
  table.value("api.minTerminationGracePeriod", item.grace_min,
              "The shortest grace period; jobs with none or 0 get this.",
              at_least<milliseconds>(1s));
  table.value("api.maxTerminationGracePeriod", item.grace_max, "", at_least<milliseconds>(1s));
  table.value("api.minJobResources", item.requests_min, "The least that a container may request.");
  table.value("api.maxOversubscriptionByResourceRequest", item.oversubscription_max,
              "Limit over request that is allowed, by resource; 1.0, that is equal, unless named.");
  table.value("api.assertInitContainersRequestFractionalCpu", item.init_cpu_fractional,
              "Refuse init containers that ask for whole cores.");
  table.value("api.allowedPriorityClassNames", item.priority_classes,
              "Those of scheduling.priorityClasses that jobs may name; empty for all.");
  table.value("api.restrictedTolerationKeys", item.restricted_toleration_keys,
              "Keys of taints that jobs may not tolerate.");
  table.value("api.defaultJobLimits", item.default_requests,
              "Requests and limits of a container that names neither, by resource.");
  table.value("api.defaultActiveDeadline", item.default_deadline,
              "How long a job may run that sets no deadline.", at_least<milliseconds>(1s));
  table.value("api.defaultActiveDeadlineByResourceRequest", item.default_deadline_by_resource,
              "The same for jobs that request the resource; the longest counts.");
  table.value("api.defaultJobTolerations", item.default_tolerations, "Added to every job.");
  table.value("api.defaultJobTolerationsByPriorityClass", item.tolerations_by_class,
              "[{name: CLASS, tolerations: [{key, operator, value, effect}]}].");
  table.value("api.defaultJobTolerationsByResourceRequest", item.tolerations_by_resource,
              "[{name: RESOURCE, tolerations: [...]}].");
  table.value("api.addGangIdLabel", item.add_gang_id_label,
              "Copy the gang id into a label of the pod.");
}

std::vector<std::string> holders(const std::vector<named_tolerations>& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

/// What is said of resources names such as jobs may request.
void check_requests(const argosyd_settings& item, problem_list& problems) {
  const api_settings usual;
  const auto check_list = [&](const char* key, const auto& list, const auto& usual_list) {
    check_resources(item.scheduling, std::string{"api."} + key, names_of(list),
                    names_of(usual_list), problems);
  };
  const auto& api = item.api;
  check_list("minJobResources", api.requests_min, usual.requests_min);
  check_list("maxOversubscriptionByResourceRequest", api.oversubscription_max,
             usual.oversubscription_max);
  check_list("defaultJobLimits", api.default_requests, usual.default_requests);
  check_list("defaultActiveDeadlineByResourceRequest", api.default_deadline_by_resource,
             usual.default_deadline_by_resource);
  check_resources(item.scheduling, "api.defaultJobTolerationsByResourceRequest",
                  holders(api.tolerations_by_resource), {}, problems);
}

void check_classes(const argosyd_settings& item, problem_list& problems) {
  const auto& classes = item.scheduling.classes;
  const auto check_list = [&](const std::string& key, const std::vector<std::string>& names) {
    for (const auto& name : names)
      if (std::none_of(classes.begin(), classes.end(),
                       [&](const auto& entry) { return entry.name == name; }))
        problems.push_back(key + " names '" + name +
                           "', which is not in scheduling.priorityClasses");
  };
  const auto& allowed = item.api.priority_classes;
  check_list("api.allowedPriorityClassNames", allowed);
  check_list("api.defaultJobTolerationsByPriorityClass", holders(item.api.tolerations_by_class));
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(),
                                    item.scheduling.keys.default_class) == allowed.end())
    problems.push_back("api.allowedPriorityClassNames lacks '" +
                       item.scheduling.keys.default_class +
                       "', the class of scheduling.defaultPriorityClassName");
}

}  // namespace

void describe(field_table& table, named_tolerations& item) {
  table.value("name", item.name, "", not_empty());
  table.value("tolerations", item.tolerations, "");
}

void describe(field_table& table, argosyd_settings& item) {
  table.value("dataDir", item.data_dir,
              "State, and the files of a private nats-server. One argosyd at a time may use it.",
              not_empty());
  describe_nats(table, item.nats);
  describe_cycle(table, item.cycle);
  describe_journal(table, item.journal);
  describe_store(table, item);
  describe_leases(table, item);
  describe_agents(table, item);
  describe_leader(table, item.leader);
  describe_api_limits(table, item);
  describe_api_jobs(table, item.api);
  table.section("scheduling", "Which scheduler decides. 0 in a limit or rate means none.");
  describe_scheduling(table, item.scheduling, "scheduling.");
  describe_health(table, item.health);
  describe_logging(table, item.logging);
  describe_tracing(table, item.tracing);
}

void check(const argosyd_settings& item, problem_list& problems) {
  check(item.scheduling, problems);
  check_requests(item, problems);
  check_classes(item, problems);
  // Jobs and nodes count in these units; other steps are for snapshot files.
  for (const auto& type : item.scheduling.resources) {
    const auto* unit = model::unit_of(type.name) == model::resource_unit::milli ? "1m" : "1";
    if (type.resolution != unit)
      problems.push_back("scheduling.resources: the resolution of '" + type.name + "' must be " +
                         unit);
  }
  if (item.cycle.gap_min > item.cycle.period)
    problems.emplace_back("cycle.minGap must not be longer than cycle.period");
  if (item.clusters.silence_max <= item.clusters.heartbeat)
    problems.emplace_back("agents.silenceMax must be longer than agents.heartbeat");
  if (item.leader.takeover <= item.leader.heartbeat)
    problems.emplace_back("leader.takeover must be longer than leader.heartbeat");
  if (item.clusters.lease <= item.clusters.heartbeat)
    problems.emplace_back("leases.length must be longer than agents.heartbeat");
  if (item.api.grace_min > item.api.grace_max)
    problems.emplace_back(
        "api.minTerminationGracePeriod must not be longer than api.maxTerminationGracePeriod");
}

}  // namespace argosy::settings
