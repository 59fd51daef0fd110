// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/server.hpp"

#include <unistd.h>

#include <atomic>
#include <caf/scoped_actor.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "actors/root.hpp"
#include "actors/standby/lead_answers.hpp"
#include "bins/argosyd/convert.hpp"
#include "bins/argosyd/dev_clusters.hpp"
#include "bins/argosyd/diagnostics.hpp"
#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/health.hpp"
#include "bins/argosyd/lead.hpp"
#include "bins/argosyd/patience.hpp"
#include "bins/argosyd/root_settings.hpp"
#include "bins/argosyd/transports.hpp"
#include "bins/argosyd/upkeep/log_keeper.hpp"
#include "bins/argosyd/upkeep/snapshot_exchange.hpp"
#include "bins/shared/actor_settings.hpp"
#include "bins/shared/config_warnings.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/file_limit.hpp"
#include "bins/shared/file_owners.hpp"
#include "bins/shared/options.hpp"
#include "bins/shared/start_guard.hpp"
#include "bins/version.hpp"
#include "messages/probes/log/journal_probe.hpp"
#include "messages/probes/standby_probe.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger logger{"argosyd"};

/// Writes the file where others find this server, and makes its folder.
result<void> publish(const std::filesystem::path& path, const std::string& text) {
  std::error_code told_by_the_writing;
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), told_by_the_writing);
  return backends::write_file(path, text, backends::sync_mode::no);
}

/// Writes these addresses, of which some may be empty, where others look for them.
result<void> publish(const options& chosen, const std::vector<std::string>& urls) {
  std::string text;
  for (const auto& url : urls)
    if (!url.empty()) text += url + "\n";
  result<void> written;
  if (chosen.dev) written = publish(dev_state_dir() / "server.url", text);
  if (written && !chosen.ready_file.empty()) written = publish(chosen.ready_file, text);
  return written;
}

/// Whether a server that does not answer so may do so later without anybody's doing.
bool may_pass(const error& why) {
  return why.code == ec::unreachable || why.code == ec::timeout;
}

/// Tries until the nats-server and its log answer. Returns false if the process is to stop instead.
result<bool> wait_for_nats(const options& chosen, ground& seams, outcome& told) {
  using clock = std::chrono::steady_clock;
  const auto begun = clock::now();
  patience waiting;
  while (true) {
    const auto waited = std::chrono::duration_cast<patience::ms>(clock::now() - begun);
    const auto joined = seams.connect(chosen);
    if (joined) break;
    if (!may_pass(joined.error())) return fail(joined.error());
    told.set_waiting(joined.error().detail);
    const auto advice = waiting.failed(waited);
    if (advice.tell)
      logger.warning("the nats-server does not answer; trying on",
                     logging::kv("error", joined.error().detail),
                     logging::kv("waited", settings::print_value(patience::ms{
                                               std::chrono::floor<std::chrono::seconds>(waited)})));
    const auto until = clock::now() + advice.pause;
    while (clock::now() < until)
      if (stop_wanted()) return false;
  }
  told.set_connection(seams.connection);
  return true;
}

/// Waits for a signal that ends, a failure or the wish to hand the lead over, hands SIGHUP on,
/// notes meanwhile that the process lives long, and keeps a private nats-server alive.
void wait_for_end(ground& seams, outcome& told, start_guard& guard, const actors::root_actor& root,
                  bool has_file) {
  auto settles_at = backends::boot_now() + long_life;
  while (!told.failed() && !told.hand_over->heir() && !stop_wanted(std::chrono::milliseconds{20})) {
    // Without a file there are no settings to read again.
    if (reload_wanted() && has_file) caf::anon_send(root, atom::settings_v);
    if (backends::boot_now() >= settles_at) {
      settles_at += long_life;
      // A disk that is full is no reason to end; until this is noted, the start counts as short.
      if (auto noted = guard.settle(); !noted)
        logger.warning("that this process lives long was not noted",
                       logging::kv("error", noted.error().detail));
    }
    if (!seams.nats_server || seams.nats_server->alive()) continue;
    logger.error("the nats-server has ended; starting it again");
    if (auto running = seams.nats_server->ensure_running(); !running)
      told.set_failure("the nats-server does not start: " + running.error().detail);
  }
}

