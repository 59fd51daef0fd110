// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/simulation.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "bins/simulator/agent_machine.hpp"
#include "bins/simulator/control_plane.hpp"
#include "bins/simulator/watcher.hpp"
#include "bins/simulator/witness/log_reader.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "runtime/store/scan.hpp"
#include "runtime/trace/context.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

/// How often what was promised is compared with the log while the faults go on.
constexpr auto look_pause = 10min;
/// How long the system may take to come to rest when the faults are over.
constexpr auto rest_max = 2h;
constexpr auto rest_look = 10s;
/// More messages without any time passing mean that something goes in a circle.
constexpr std::uint64_t messages_at_once_max = 2'000'000;
constexpr std::size_t findings_max = 20;
constexpr std::size_t watchers_count = 4;

/// The time that tracing sees, which is that of the one world of this thread.
thread_local const virtual_time* traced_time = nullptr;

std::int64_t trace_now() noexcept {
  return traced_time == nullptr ? 1 : traced_time->now().count() + 1;
}

/// What a table holds depends on the process that wrote it, and not on the log alone.
bool is_of_process(store::table table) {
  return table == store::table::meta || table == store::table::tail;
}

std::uint64_t digest_of(store::database& of, store::table table) {
  std::uint64_t out = 0;
  const auto txn = of.begin_read();
  if (!txn) return out;
  static_cast<void>(store::scan(**txn, table, {}, [&](const store::entry& entry) {
    out = XXH3_64bits_withSeed(entry.key.data(), entry.key.size(), out);
    out = XXH3_64bits_withSeed(entry.value.data(), entry.value.size(), out);
    return true;
  }));
  return out;
}

