// SPDX-License-Identifier: Apache-2.0
// Goal: a pool's state that lived on from round to round decides what schedule() decides, whatever
// happened in between. Method: random worlds go on for some steps. In each step jobs come, end and
// are told again, nodes come, go, close and change, queues, settings, time and tokens change, the
// snapshot is made compact, plans are carried out or not, and a round is left out. Then whole plans
// are compared. ARGOSY_ORACLE_WORLDS sets the number of worlds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "runtime/scheduling/pool_state.hpp"
#include "tests/oracle/engine_side.hpp"
#include "tests/oracle/random_worlds.hpp"
#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {
namespace {

namespace engine = argosy::scheduling;

std::string text_of(const engine::plan& p) {
  std::ostringstream out;
  out << p.error << "|" << p.violation << "|";
  for (const auto amount : p.pool_total) out << amount << " ";
  for (const auto& l : p.leases)
    out << "\nS " << l.job_index << " " << l.node << " " << l.priority << " " << l.away;
  for (const auto& l : p.preemptions)
    out << "\nP " << l.job_index << " " << l.node << " " << static_cast<int>(l.cause) << " "
        << l.preemptor_index;
  for (const auto& id : p.failed) out << "\nF " << to_string(id);
  for (const auto& r : p.refusals)
    out << "\nR " << r.job_index << " " << to_string(r.code) << " " << r.jobs;
  for (const auto& s : p.skips)
    out << "\nK " << s.queue << " " << s.shape << " " << to_string(s.code) << " " << s.jobs;
  for (const auto& q : p.queues) {
    out << "\nQ " << q.name << " " << q.fair_share << " " << q.capped_share << " " << q.cost_before
        << " " << q.cost_after << " " << q.leased << " " << q.preempted << " " << q.tokens_used;
    for (const auto amount : q.used_after) out << " " << amount;
  }
  out << "\n"
      << p.rescheduled << " " << p.spared_by_draw << " " << p.of_age_ns.value_or(-1) << " "
      << p.tokens_used << " " << p.preemption_tokens_used << " " << p.digest;
  return out.str();
}

/// A world that goes on. All of it is known by rows, and told to one snapshot.
class going_world {
 public:
  going_world(const world& w, std::uint64_t seed, bool as_armada) : rows_(rows_of(w)), dice_(seed) {
    if (as_armada) {
      auto conf = engine::bench_config(engine::preset::current);
      conf.classes = rows_.conf.classes;
      conf.node_types = rows_.conf.node_types;
      conf.default_class = rows_.conf.default_class;
      conf.floating = rows_.conf.floating;
      conf.indexed_labels = rows_.conf.indexed_labels;
      conf.indexed_taints = rows_.conf.indexed_taints;
      rows_.conf = conf;
    }
    conf_ = std::make_shared<engine::config>(rows_.conf);
    snapshot_ = std::make_unique<engine::snapshot>(*conf_);
    several_ = below(4) == 0;
    for (auto& n : rows_.nodes) {
      if (several_ && below(3) == 0) n.pool = "second";
      (void)snapshot_->upsert_node(n);
    }
    for (const auto& q : rows_.queues) (void)snapshot_->upsert_queue(q);
    for (std::size_t i = 0; i < rows_.jobs.size(); ++i) tell(rows_.jobs[i], rows_.shapes[i]);
    snapshot_->settle();
  }

  /// Some things happen.
  void go_on() {
    rows_.params.round_time_ns += static_cast<std::int64_t>(below(5)) * 1'000'000'000;
    rows_.params.seed += below(2);
    for (auto left = below(6); left > 0; --left) happen();
    snapshot_->settle();
    if (below(12) == 0) (void)snapshot_->compact();
    if (below(8) == 0) snapshot_->settle();
  }