/// What a leader tells of itself while its actors run.
std::function<std::optional<ledger::leader_standing>()> tell_standing(
    const actors::root_config& config, const ground& seams, outcome& told,
    std::shared_ptr<const std::atomic<std::uint32_t>> wanted) {
  ledger::leader_standing fixed;
  fixed.holder = config.holder;
  const auto& known = config.recovered.position.control_plane;
  fixed.control_plane = known.empty() ? config.control_plane : known;
  fixed.key_print = seams.log_key->print();
  fixed.has_planes = config.planes.names || !config.recovered.position.planes.empty();
  return [fixed, granted = config.granted, wanted = std::move(wanted), &told, load = config.load,
          connection = seams.connection,
          journal = told.probes->get<probes::journal_probe>(
              config.load)]() -> std::optional<ledger::leader_standing> {
    const bool leads = told.led();
    if (!actors::answers_now({fixed.has_planes, leads, *wanted != 0}, *load,
                             system_clock_source().boot()))
      return std::nullopt;
    auto now = fixed;
    now.epoch = leads ? told.epoch() : granted;
    // The position is read last: it may be of a later generation, and never of an earlier one.
    now.server_id = connection->server_id();
    now.generation = {static_cast<std::uint32_t>(journal->generation.value())};
    if (leads) now.position = {load->position()};
    now.committed = load->committed();
    return now;
  };
}

/// Answers from now on who asks for the leader, or for a copy of its store. Other planes confirm
/// the claim itself, so that they are heard before anybody is answered.
result<bus::subscription> answer_planes(
    const ground& seams, outcome& told,
    std::function<std::optional<ledger::leader_standing>()> standing,
    const std::shared_ptr<std::atomic<std::uint32_t>>& wanted,
    const std::shared_ptr<actors::journal_line>& journal) {
  const auto snapshot = [dir = seams.dir->path(), wanted](const codec::snapshot_question& asked) {
    if (asked.name.empty() && asked.generation.value > *wanted) *wanted = asked.generation.value;
    return read_snapshot_piece(dir, asked);
  };
  return actors::answer_as_leader(
      seams.connection,
      {std::move(standing), snapshot, [journal](const auto& word) { journal->say(word); }},
      told.probes->get<probes::standby_probe>(system_clock_source()));
}

