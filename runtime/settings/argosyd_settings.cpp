// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/argosyd_settings.hpp"

#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/settings/field_table.hpp"
#include "runtime/settings/retention_settings.hpp"
#include "runtime/settings/units.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

void describe_requeue(field_table& table, ledger::queue_config& item) {
  table.section("requeue", "Jobs queue again whose runs are ended from outside.");
  table.value("requeue.preempted", item.requeue_preempted,
              "Whether a job queues again, at its old place and with its gang, when the scheduler "
              "preempts its run or a drain ends it: true or false. A job says otherwise by the "
              "annotation argosy.io/onPreempted: requeue or end. With the preset current each "
              "such job ends.");
  table.value("requeue.max", item.disruptions_max,
              "How often a job may queue again, with its gang, because its run was ended from "
              "outside: its pod was evicted, displaced or deleted, or its node was drained, shut "
              "down or taken away; and how often because it was preempted. From 0 on; with 0, and "
              "always with the preset current, such a job fails, unless its queue's retry policy "
              "has it tried again.");
}

void describe_retries(field_table& table, ledger::queue_config& item) {
  table.section("retries",
                "Retry policies, which queues name, have jobs tried again whose runs failed.");
  table.value("retries.enabled", item.retries.enabled,
              "Whether retry policies decide anything: true or false. Without it they can be made "
              "and named, and a run that fails ends its job.");
  table.value("retries.limitMax", item.retries.limit_max,
              "How often any job may be tried again, whatever its policy says, from 0 on. With 0 "
              "nothing is tried again.");
  table.value("retries.defaultPolicy", item.retries.default_policy,
              "The policy of queues that name none. It may be made later; until then nothing of "
              "theirs is tried again. Empty means none.");
}

complaint check_replicas(const std::uint32_t& count) {
  if (count == 1 || count == 3 || count == 5) return std::nullopt;
  return "must be 1, 3 or 5";
}

complaint check_generation_bytes(const byte_size& size) {
  if (size.bytes == 0 || size.bytes >= mebi) return std::nullopt;
  return "must be 0B or at least 1MiB";
}

complaint check_generation_age(const boot_time& age) {
  if (age.count() == 0 || age >= 1min) return std::nullopt;
  return "must be 0s or at least 1m";
}

void describe_cycle(field_table& table, ledger::cycle_times& item) {
  table.section("cycle", "When the scheduler decides. A cycle decides one round for each pool.");
  table.value("cycle.period", item.period,
              "How long a cycle waits for the next one when nothing changed but time may let "
              "more jobs start, for example because a rate limit holds some back. From 10ms to "
              "1h. Longer values save work and delay such jobs.",
              between<boot_time>(10ms, 1h));
  table.value("cycle.minGap", item.gap_min,
              "The shortest time between the starts of two cycles that new jobs or free room "
              "bring about. From 1ms to 1h, and not longer than period. Raise it if cycles take "
              "too much of a processor; jobs then start that much later.",
              between<boot_time>(1ms, 1h));
  table.value("cycle.roundTimeout", item.round_timeout,
              "After how long a round counts as failed, from 100ms to 1h. Its plan is thrown away "
              "and the next cycle tries again. Raise it if rounds of a very large pool take "
              "longer.",
              between<milliseconds>(100ms, 1h));
}

void describe_rounds(field_table& table, scheduling::verification& verify) {
  table.section("rounds", "How rounds are watched over.");
  table.value("rounds.verify", verify,
              "Which rounds are decided a second time, from their snapshot alone, beside what the "
              "pool keeps from round to round: off, sampled (one of 64), or always. If the plans "
              "differ, the second one holds, the round is kept as a file and "
              "argosy_round_differences_total grows. A second decision takes a thread, and a "
              "pool's memory twice.");
}