  /// Decides a pool both ways. Returns what differs, and nothing if nothing does.
  std::string decide() {
    auto params = rows_.params;
    params.pool = several_ && below(2) == 0 ? "second" : "default";
    auto& state = states_[params.pool];
    last_ = state.decide(*snapshot_, conf_, params);
    ++rounds;
    const auto fresh = engine::schedule(*snapshot_, *conf_, params);
    failed += fresh.error.empty() && fresh.violation.empty() ? 0 : 1;
    decided += fresh.leases.size() + fresh.preemptions.size();
    const auto kept = text_of(last_);
    const auto wanted = text_of(fresh);
    return kept == wanted ? "" : "kept:\n" + kept + "\nfresh:\n" + wanted;
  }

  /// The last plan is carried out, or a part of it.
  void carry_out() {
    if (below(5) == 0) return;
    for (const auto& l : last_.leases) {
      if (below(20) == 0) continue;
      auto& job = live_.at(l.job);
      job.first.run = engine::run_row{std::string(snapshot_->node_id(l.node)),
                                      rows_.params.round_time_ns, l.priority, "", false};
    }
    std::vector<ulid> told;
    for (const auto& l : last_.leases) told.push_back(l.job);
    for (const auto& p : last_.preemptions) {
      auto& job = live_.at(p.job);
      if (below(2) == 0)
        job.first.run->stopping = true;
      else
        job.first.run.reset();
      told.push_back(p.job);
    }
    for (const auto& id : last_.failed) remove(id);
    for (const auto& id : told)
      if (const auto at = live_.find(id); at != live_.end())
        tell(at->second.first, at->second.second);
    snapshot_->settle();
  }

  [[nodiscard]] std::uint64_t made_anew() const {
    std::uint64_t sum = 0;
    for (const auto& [pool, state] : states_) sum += state.made_anew();
    return sum;
  }

  std::uint64_t rounds = 0;
  std::uint64_t failed = 0;
  std::uint64_t decided = 0;

 private:
  std::uint64_t below(std::uint64_t n) { return draw_random(dice_) % n; }

  void tell(engine::job_row row, const engine::shape_row& shape) {
    const auto number = snapshot_->intern(shape);
    if (!number) return;
    row.shape = *number;
    if (several_ && !live_.contains(row.id) && below(3) == 0)
      row.pools = {below(2) == 0 ? "second" : "default"};
    if (!snapshot_->upsert_job(row)) return;
    live_.insert_or_assign(row.id, std::pair{row, shape});
  }
  void remove(const ulid& id) {
    live_.erase(id);
    snapshot_->remove_job(id);
  }

  void happen() {
    // What changes nodes is rarer, since it makes the state anew.
    switch (below(24)) {
      case 0:
        return change_node();
      case 1:
        return change_queue();
      case 2:
        return change_settings();
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        return end_one();
      case 9:
        return stop_one();
      default:
        return submit();
    }
  }
  std::map<ulid, std::pair<engine::job_row, engine::shape_row>>::iterator any_job() {
    return std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(live_.size())));
  }
  void end_one() {
    if (!live_.empty()) remove(ulid{any_job()->first});
  }
  void stop_one() {
    if (live_.empty()) return;
    auto& [row, shape] = any_job()->second;
    if (!row.run) return;
    row.run->stopping = true;
    tell(row, shape);
  }
  void submit() {
    if (rows_.jobs.empty() || live_.size() > 200) return;
    const auto like = below(rows_.jobs.size());
    auto row = rows_.jobs[like];
    auto shape = rows_.shapes[like];
    if (below(6) == 0)
      for (auto& [name, amount] : shape.requests) amount += static_cast<std::int64_t>(below(500));
    row.run.reset();
    ++born_;
    const auto members = row.gang ? row.gang->cardinality : 1;
    for (std::uint32_t i = 0; i < members; ++i) {
      row.id = {};
      row.id.bytes[11] = 1;
      row.id.bytes[12] = static_cast<std::uint8_t>(born_ >> 8);
      row.id.bytes[13] = static_cast<std::uint8_t>(born_ & 255);
      row.id.bytes[15] = static_cast<std::uint8_t>(i);
      row.submit_ns += 1;
      if (row.gang) row.gang->id = "h" + std::to_string(born_);
      tell(row, shape);
    }
  }
  void change_node() {
    auto& n = rows_.nodes[below(rows_.nodes.size())];
    switch (below(6)) {
      case 0:
        n.unschedulable = !n.unschedulable;
        break;
      case 1:
        for (auto& [name, amount] : n.total) amount += static_cast<std::int64_t>(below(3)) * 1000;
        break;
      case 2:
        n.labels.emplace_back("new", std::to_string(below(3)));
        break;
      case 3:
        return snapshot_->remove_node(n.id);
      case 4: {
        auto made = n;
        made.id = "m" + std::to_string(++born_);
        rows_.nodes.push_back(made);
        (void)snapshot_->upsert_node(made);
        return;
      }
      default:
        break;  // It is told as it was.
    }
    (void)snapshot_->upsert_node(n);
  }
  void change_queue() {
    auto& q = rows_.queues[below(rows_.queues.size())];
    if (below(2) == 0)
      q.cordoned = !q.cordoned;
    else
      q.priority_factor = 1 + static_cast<double>(below(3));
    (void)snapshot_->upsert_queue(q);
  }
  void change_settings() {
    if (below(2) == 0) {
      rows_.params.tokens = static_cast<double>(below(10));
      return;
    }
    rows_.conf.max_lookback = below(8);
    conf_ = std::make_shared<engine::config>(rows_.conf);
  }

  engine_rows rows_;
  std::uint64_t dice_;
  bool several_ = false;
  std::shared_ptr<const engine::config> conf_;
  std::unique_ptr<engine::snapshot> snapshot_;
  std::map<ulid, std::pair<engine::job_row, engine::shape_row>> live_;
  std::uint64_t born_ = 0;
  std::map<std::string, engine::pool_state> states_;
  engine::plan last_;
};