/// Runs the actors from the recovered state to the end.
result<void> run_actors(const options& chosen, ground& seams, outcome& told, diagnostics& helps,
                        caf::actor_system& system, const std::string& health_url,
                        start_guard& guard, transports& doors, actors::candidacy& candidate,
                        std::optional<watchdog>& limit) {
  auto config = make_root_config(chosen, seams, told, guard, doors, candidate);
  if (!config) return fail(config.error());
  helps.begin(is_crash(guard.before()));
  helps.show_on(*told.probes);
  const auto load = config->load;
  // The generation of which another plane needs a snapshot of this store.
  const auto wanted = std::make_shared<std::atomic<std::uint32_t>>(0);
  const auto standing = tell_standing(*config, seams, told, wanted);
  const auto journal = std::make_shared<actors::journal_line>();
  config->on_journal = [journal](const actors::journal_actor& to) { journal->open(to); };
  const auto inner = config->inner_connection;
  auto root = actors::spawn_root(system, std::move(*config));
  auto answering = answer_planes(seams, told, standing, wanted, journal);
  if (!answering) told.set_failure(answering.error().detail);
  std::optional<log_keeper> keeps_short;
  keeps_short.emplace(chosen, seams, load, *told.probes,
                      snapshot_wish{wanted, [&told] { return told.led(); }});
  bool ends_early = false;
  while (!told.decided() && !ends_early) ends_early = stop_wanted(std::chrono::milliseconds{5});
  const auto goes_on = [&] { return !ends_early && !told.failed(); };
  dev_clusters clusters;
  if (goes_on()) {
    if (chosen.dev) {
      const auto started =
          clusters.start(chosen, *seams.dir, system, root, told.probes,
                         access::kept_credentials(user_state_dir(), seams.url),
                         [&told](const std::string& why) { told.set_failure(why); });
      ends_early = !started && started.error().code == ec::cancelled;
      if (!started && !ends_early) told.set_failure(started.error().detail);
    }
  }
  if (goes_on()) {
    const auto written = publish(chosen, {seams.url, health_url, doors.grpc_url()});
    if (!written) told.set_failure(written.error().detail);
  }
  if (goes_on()) {
    logger.info("ready", logging::kv("data_dir", seams.dir->path().string()),
                logging::kv("health", health_url.empty() ? "off" : health_url),
                logging::kv("page", doors.has_page() ? health_url + "/" : "off"));
    wait_for_end(seams, told, guard, root, !chosen.config_file.empty());
  }
  keeps_short.reset();
  limit.emplace("argosyd");
  // The log may be lost before this process is started again, and would not tell it then.
  if (const auto rival = told.rival()) candidate.hear(*rival);
  // The end itself may take longer than is waited for, so that nothing is told after it.
  if (const auto why = told.failed())
    logger.error("stopping", logging::kv("why", *why));
  else
    logger.info("stopping");
  if (told.failed()) answering = bus::subscription{};
  // Jobs are not ended because this process must not lead any more: the next one finds them.
  const auto going_on = clusters.stop(system, std::chrono::milliseconds{3'500},
                                      chosen.end_jobs_on_stop && !told.failed());
  caf::anon_send(root, atom::shutdown_v);
  root = nullptr;
  // What was accepted last waits for what other planes say.
  system.await_all_actors_done();
  answering = bus::subscription{};
  journal->close();
  if (inner) inner->close();
  if (auto why = told.failed()) return fail(ec::internal, *why);
  if (const auto last = standing(); last && told.led())
    hand_over(seams.connection, *last, *told.hand_over, *told.probes);
  if (going_on > 0) tell_of_jobs(going_on, chosen.settings.value.clusters.lease);
  return {};
}

/// Lets callers ask what is wrong for as long as there is somebody who knows.
class concerns_told {
 public:
  concerns_told(outcome& told, std::vector<health::check> ready, const machine_watch& watch)
      : told_(told) {
    told_.set_concerns(std::move(ready), watch);
  }
  ~concerns_told() { told_.no_concerns(); }
  concerns_told(const concerns_told&) = delete;
  concerns_told& operator=(const concerns_told&) = delete;

 private:
  outcome& told_;
};

enum class run_end : std::uint8_t {
  done,         ///< The process ends.
  begins_anew,  ///< The store was replaced, or this process has led and another one does now.
  handed_over,  ///< The same, and another one is to lead.
};

/// Joins the nats-server and leads as soon as nobody else does. Of several that find the lead free
/// at the same moment one gets it, and the others wait again. `limit` is there when it
/// returns if the actors have run.
result<run_end> wait_and_lead(const options& chosen, ground& seams, outcome& told,
                              diagnostics& helps, caf::actor_system& system,
                              const std::string& health_url, transports& doors,
                              std::optional<watchdog>& limit, boot_time yield) {
  const auto joined = wait_for_nats(chosen, seams, told);
  if (!joined) return fail(joined.error());
  if (!*joined) return run_end::done;
  const auto candidate =
      open_candidacy(seams, ledger_rules(chosen.settings.value),
                     chosen.settings.value.journal.commit == settings::commit_rule::standby);
  if (!candidate) return fail(candidate.error());
  start_guard guard{seams.dir->path()};
  const ledger::candidate_times times{.takeover = chosen.settings.value.leader.takeover,
                                      .yield = yield};
  const auto wait = [&] { return wait_for_lead(seams, times, *candidate, told, system); };
  auto waited = wait();
  for (; waited == wait_end::may_claim; waited = wait()) {
    auto done = run_actors(chosen, seams, told, helps, system, health_url, guard, doors,
                           **candidate, limit);
    // It did not crash, unless an actor ended by an exception.
    if (told.crashed())
      guard.crashed();
    else if (auto noted = guard.settle(); !noted)
      logger.warning("the end of this start was not noted",
                     logging::kv("error", noted.error().detail));
    if (done) return told.hand_over->heir() ? run_end::handed_over : run_end::done;
    if (told.led()) {
      if (told.crashed() || !another_leads(*seams.connection, false)) return fail(done.error());
      return run_end::begins_anew;
    }
    limit.reset();
    const bool barred = !(*candidate)->refusal().empty() || (*candidate)->waits_on(done.error());
    const bool passes = !barred && (may_pass(done.error()) || done.error().code == ec::unavailable);
    if (!barred && !passes && !another_leads(*seams.connection, false)) return fail(done.error());
    if (passes)
      logger.warning("the log does not answer; waiting for the lead again",
                     logging::kv("error", done.error().detail));
    else if (!barred)
      logger.info("another argosyd was first", logging::kv("error", done.error().detail));
    told.begin();
  }
  return waited == wait_end::store_replaced ? run_end::begins_anew : run_end::done;
}

/// Opens the doors and leads when it can. The actor system lives only in here. `limit` watches over
/// the end, which is not over when this returns.
result<run_end> run(const options& chosen, ground& seams, std::optional<watchdog>& limit,
                    boot_time yield) {
  outcome told;
  actor_settings actors;
  caf::actor_system system{actors};
  transports doors;
  const auto helps = diagnostics::start(chosen.settings.value.health, chosen.settings.value.tracing,
                                        seams.dir->path(), version_text);
  if (!helps) return fail(helps.error());
  // A process that cannot serve its port ends before it takes the lead from another.
  auto pages = doors.rest(
      chosen, [&told] { return told.position(); },
      [&told](std::uint64_t since) { return told.changed(since); });
  const auto health_server = start_health(chosen, seams, told, **helps, system, std::move(pages));
  if (!health_server) return fail(health_server.error());
  const auto watch = watch_machine(chosen, seams, told);
  const concerns_told concerned{told, ready_checks(seams, told, **helps), *watch};
  const auto url = *health_server ? (*health_server)->url() : std::string{};
  if (auto opened = doors.start(chosen, seams.dir->path(), told.names); !opened)
    return fail(opened.error());
  auto done = wait_and_lead(chosen, seams, told, **helps, system, url, doors, limit, yield);
  if (!limit) limit.emplace("argosyd");
  return done;
}

/// Serves from an open data directory. Others may lead for the time `yield` before it does.
result<run_end> open_and_run(const options& chosen, boot_time yield) {
  std::error_code ignored;
  ground seams;
  std::optional<watchdog> limit;  // It watches until everything else has ended.
  const auto opened = seams.open(chosen);
  auto done = opened ? run(chosen, seams, limit, yield) : result<run_end>{fail(opened.error())};
  // If another process has the data directory, its ready file may be the one named here.
  if (seams.dir && !chosen.ready_file.empty()) std::filesystem::remove(chosen.ready_file, ignored);
  seams.close();
  return done;
}

}  // namespace

