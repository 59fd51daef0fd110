// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/simulation.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bins/simulator/agent_machine.hpp"
#include "bins/simulator/control_plane.hpp"
#include "bins/simulator/mischief.hpp"
#include "bins/simulator/operators.hpp"
#include "bins/simulator/watcher.hpp"
#include "bins/simulator/witness/fair_story.hpp"
#include "bins/simulator/witness/log_reader.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
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

/// The tables in which the log alone decides what stands, and which are not alike.
std::vector<std::string> tables_that_differ(store::database& one, store::database& other) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < store::table_names.size(); ++k) {
    const auto table = static_cast<store::table>(k);
    if (!is_of_process(table) && digest_of(one, table) != digest_of(other, table))
      out.emplace_back(store::table_names[k]);
  }
  return out;
}

/// Every record that a log has ever taken from a control plane, also those that it has lost.
class all_records {
 public:
  void add(model::log_position at, std::string_view data) {
    records_.emplace(codec::batch_hash(data), std::pair{at, std::string{data}});
  }
  /// Gives the events of the chain up to the batch with this hash; 0: none. Returns whether all of
  /// it was ever stored.
  [[nodiscard]] bool read_to(std::uint64_t hash, const witness::event_taker& take) const {
    std::vector<std::pair<model::log_position, model::log_batch>> chain;
    while (hash != 0) {
      const auto found = records_.find(hash);
      if (found == records_.end()) return false;
      auto batch = codec::decode_batch(found->second.second);
      if (!batch) return false;
      hash = batch->previous_hash;
      chain.emplace_back(found->second.first, std::move(*batch));
    }
    for (auto one = chain.rbegin(); one != chain.rend(); ++one)
      for (const auto& event : one->second.events) take(one->first.value, event);
    return true;
  }

 private:
  std::unordered_map<std::uint64_t, std::pair<model::log_position, std::string>> records_;
};

/// Where the log of all control planes is.
struct log_server {
  explicit log_server(const virtual_time& time) : clock(time, 0s) {}

  machine_clock clock;
  eventlog::memory_log log{clock, {.never_wait = true}};
  all_records ever_stored{};
};