struct asked {
  kind preset;
  breadth how;
  bool as_armada = false;
};

class kept_state : public ::testing::TestWithParam<asked> {};

TEST_P(kept_state, decides_what_a_fresh_one_decides) {
  constexpr int steps = 25;
  const auto [preset, how, as_armada] = GetParam();
  std::uint64_t rounds = 0;
  std::uint64_t anew = 0;
  std::uint64_t failed = 0;
  std::uint64_t decided = 0;
  std::uint64_t world_number = 0;
  check_worlds(preset, how, how == breadth::crowded ? 15 : 40, [&](const world& w) {
    going_world at(w, chosen_seed() * 1000 + ++world_number, as_armada);
    for (int step = 0; step < steps; ++step) {
      const auto differs = at.decide();
      if (!differs.empty()) RC_FAIL("step " + std::to_string(step) + "\n" + differs);
      at.carry_out();
      at.go_on();
    }
    rounds += at.rounds;
    anew += at.made_anew();
    failed += at.failed;
    decided += at.decided;
  });
  EXPECT_LT(anew * 2, rounds);
  // As in Armada, many odd worlds make the round fail under `current`.
  EXPECT_LT(failed * 4, rounds * 3);
  EXPECT_GT(decided, rounds / 10);
  if (std::getenv("ARGOSY_ORACLE_WORLDS") != nullptr)
    std::cout << rounds << " rounds, " << anew << " made anew, " << failed << " failed, " << decided
              << " decisions\n";
}

std::vector<asked> all_asked() {
  std::vector<asked> out;
  for (const auto preset : {kind::argosy, kind::unified, kind::classic, kind::lottery})
    for (const auto how : {breadth::wide, breadth::mixed, breadth::crowded})
      out.push_back({preset, how});
  for (const auto how : {breadth::wide, breadth::crowded}) out.push_back({kind::argosy, how, true});
  return out;
}

std::string name_of_asked(const ::testing::TestParamInfo<asked>& info) {
  const auto& what = info.param;
  const auto* preset =
      what.as_armada ? "current" : kind_names[static_cast<std::size_t>(what.preset)];
  constexpr std::array<const char*, 4> breadths = {"plain", "wide", "mixed", "crowded"};
  return std::string(preset) + "_" + breadths[static_cast<std::size_t>(what.how)];
}

INSTANTIATE_TEST_SUITE_P(presets, kept_state, ::testing::ValuesIn(all_asked()), name_of_asked);

}  // namespace
}  // namespace argosy::oracle