int serve(const options& chosen) {
  block_signals();
  const auto& settings = chosen.settings.value;
  if (auto set = logging::setup(logging_options(settings.logging)); !set)
    return report("argosyd", set.error());
  log_warnings(config_warnings(chosen.settings));
  if (auto own = chosen.dev
                     ? result<void>{}
                     : refuse_files_of_others(chosen.config_file, settings::files_read(settings));
      !own)
    return report("argosyd", own.error());
  if (chosen.dev && ::geteuid() != 0 && (chosen.sim_clusters == 0 || chosen.local))
    logger.warning(
        "the jobs of this machine run as you, since argosyd is not started as root: they may call "
        "this server as its owner, and read and change what you may, keys included; start only "
        "what you trust");
  // Only with --dev this process carries out runs itself.
  if (chosen.dev) raise_file_limit();
  trace::set_process_name("argosyd");
  trace::set_enabled(settings.tracing.enabled);
  trace::set_sample_ratio(settings.tracing.sample_ratio);
  trace::set_span_capacity(settings.tracing.spans_max, settings.tracing.span_bytes_max.bytes);
  constexpr std::chrono::seconds yield{5};
  auto done = open_and_run(chosen, {});
  while (done && *done != run_end::done)
    done = open_and_run(chosen, *done == run_end::handed_over ? yield : boot_time{});
  return done ? 0 : report("argosyd", done.error());
}

}  // namespace argosy::argosyd