class world {
 public:
  explicit world(const simulation_settings& settings)
      : settings_(settings), seeds_(settings.seed), around_(seeds_, settings.trace_file) {
    around_.found = [this](std::string what) { find(std::move(what)); };
    around_.asked = [this] { plane().health().aims.reach(crash_point::asked); };
    around_.excuses = [this](ec code) {
      return (code == ec::internal || code == ec::out_of_space) && mischief_ &&
             around_.time.now() < mischief_->excused_until();
    };
    around_.leads = [this](std::size_t number) {
      out_.takeovers += last_leader_ && *last_leader_ != number;
      last_leader_ = number;
    };
    traced_time = &around_.time;
    trace::reset();
    trace::seed_ids(seeds_.next());
    trace::set_time_source(trace_now);
    around_.stored = [this](model::log_position at, std::string_view data) {
      server_.ever_stored.add(at, data);
    };
    around_.leaders_store = [this]() -> std::unique_ptr<store::memory_database> {
      for (const auto& one : planes_)
        if (auto copy = one->give_store()) return copy;
      return nullptr;
    };
    const auto count = settings.planes != 0 ? settings.planes : seeds_.one_in(3) ? 2 : 1;
    for (std::size_t i = 0; i < count; ++i)
      add_plane(i == 0 ? 0 : settings.agents + i, count >= ledger::planes_wanted);
    // In small clusters jobs wait for one another.
    agent_size size;
    size.nodes = 2 + static_cast<std::uint32_t>(seeds_.below(7));
    for (std::size_t i = 1; i <= settings.agents; ++i) {
      agents_.push_back(std::make_unique<agent_machine>(i, around_, size, seen_));
      agents_.back()->clock().set_drift(static_cast<std::int64_t>(seeds_.below(400)) - 200);
      machines_.push_back(agents_.back().get());
    }
    crowd_ = std::make_unique<crowd>(around_, seeds_.next(), settings.users);
    ends_.push_back(&crowd_->desk().end());
    for (std::size_t i = 0; i < watchers_count; ++i)
      add_watcher(crowd::queue_of(i % settings.users.queues), crowd::set_of(i), false);
    out_.plan = make_fault_plan(seeds_.next(), settings.by, settings.length);
    victims all{{}, {}, machines_, ends_};
    for (const auto& one : planes_) all.planes.push_back(one.get());
    for (const auto& one : agents_) all.agents.push_back(one.get());
    std::vector<settings_file*> files;
    for (const auto& one : planes_) files.push_back(&one->settings());
    operators_ = std::make_unique<operators>(around_, seeds_.next(), std::move(files), all.agents,
                                             settings.users.queues);
    mischief_ = std::make_unique<mischief>(around_, std::move(all));
    // No fault befalls operators, who say of a cluster that it is gone while it is.
    ends_.push_back(&operators_->end());
  }
  ~world() {
    watchers_.clear();
    operators_.reset();
    crowd_.reset();
    agents_.clear();
    planes_.clear();
    trace::set_time_source(nullptr);
    traced_time = nullptr;
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  simulation_result run() {
    for (std::size_t i = 0; i < out_.plan.size(); ++i) {
      const bool kept =
          !settings_.faults || std::ranges::find(*settings_.faults, i) != settings_.faults->end();
      if (kept) mischief_->arrange(out_.plan[i]);
    }
    // A cluster may be added while the others have work.
    auto* const late = agents_.size() > 1 && seeds_.one_in(2) ? agents_.back().get() : nullptr;
    for (auto* one : machines_)
      if (one != late) one->start();
    if (late != nullptr)
      around_.time.at(60s + seeds_.below(std::chrono::nanoseconds{10min}),
                      [late] { late->start(); });
    crowd_->begin(settings_.length);
    operators_->begin(settings_.length);
    for (auto at = virtual_time::duration{look_pause}; at < settings_.length; at += look_pause)
      around_.time.at(at, [this] {
        // A log that has lost its tail gets it back when somebody leads.
        if (plane().leads()) judge(false);
      });
    run_until(settings_.length);
    come_to_rest();
    judge(true);
    const auto due = end_of(plane()).position;
    judge_watchers();
    judge_stores(due);
    check_store();
    judge_fairness();
    conclude();
    return std::move(out_);
  }

 private:
  void add_plane(std::size_t number, bool together) {
    planes_.push_back(
        std::make_unique<control_plane>(number, around_, seeds_.next(), server_.log, together));
    machines_.push_back(planes_.back().get());
  }
  /// The one that leads, or any.
  control_plane& plane() {
    const auto leader = std::ranges::find_if(planes_, [](const auto& one) { return one->leads(); });
    return leader == planes_.end() ? *planes_.front() : **leader;
  }

  void find(std::string what) {
    if (std::ranges::find(out_.findings, what) != out_.findings.end()) return;
    around_.trace.add(around_.time.now(), "FOUND", what);
    if (out_.findings.size() < findings_max) out_.findings.push_back(std::move(what));
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
    run_until(std::max(around_.time.now(), mischief_->over()));
    const auto end = around_.time.now() + rest_max;
    do {
      run_until(around_.time.now() + rest_look);
      if (unrest().empty()) return;
    } while (around_.time.now() < end);
    find("the system has not come to rest: " + unrest());
  }

  /// What still goes on; empty: nothing.
  std::string unrest() {
    if (!plane().leads()) return "nobody leads";
    if (!crowd_->is_served()) return "requests of users are not answered";
    if (!operators_->is_served()) return "requests of operators are not answered";
    const auto story = read_story();
    for (const auto& one : crowd_->told()) {
      const auto at = story.jobs().find(one.job);
      if (at == story.jobs().end() || at->second.terminals > 0) continue;
      return "job " + one.job + " of queue " + at->second.queue + " with " +
             std::to_string(at->second.last_run) + " runs " +
             (at->second.active ? "runs on " + at->second.node : "waits");
    }
    return {};
  }

  /// All that counts. Where planes decide together that is what the farthest store has applied, of
  /// which the log may have lost a part.
  void read_events(const witness::event_taker& take) {
    if (!planes_.front()->is_together()) {
      const auto read = witness::read_log(server_.log, take);
      if (!read) find("the log cannot be read: " + read.error().detail);
      return;
    }
    model::record_name end;
    for (const auto& one : planes_)
      if (const auto at = end_of(*one); ledger::is_farther(at.name(), end)) end = at.name();
    if (!server_.ever_stored.read_to(end.hash, take)) find("no log ever had what a store has");
  }

  witness::log_story read_story() {
    witness::log_story story;
    read_events([&](std::uint64_t record, const model::event& event) { story.add(record, event); });
    story.finish();
    return story;
  }

  void judge(bool all_over) {
    witness::rules rules;
    rules.all_over = all_over;
    rules.knows_cancels = true;
    rules.lost_max = 6;
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

  /// How far a store has come.
  static view::view_position end_of(control_plane& of) {
    const auto txn = of.database().begin_read();
    const auto at = view::read_position(**txn);
    return at && *at ? **at : view::view_position{};
  }

  /// Whoever has nothing but the log comes to what the stores hold, and nobody who waits lacks
  /// anything that was there a minute ago.
  void judge_stores(model::log_position due) {
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      auto* const one = planes_[i].get();
      const auto at = end_of(*one).position;
      if (at < due)
        find("the store of control plane " + std::to_string(i) + " has record " + to_string(at) +
             " and not " + to_string(due));
      if (one->is_together()) {
        compare_stores(*one, plane());
        continue;
      }
      store::memory_database replayed;
      view::recovery replay{replayed, server_.log, {}, one->log_key()};
      const auto newest = end_of(*one).generation;
      auto done = replay.follow(newest, at);
      for (model::log_position before; done && !*done && replay.position().position > before;) {
        before = replay.position().position;
        done = replay.follow(newest, at);
      }
      if (!done) return find("the log cannot be replayed: " + done.error().detail);
      for (const auto& table : tables_that_differ(replayed, one->database()))
        find("D11: table " + table + " of the store of control plane " + std::to_string(i) +
             " is not what a replay of the log gives");
    }
  }

  /// Where planes decide together, the log need not have all that they have.
  void compare_stores(control_plane& one, control_plane& other) {
    if (end_of(one).name() != end_of(other).name()) return;
    for (const auto& table : tables_that_differ(one.database(), other.database()))
      find("D11: two planes differ in table " + table);
  }

  void judge_fairness() {
    witness::fair_story story;
    read_events([&](std::uint64_t, const model::event& event) { story.add(event); });
    for (const auto& text : story.findings()) find("fairness: " + text);
    out_.comparisons = story.comparisons();
  }

  /// What the store says twice agrees.
  void check_store() {
    const auto txn = plane().database().begin_read();
    view::check_report report;
    const auto end = view::check_store(**txn, &plane().log_key(), report);
    if (!end) return find("the store cannot be checked: " + end.error().detail);
    if (*end)
      if (auto done = view::check_log(server_.log, **txn, **end, &plane().log_key(), report); !done)
        return find("the log cannot be checked: " + done.error().detail);
    for (const auto& one : report.findings())
      find("check of " + one.place + ", " + one.key + ": " + one.fault);
  }

  void conclude() {
    auto& log = server_.log;
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
      for (const auto& one : planes_)
        out_.store_digest =
            out_.store_digest * 31 + digest_of(one->database(), static_cast<store::table>(i));
    out_.trace_digest = around_.trace.digest();
    for (const auto& one : planes_) out_.starts += one->starts();
    out_.users = crowd_->counts();
    out_.faults = mischief_->counts();
    out_.acts = operators_->counts();
  }

  const simulation_settings settings_;
  dice seeds_;
  simulation_result out_;
  surroundings around_;
  witness::traces seen_;
  log_server server_{around_.time};
  std::vector<std::unique_ptr<control_plane>> planes_;
  std::optional<std::size_t> last_leader_;  ///< The number of its machine.
  std::vector<std::unique_ptr<agent_machine>> agents_;
  std::vector<machine*> machines_;
  std::unique_ptr<crowd> crowd_;
  std::vector<std::unique_ptr<watcher>> watchers_;
  std::vector<user_end*> ends_;  ///< Those of the crowd and of the watchers.
  std::unique_ptr<operators> operators_;
  std::unique_ptr<mischief> mischief_;
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