void describe_journal(field_table& table, journal_settings& item) {
  table.section("journal", "The log, in which every change is written before it is answered.");
  table.value(
      "journal.commit", item.commit,
      "Whose stores must have a change before it is answered. local: that of the argosyd "
      "that leads. standby: that of a second one as well, as soon as three argosyd with "
      "this setting run; they decide together who leads, and nothing is lost with any one "
      "of their machines. Without a second one nothing is accepted then. It does not change "
      "back to local by this setting.");
  table.value("journal.batchBytes", item.limits.batch_bytes_max,
              "How much of what waits is written to the log as one record, from 4KiB to 8MiB. "
              "Larger batches let more changes through when the log is slow; one request that is "
              "larger is still written as a whole.",
              between<byte_size>({4 * kibi}, {8 * mebi}));
  table.value("journal.waitingBytesMax", item.limits.waiting_bytes_max,
              "How much may wait for the log before new requests of users are refused as "
              "overload, from 1MiB on. Reports of agents are never refused. Larger values ride "
              "out longer delays of the log and take that much memory.",
              at_least<byte_size>({mebi}));
  table.value(
      "journal.publishTimeout", item.publish_timeout,
      "How long one write to the log is tried before it counts as failed, from 100ms to 1h. "
      "A failed write is tried again until the log takes it or another control plane has "
      "written.",
      between<milliseconds>(100ms, 1h));
  table.value("journal.keyFile", item.key_file,
              "The file with the key by which argosyd knows its own records in the log; it is made "
              "if it is not there. Empty: log.key in the data directory. Every argosyd that may "
              "lead on this log needs the same key. Whoever has it can write into the log.");
  table.value("journal.replicas", item.replicas,
              "How many servers of a NATS cluster keep a copy of the log: 1, 3 or 5. With 3 the "
              "log survives the loss of one server, with 5 of two; nats-servers before 2.10.23 "
              "are refused then. It has to agree with a log that is already there; change that "
              "one with the nats program.",
              rule<std::uint32_t>{check_replicas});
  table.value("journal.logBytesMax", item.log_bytes_max,
              "The largest size of the log on the NATS server's disk, all generations together, "
              "from 1MiB on. Once it is full, nothing new is accepted. A small job takes about "
              "0.7 KB of it. From 85% on new commands of users are refused, so that what was "
              "accepted can go on. The NATS server must have this much room, or argosyd does not "
              "start. A new value counts from the next start on; it cannot be less than what is in "
              "the log.",
              at_least<byte_size>({mebi}));
  table.value("journal.generationBytes", item.generation_bytes,
              "The size at which a generation of the log ends and the next one begins, from 1MiB "
              "on, and never more than a quarter of logBytesMax. argosyd then copies its store "
              "into dataDir/snapshots, and erases generations that the older of the newest two "
              "copies covers. About two generations are there at a time. 0B: whatever their size.",
              rule<byte_size>{check_generation_bytes});
  table.endless(
      "journal.generationAge", item.generation_age,
      "The age at which a generation of the log ends, from 1m on. 0s: whatever its age. If "
      "this is 0s and generationBytes is 0B, the log is never shortened and no copies are "
      "made.",
      rule<boot_time>{check_generation_age});
}

void describe_store(field_table& table, argosyd_settings& item) {
  table.section("store", "The state on this machine's disk, a database (LMDB) in dataDir.");
  table.value("store.mapSize", item.store_map_size,
              "The largest size of the database, from 16MiB on. It is address space and not "
              "allocated in advance. From 85% on new commands of users are refused. A process "
              "whose database is full ends; raise the value and start it again.",
              at_least<byte_size>({16 * mebi}));
  describe_retention(table, item.retention);
}

