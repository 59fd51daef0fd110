// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/root_settings.hpp"

#include <utility>

#include "bins/argosyd/convert.hpp"
#include "bins/argosyd/lead.hpp"
#include "bins/argosyd/live_settings.hpp"
#include "bins/argosyd/random_digits.hpp"
#include "bins/argosyd/rounds.hpp"
#include "bins/argosyd/upkeep/past_rounds.hpp"
#include "bins/version.hpp"
#include "runtime/eventlog/recent_changes.hpp"
#include "runtime/health/metrics.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger start_logger{"argosyd"};

/// Tells how the start before ended, and decides what this one does without.
void heed_crashes(const start_guard& guard, actors::root_config& config, outcome& told) {
  const auto& starts = guard.now();
  const auto& before = guard.before();
  const auto last = what_was_under_way(before.work);
  if (is_crash(before))
    start_logger.error("the start before this one crashed " + last,
                       logging::kv("signal", before.signal),
                       logging::kv("crashes", starts.crashes));
  else if (before.start != 0)
    start_logger.warning("the start before this one was killed, or its machine stopped, " + last);
  if (const auto job = to_set_aside(starts); !job.is_nil()) {
    config.set_aside = {job, "set aside, since argosyd crashed " +
                                 std::to_string(starts.suspected) +
                                 " times in a row while it tried to place it"};
    start_logger.error("a job is set aside", logging::kv("job", to_string(job)),
                       logging::kv("reason", config.set_aside->reason));
  }
  config.safe_mode = guard.safe_mode();
  if (!config.safe_mode) return;
  told.set_safe_mode();
  start_logger.error(
      "SAFE MODE: argosyd crashed several times in a row; it answers and cancels, but decides "
      "no rounds and accepts nothing until it is started with --leave-safe-mode",
      logging::kv("crashes", starts.crashes));
}

/// What the API set counts for clusters as well, which were recovered without it.
void keep_for(const ledger::retention_config& rules, actors::root_config& config) {
  config.retention = rules;
  config.rules.cluster_rules.left_kept = rules.jobs;
  for (const auto& [name, core] : config.recovered.clusters) core->keep_left_for(rules.jobs);
}

result<view::recovered_state> recover_state(const ground& seams, const start_guard& guard,
                                            actors::candidacy& candidate) {
  auto recovered = [&] {
    const at_work noted{guard.work().get(), work_kind::replay, 0};
    return candidate.recover();
  }();
  // Whoever claimed since this process asked who leads may not have answered yet.
  if (recovered && recovered->replayed_claims > 0 &&
      candidate.has_unknown_claim(recovered->position) && another_leads(*seams.connection, false))
    return fail(ec::fenced, "another argosyd has claimed the lead");
  return recovered;
}

/// Lets the actors say to the rest of the process how it goes.
void tell_outside(const settings::argosyd_settings& settings, outcome& told,
                  actors::root_config& config) {
  config.metrics_text = [sources = metric_sources(settings.health, told)] {
    return health::metrics_text(sources);
  };
  config.concerns = [&told] { return told.concerns(); };
  config.on_ready = [&told](model::epoch epoch) { told.set_epoch(epoch); };
  config.on_crash = [&told] { told.set_crashed(); };
  config.on_rival = [&told](const ledger::leader_standing& who) { told.set_rival(who); };
  config.on_hand_over = [wish = told.hand_over](const std::string& heir) { wish->set(heir); };
  config.on_failure = [&told](const std::string& why) { told.set_failure(why); };
}

}  // namespace

result<actors::root_config> make_root_config(const options& chosen, ground& seams, outcome& told,
                                             start_guard& guard, transports& doors,
                                             actors::candidacy& candidate) {
  const auto& settings = chosen.settings.value;
  actors::root_config config;
  config.rules = ledger_rules(settings);
  if (auto noted = guard.begin(chosen.leave_safe_mode); !noted) return fail(noted.error());
  heed_crashes(guard, config, told);
  const bool is_alone = candidate.gave_up_planes();
  auto recovered = recover_state(seams, guard, candidate);
  if (!recovered) return fail(recovered.error());
  seams.start_clock(*recovered, settings.retention.client_ids, chosen.trust_clock);
  config.recovered = std::move(*recovered);
  const auto live = std::make_shared<live_settings>(
      settings, [chosen] { return reread_settings(chosen); }, config.recovered.settings_changes,
      [&told](const settings::argosyd_settings& all) { told.set_names(all); });
  for (const auto& why : live->dropped())
    start_logger.error("a setting was set through the API and does not go with the file any more",
                       logging::kv("dropped", why));
  auto rounds = make_round_settings(live->running().scheduling);
  if (!rounds) return fail(rounds.error());
  config.scheduling = rounds->common;
  config.config_version = rounds->version;
  config.rounds = make_round_rules(seams.dir->path() / "rounds");
  config.rounds.pools = std::move(rounds->pools);
  config.settings = live;
  keep_for(live->running().retention, config);
  config.archive = make_archive(chosen, seams, config.rules);
  config.rounds.work = guard.work();
  config.rounds.verify = settings.verify_rounds;
  config.probes = told.probes;
  config.database = seams.database;
  config.log = seams.log;
  config.log_key = seams.log_key;
  config.order_signer = seams.order_signer;
  config.connection = seams.connection;
  config.inner_connection = doors.api_side();
  config.users = to_directory(settings.access);
  config.users.all_named = seams.keys.has_value() || !settings.nats.credentials_file.empty();
  config.armada_clusters = settings::rules_of(settings.armada_executors);
  config.prove = doors.token_check(chosen);
  config.clock = seams.clock.get();
  config.mark_clock = [clock = seams.clock.get()] { return clock->mark(); };
  config.node_rules = settings.nodes;
  config.health = settings.health_rules;
  // This preset decides as Armada does, which slows no queue.
  if (settings.scheduling.keys.base == scheduling::preset::current)
    config.health.queue_slowdown = 0;
  config.limits = submit_limits(settings);
  config.holder = candidate.holder();
  config.planes = {candidate.plane(), settings.journal.commit == settings::commit_rule::standby,
                   is_alone};
  config.granted = candidate.granted();
  config.claim_nonce = {system_random{}.next()};
  config.control_plane = random_digits(2);
  config.version = version_text;
  config.commit = commit_text;
  config.seed = system_random{}.next();
  config.cycle = settings.cycle;
  config.log_limits = settings.journal.limits;
  config.load = std::make_shared<eventlog::log_load>(config.log_limits.waiting_bytes_max.bytes);
  config.load->set_changes(std::make_shared<eventlog::recent_changes>());
  told.set_load(config.load);
  config.request_limits = settings.api.limits;
  config.leader = settings.leader;
  config.trace_collect_period = settings.tracing.collect_period;
  config.request_timeout = settings.nats.request_timeout;
  config.audit = settings.audit;
  tell_outside(settings, told, config);
  return config;
}

}  // namespace argosy::argosyd
