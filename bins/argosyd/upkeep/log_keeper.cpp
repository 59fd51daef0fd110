// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/log_keeper.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bins/shared/nats_greeting.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

using std::chrono::milliseconds;

const logging::logger keeper_logger{"log_keeper"};

constexpr milliseconds period{2'000};
/// How often it is looked whether another plane needs a snapshot.
constexpr milliseconds soon{500};
/// The pause after a failure, which may last: a disk is full, or the server is away.
constexpr milliseconds pause{60'000};
/// What stays free on the disk beside a snapshot and the growth of the store meanwhile.
constexpr std::uint64_t reserve = 64u << 20;

eventlog::rollover_rules rules_of(const settings::journal_settings& journal) {
  eventlog::rollover_rules out;
  // Two generations are there at a time, and for a while a third.
  if (journal.generation_bytes.bytes > 0)
    out.bytes_max = std::min(journal.generation_bytes.bytes, journal.log_bytes_max.bytes / 4);
  out.age_max = journal.generation_age;
  return out;
}

}  // namespace

log_keeper::log_keeper(const options& chosen, const ground& seams,
                       std::shared_ptr<eventlog::log_load> load, metrics::board& probes,
                       snapshot_wish wish)
    : chosen_(chosen),
      seams_(seams),
      load_(std::move(load)),
      probe_(probes.get<probes::journal_probe>(load_)),
      rules_(rules_of(chosen.settings.value.journal)),
      wish_(std::move(wish)),
      shelf_(seams.dir->path(), chosen.config_file) {
  thread_ = std::thread{[this] { run(); }};
}

log_keeper::~log_keeper() {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
    if (keeper_) keeper_->close();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool log_keeper::stopping() {
  const std::lock_guard lock{mutex_};
  return stop_;
}

void log_keeper::run() {
  while (!stopping()) {
    const auto wait = step();
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, wait, [this] { return stop_; });
  }
}

/// Makes the snapshot that another plane waits for, if there is none yet.
result<void> log_keeper::serve_wanted() {
  const auto wanted = wish_.generation->load();
  if (wanted == 0) return {};
  const auto all = shelf_.list();
  if (!all) return fail(all.error());
  if (!all->empty() && all->back().generation.value >= wanted) return {};
  return make_snapshot_now();
}

milliseconds log_keeper::step() {
  if (const auto made = serve_wanted(); !made && !stopping())
    keeper_logger.error("the snapshot that another plane needs is not made",
                        logging::kv("error", to_string(made.error())));
  if (!wish_.leads()) return soon;
  if (chosen_.settings.value.journal.replicas > 1)
    if (const auto led = lead_elsewhere(); !led && !stopping())
      keeper_logger.warning("the log may be led by the nats-server of this machine",
                            logging::kv("error", to_string(led.error())));
  if (rules_.off()) return period;
  const auto seen = look();
  if (!seen) {
    keeper_logger.warning("the generations of the log cannot be looked at",
                          logging::kv("error", to_string(seen.error())));
    return period;
  }
  const auto next = eventlog::next_step(rules_, *seen, backends::wall_now_ns());
  if (next.action == eventlog::rollover_action::nothing) return period;
  if (next.action == eventlog::rollover_action::roll_over) {
    load_->ask_to_roll_over(next.generation);
    return period;
  }
  const auto done = carry_out(next, *seen);
  if (done) return milliseconds{0};
  if (!stopping()) {
    ++probe_->shortening_failures;
    keeper_logger.error("the log is not shortened; trying again in a minute",
                        logging::kv("error", to_string(done.error())));
  }
  return pause;
}

result<void> log_keeper::open_keeper() {
  if (keeper_) return {};
  auto opened = eventlog::open_keeper(seams_.log_settings);
  if (!opened) return fail(opened.error());
  const std::lock_guard lock{mutex_};
  keeper_ = std::move(*opened);
  return {};
}

/// The servers need seconds for the choice of a new leader when the one that leads is lost. Where
/// another machine's server leads, the loss of this machine costs either that or the takeover of
/// another argosyd, and not both.
result<void> log_keeper::lead_elsewhere() {
  if (own_server_.empty()) {
    const auto all = addresses_of(seams_.url);
    if (all.size() < 2) return {};
    const auto own = greeting_of(all.front(), milliseconds{1'000});
    if (!own) return {};  // It leads nothing while it is away.
    own_server_ = own->server_name;
  }
  if (auto opened = open_keeper(); !opened) return opened;
  const auto moved = keeper_->lead_elsewhere(own_server_);
  if (!moved) return fail(moved.error());
  if (*moved)
    keeper_logger.info("another nats-server is to lead the log than that of this machine",
                       logging::kv("server", own_server_));
  return {};
}

result<eventlog::rollover_state> log_keeper::look() {
  if (auto opened = open_keeper(); !opened) return fail(std::move(opened.error()));
  eventlog::rollover_state out;
  auto generations = keeper_->look();
  if (!generations) return fail(generations.error());
  out.generations = std::move(*generations);
  auto snapshots = shelf_.list();
  if (!snapshots) return fail(snapshots.error());
  out.snapshots = std::move(*snapshots);
  return out;
}

result<void> log_keeper::carry_out(const eventlog::rollover_step& next,
                                   const eventlog::rollover_state& seen) {
  using enum eventlog::rollover_action;
  if (next.action == make_snapshot) return make_snapshot_now();
  if (next.action == drop_snapshot) return shelf_.drop(seen.snapshots.front());
  if (auto emptied = keeper_->empty(next.generation); !emptied) return emptied;
  ++probe_->emptied;
  keeper_logger.info("a generation of the log was emptied, since snapshots cover it",
                     logging::kv("generation", next.generation.value));
  return {};
}

result<void> log_keeper::make_snapshot_now() {
  const auto usage = seams_.database->usage();
  if (!usage) return fail(usage.error());
  std::error_code failed;
  const auto room = std::filesystem::space(seams_.dir->path(), failed).available;
  const auto need = 2 * usage->used_bytes + reserve;
  if (!failed && room < need)
    return fail(ec::out_of_space, "a snapshot of the store needs " + std::to_string(need) +
                                      " bytes in " + seams_.dir->path().string() + ", which has " +
                                      std::to_string(room));
  if (auto made = shelf_.make([this] { return stopping(); }); !made) return made;
  ++probe_->snapshots;
  probe_->snapshot_at.set_time(system_clock_source().wall());
  return {};
}

}  // namespace argosy::argosyd