class world {
 public:
  explicit world(const simulation_settings& settings)
      : settings_(settings), seeds_(settings.seed), around_(seeds_, settings.trace_file) {
    around_.found = [this](std::string what) { find(std::move(what)); };
    around_.asked = [this] { plane_->aims().reach(crash_point::asked); };
    traced_time = &around_.time;
    trace::reset();
    trace::seed_ids(seeds_.next());
    trace::set_time_source(trace_now);
    plane_ = std::make_unique<control_plane>(0, around_, seeds_.next());
    machines_.push_back(plane_.get());
    for (std::size_t i = 1; i <= settings.agents; ++i) {
      agents_.push_back(std::make_unique<agent_machine>(i, around_, agent_size{}, seen_));
      agents_.back()->clock().set_drift(static_cast<std::int64_t>(seeds_.below(400)) - 200);
      machines_.push_back(agents_.back().get());
    }
    crowd_ = std::make_unique<crowd>(around_, seeds_.next(), settings.users);
    ends_.push_back(&crowd_->end());
    for (std::size_t i = 0; i < watchers_count; ++i)
      add_watcher(crowd::queue_of(i % settings.users.queues), crowd::set_of(i), false);
    out_.plan = make_fault_plan(seeds_.next(), settings.by, settings.length);
  }
  ~world() {
    watchers_.clear();
    crowd_.reset();
    agents_.clear();
    plane_.reset();
    trace::set_time_source(nullptr);
    traced_time = nullptr;
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  simulation_result run() {
    for (std::size_t i = 0; i < out_.plan.size(); ++i) {
      const bool kept =
          !settings_.faults || std::ranges::find(*settings_.faults, i) != settings_.faults->end();
      if (kept) around_.time.at(out_.plan[i].at, [this, i] { happen(out_.plan[i]); });
    }
    for (auto* one : machines_) one->start();
    crowd_->begin(settings_.length);
    for (auto at = virtual_time::duration{look_pause}; at < settings_.length; at += look_pause)
      around_.time.at(at, [this] {
        // A log that has lost its tail gets it back when somebody leads.
        if (plane_->leads()) judge(false);
      });
    run_until(settings_.length);
    come_to_rest();
    judge(true);
    judge_watchers();
    judge_store();
    conclude();
    return std::move(out_);
  }

 private:
  void find(std::string what) {
    if (std::ranges::find(out_.findings, what) != out_.findings.end()) return;
    around_.trace.add(around_.time.now(), "FOUND", what);
    if (out_.findings.size() < findings_max) out_.findings.push_back(std::move(what));
  }

  // ---- faults -----------------------------------------------------------------------------------

  /// Takes the link of a machine, or of a user.
  void set_link(std::uint64_t which, link_state to) {
    const auto place = which % (machines_.size() + ends_.size());
    if (place < machines_.size()) return machines_[place]->set_link(to);
    ends_[place - machines_.size()]->set_link(to);
  }
  machine& any_machine(std::uint64_t which) { return *machines_[which % machines_.size()]; }
  agent_machine& any_agent(std::uint64_t which) { return *agents_[which % agents_.size()]; }

  template <class Machine>
  void aim(Machine& at, const fault& what) {
    at.aims().add(what.point, [this, &at, what] {
      around_.time.after(std::chrono::microseconds{what.amount},
                         [&at, what] { at.crash(what.span); });
    });
  }

  void happen(const fault& what) {
    around_.trace.add(around_.time.now(), "FAULT", to_text(what));
    ++out_.faults[what.kind];
    if (what.kind != fault_kind::step_clock)
      faults_end_ = std::max(faults_end_, around_.time.now() + what.span);
    switch (what.kind) {
      case fault_kind::kill_plane:
        plane_->crash(what.span);
        break;
      case fault_kind::kill_agent:
        any_agent(what.which).crash(what.span);
        break;
      case fault_kind::aim_at_plane:
        aim(*plane_, what);
        break;
      case fault_kind::aim_at_agent:
        aim(any_agent(what.which), what);
        break;
      case fault_kind::lose_tail:
        plane_->crash(what.span);
        plane_->lose_log_tail(what.amount);
        break;
      case fault_kind::cut_link:
      case fault_kind::silence_link:
        cut(what);
        break;
      case fault_kind::pause:
        any_machine(what.which).pause(what.span);
        break;
      case fault_kind::step_clock:
        any_machine(what.which).clock().step_wall(what.span);
        break;
      case fault_kind::slow_disk: {
        auto& one = any_machine(what.which);
        one.set_slowness(static_cast<double>(what.amount));
        around_.time.after(what.span, [&one] { one.set_slowness(1); });
        break;
      }
      case fault_kind::restart_plane:
        plane_->restart();
        break;
    }
  }

  void cut(const fault& what) {
    if (what.kind == fault_kind::silence_link) {
      set_link(what.which, link_state::half_open);
      around_.time.after(what.span / 2, [this, what] { set_link(what.which, link_state::cut); });
    } else {
      set_link(what.which, link_state::cut);
    }
    around_.time.after(what.span, [this, what] { set_link(what.which, link_state::up); });
  }

  // ---- time -------------------------------------------------------------------------------------

  bool run_one() {
    std::array<machine*, 64> ready{};
    std::size_t count = 0;
    for (auto* one : machines_)
      if (one->has_work() && count < ready.size()) ready[count++] = one;
    if (count == 0) return false;
    ready[around_.order.below(count)]->work();
    ++out_.messages;
    return true;
  }

  void settle() {
    for (std::uint64_t i = 0; run_one(); ++i) {
      if (i < messages_at_once_max) continue;
      find("the actors go in a circle without any time passing");
      break;
    }
  }

  void run_until(virtual_time::duration end) {
    for (;;) {
      settle();
      auto next = end;
      const auto take = [&](std::optional<virtual_time::duration> due) {
        if (due) next = std::min(next, *due);
      };
      take(around_.time.next());
      for (const auto* one : ends_) take(one->due());
      for (auto* one : machines_) take(one->due());
      const bool done = next >= end && around_.time.now() >= end;
      around_.time.move_to(next);
      for (auto* one : machines_) one->follow_time();
      for (auto* one : ends_) one->follow_time();
      around_.time.run_due();
      if (done) return;
    }
  }

  // ---- the verdict ------------------------------------------------------------------------------

  void come_to_rest() {
    run_until(std::max(around_.time.now(), faults_end_));
    const auto end = around_.time.now() + rest_max;
    do {
      run_until(around_.time.now() + rest_look);
      if (crowd_->is_served() && plane_->leads() && is_over()) return;
    } while (around_.time.now() < end);
    find("the system has not come to rest");
  }

  bool is_over() {
    const auto story = read_story();
    return std::ranges::all_of(crowd_->told(), [&](const auto& one) {
      const auto at = story.jobs().find(one.job);
      return at == story.jobs().end() || at->second.terminals > 0;
    });
  }

  witness::log_story read_story() {
    witness::log_story story;
    const auto read = witness::read_log(
        plane_->log(),
        [&](std::uint64_t record, const model::event& event) { story.add(record, event); });
    if (!read) find("the log cannot be read: " + read.error().detail);
    story.finish();
    return story;
  }

  void judge(bool all_over) {
    witness::rules rules;
    rules.all_over = all_over;
    for (const auto& one : agents_) one->note_alive();
    out_.verdict = witness::judge(read_story(), seen_, crowd_->told(), rules);
    if (out_.verdict.good()) return;
    for (const auto& one : out_.verdict.findings) {
      // Ends, and preemptions that make room, may be on their way into the log.
      if (!all_over && (one.promise == "D4" || one.promise == "D5")) continue;
      find(one.promise + ": " + one.text);
    }
  }

  void add_watcher(const std::string& queue, const std::string& job_set, bool only_past) {
    watchers_.push_back(std::make_unique<watcher>(around_, queue, job_set, only_past));
    ends_.push_back(&watchers_.back()->end());
  }

  /// Somebody reads from the beginning what the watchers have seen piece by piece.
  void judge_watchers() {
    const auto watched = watchers_.size();
    for (std::size_t i = 0; i < watched; ++i)
      add_watcher(watchers_[i]->queue(), watchers_[i]->job_set(), true);
    run_until(around_.time.now() + 60s);
    for (std::size_t i = 0; i < watched; ++i) {
      const auto& all = *watchers_[watched + i];
      if (!all.has_ended()) {
        find("nobody could read the events of " + all.queue() + "/" + all.job_set());
        continue;
      }
      if (auto wrong = compare(*watchers_[i], all.seen()); !wrong.empty()) find(std::move(wrong));
      if (watchers_[i]->seen().size() < all.seen().size())
        find("the watcher of " + all.queue() + "/" + all.job_set() + " saw " +
             std::to_string(watchers_[i]->seen().size()) + " of " +
             std::to_string(all.seen().size()) + " events");
      out_.watched += watchers_[i]->seen().size();
      out_.streams += watchers_[i]->opened();
    }
  }

  /// Whoever has nothing but the log comes to what the store holds.
  void judge_store() {
    store::memory_database replayed;
    const auto state = view::recover(replayed, plane_->log(), {}, plane_->log_key());
    if (!state) return find("the log cannot be replayed: " + state.error().detail);
    for (std::size_t i = 0; i < store::table_names.size(); ++i) {
      const auto table = static_cast<store::table>(i);
      if (is_of_process(table)) continue;
      if (digest_of(replayed, table) != digest_of(plane_->database(), table))
        find("D11: table " + std::string{store::table_names[i]} +
             " of the store is not what a replay of the log gives");
    }
  }

  void conclude() {
    auto& log = plane_->log();
    const auto last = log.last_position();
    XXH3_state_t* digest = XXH3_createState();
    XXH3_64bits_reset(digest);
    for (model::log_position at{1}; last && at <= *last; ++at)
      if (const auto record = log.get(at)) {
        XXH3_64bits_update(digest, record->data.data(), record->data.size());
        ++out_.records;
      }
    out_.log_digest = XXH3_64bits_digest(digest);
    XXH3_freeState(digest);
    for (std::size_t i = 0; i < store::table_names.size(); ++i)
      out_.store_digest =
          out_.store_digest * 31 + digest_of(plane_->database(), static_cast<store::table>(i));
    out_.trace_digest = around_.trace.digest();
    out_.starts = plane_->starts();
    out_.users = crowd_->counts();
  }

  const simulation_settings settings_;
  dice seeds_;
  simulation_result out_;
  virtual_time::duration faults_end_{};  ///< When links are whole again and machines awake.
  surroundings around_;
  witness::traces seen_;
  std::unique_ptr<control_plane> plane_;
  std::vector<std::unique_ptr<agent_machine>> agents_;
  std::vector<machine*> machines_;
  std::unique_ptr<crowd> crowd_;
  std::vector<std::unique_ptr<watcher>> watchers_;
  std::vector<user_end*> ends_;  ///< Those of the crowd and of the watchers.
};

}  // namespace

simulation_result simulate(const simulation_settings& settings) {
  return world{settings}.run();
}

std::optional<std::vector<std::size_t>> shrink(simulation_settings settings) {
  settings.trace_file.clear();
  auto first = simulate(settings);
  if (first.findings.empty()) return {};
  std::vector<std::size_t> kept;
  if (settings.faults)
    kept = *settings.faults;
  else
    for (std::size_t i = 0; i < first.plan.size(); ++i) kept.push_back(i);
  const auto fails_with = [&](const std::vector<std::size_t>& some) {
    settings.faults = some;
    return !simulate(settings).findings.empty();
  };
  for (auto chunk = (kept.size() + 1) / 2; chunk > 0; chunk = chunk > 1 ? (chunk + 1) / 2 : 0)
    for (std::size_t at = 0; at < kept.size();) {
      auto rest = kept;
      const auto from = rest.begin() + static_cast<std::ptrdiff_t>(at);
      rest.erase(from,
                 rest.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, kept.size())));
      if (fails_with(rest))
        kept = std::move(rest);
      else
        at += chunk;
    }
  return kept;
}

}  // namespace argosy::sim