void describe_audit(field_table& table, argosyd_settings& item) {
  table.section("audit", "The audit trail: who called what that changes something.");
  table.value("audit.enabled", item.audit,
              "Whether such calls are recorded: true or false. Records from before stay.");
  table.endless("audit.retention", item.retention.audit, "How long records are kept, from 1m on.",
                at_least<boot_time>(1min));
  table.value(
      "audit.recordsMax", item.retention.audit_records_max,
      "How many records are kept at most, from 1000 on; beyond that the oldest of whoever has "
      "most goes first. A record takes about 0.3 KB of the database.",
      at_least<std::uint64_t>(1'000));
}

void describe_leases(field_table& table, argosyd_settings& item) {
  table.section("leases",
                "How long runs may go on when an agent and argosyd cannot reach each other. The "
                "values hold for all clusters; pods go on whatever they say.");
  table.value("leases.length", item.clusters.lease,
              "How long an agent's runs go on after it last reached argosyd, from 100ms to 7d, "
              "and longer than agents.heartbeat. A longer lease survives longer outages; a "
              "shorter one has jobs of a lost machine placed again sooner.",
              between<boot_time>(100ms, 7 * 24h));
  table.value("leases.clockDrift", item.clusters.clock_drift,
              "By how much an agent's clock may be slow, as a part from 0.0 to 0.5. Before "
              "argosyd places a job again it waits this part longer than the lease and killGrace "
              "together. 0.01 is more than any healthy machine needs.",
              between(0.0, 0.5));
  table.value("leases.killGrace", item.clusters.kill_grace,
              "How long a run may take to end once its lease has passed, from 0ms to 24h. A "
              "longer grace period of a job is cut to this, so that the run is surely gone when "
              "the job is placed again. Raise it if jobs need longer to save their work; they "
              "are then placed again that much later.",
              between<boot_time>(0ms, 24h));
  table.value(
      "leases.margin", item.clusters.margin,
      "How long argosyd waits beyond all that before it places a job again, from 0ms to 30d. "
      "It covers the time that signals and timers take on a busy machine.");
  table.value("leases.onExpiry", item.queues.on_lease_expiry,
              "What becomes of a job whose lease was lost. requeueAfterLease queues it again "
              "once its run is surely over; requeueAfterConfirmation waits for the agent's word, "
              "however long that takes; fail ends the job. A job may ask for another by its "
              "annotation argosy.io/onLeaseExpiry. A job with argosy.io/keepOnDisconnect: "
              "\"true\" is not killed at all and always waits for the agent.");
  table.value("leases.returnsMax", item.queues.returns_max,
              "How often a job may come back from a node without having started before it fails, "
              "from 0 on. With 0 the first return fails the job. Of the refusals of a node that "
              "cannot start any run, for example because its disk is full, every fourth counts. "
              "What a cluster refuses to a whole namespace does not count.");
  table.value("leases.lossesMax", item.queues.losses_max,
              "How often a run of a job may be lost, because its machine was restarted or its "
              "shim killed, before the job fails, from 0 on. Until then onExpiry says what "
              "becomes of the job; with fail the first loss fails it.");
}

void describe_agents(field_table& table, argosyd_settings& item) {
  table.section("agents", "How argosyd and the agents of the clusters keep in touch.");
  table.value("agents.heartbeat", item.clusters.heartbeat,
              "How often an agent tells argosyd that it is there, from 50ms to 1h. Every "
              "heartbeat that is answered renews the lease of all its runs.",
              between<boot_time>(50ms, 1h));
  table.value("agents.silenceMax", item.clusters.silence_max,
              "After how long without a word a cluster counts as silent and gets no new jobs, "
              "from 100ms to 24h, and longer than heartbeat. Its running jobs are not touched "
              "before their lease has passed.",
              between<boot_time>(100ms, 24h));
  table.value("agents.resendAfter", item.clusters.resend_after,
              "After how long an order to an agent that was not confirmed is sent again, from "
              "50ms to 1h. Agents ignore an order that they have already.",
              between<boot_time>(50ms, 1h));
  table.value("agents.comparePeriod", item.clusters.compare,
              "How often argosyd and an agent compare their whole lists of runs and mend "
              "differences, from 100ms to 1h.",
              between<boot_time>(100ms, 1h));
  table.value("agents.refusalsMax", item.nodes.refusals_max,
              "After how many starts in a row that a node refused because of a fault of its own, "
              "such as a full disk, it is quarantined: it takes no new jobs for a while. From 0 "
              "on; with 0 that never happens. What users' commands do has no part in this.");
  table.value("agents.quarantineThreshold", item.nodes.quarantine_threshold,
              "A node whose machine fails a run with at least this probability is quarantined too, "
              "from 0.0 on; with 2.0 that never happens. The probability is estimated from runs "
              "that were lost or refused, beside those that began, together with the queues' part "
              "in that; it is looked at after five runs. What users' commands come to has no part "
              "in this.",
              at_least(0.0));
  table.value("agents.trialRuns", item.nodes.trial_runs,
              "How many runs a node gets after a quarantine before one of them has begun or "
              "quarantinePeriod has passed. From 0 on; with 0 there is no limit. What one round "
              "places there goes there all the same.");
  table.value("agents.healthMemory", item.health_rules.memory,
              "After how long without the end of a run what is known of a node's or queue's "
              "failures is forgotten, from 1s to 30d.",
              at_least<boot_time>(1s));
  table.value("agents.queueSlowdown", item.health_rules.queue_slowdown,
              "A queue whose runs fail gets its tokens for starts more slowly: at "
              "scheduling.maximumPerQueueSchedulingRate times 1 minus its failure probability "
              "times this, from 0.0 to 1.0. It matters only where that rate is set. With 0.0, and "
              "always with the preset current, no queue is slowed.",
              between(0.0, 1.0));
  table.value("agents.quarantinePeriod", item.nodes.quarantine_period,
              "After how long a quarantined node is tried again, from 1s to 30d.",
              at_least<boot_time>(1s));
  table.value("agents.quarantinePeriodMax", item.nodes.quarantine_period_max,
              "The longest quarantine, from 1s to 30d and not shorter than quarantinePeriod. Each "
              "quarantine of a node that still refuses starts is twice as long as the one before. "
              "A run that begins there makes the next one short again.",
              at_least<boot_time>(1s));
}

void describe_leader(field_table& table, ledger::leader_times& item) {
  table.section("leader",
                "How an argosyd makes sure that it is the only one that decides. A second process "
                "on the same NATS server waits while the first one leads.");
  table.value("leader.heartbeat", item.heartbeat,
              "How often the process looks whether another one has taken the lead and whether it "
              "was held up itself, from 50ms to 1m.",
              between<milliseconds>(50ms, 1min));
  table.value("leader.takeover", item.takeover,
              "After how long without running, for example because the machine was paused, the "
              "process reads in the log whether another one leads now, and ends if so. A process "
              "that waits takes over from a leader that is silent for so long. From 200ms to 1h, "
              "and longer than heartbeat.",
              between<milliseconds>(200ms, 1h));
}

constexpr std::string_view commit_names[] = {"local", "standby"};

}  // namespace

std::span<const std::string_view> enum_names(commit_rule) {
  return commit_names;
}

/// Each adds a section with its fields to the table, which then refers to `item`.

void describe(field_table& table, argosyd_settings& item) {
  table.value("dataDir", item.data_dir,
              "The directory for the state of the control plane, and for the files of the server "
              "that --dev starts. Put it on a local disk that survives a power cut. Only one "
              "argosyd at a time may use it; a second one is refused.",
              not_empty());
  describe_nats(table, item.nats);
  describe_cycle(table, item.cycle);
  describe_rounds(table, item.verify_rounds);
  describe_journal(table, item.journal);
  describe_store(table, item);
  describe_leases(table, item);
  describe_requeue(table, item.queues);
  describe_retries(table, item.queues);
  describe_agents(table, item);
  describe_leader(table, item.leader);
  describe_api(table, item);
  describe_grpc(table, item.grpc);
  describe_access(table, item.access);
  describe_armada(table, item.armada_executors);
  describe_rest(table, item.rest);
  describe_audit(table, item);
  table.section(
      "scheduling",
      "How jobs are scheduled. A limit or rate of 0 means that there is no limit. Most keys "
      "can change while argosyd runs, by argosyctl config reload or argosyctl config set; "
      "the answer names those that need a restart.");
  describe_scheduling(table, item.scheduling, "scheduling.");
  describe_health(table, item.health);
  describe_watching(table, item.health);
  describe_logging(table, item.logging);
  describe_tracing(table, item.tracing);
  describe_exports(table, item.tracing);
}

void check(const argosyd_settings& item, problem_list& problems) {
  check(item.scheduling, problems);
  check_api(item, problems);
  check_access(item.access, problems);
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
  if (item.nodes.quarantine_period_max < item.nodes.quarantine_period)
    problems.emplace_back(
        "agents.quarantinePeriodMax must not be shorter than agents.quarantinePeriod");
  if (item.leader.takeover <= item.leader.heartbeat)
    problems.emplace_back("leader.takeover must be longer than leader.heartbeat");
  if (item.clusters.lease <= item.clusters.heartbeat)
    problems.emplace_back("leases.length must be longer than agents.heartbeat");
}

}  // namespace argosy::settings
