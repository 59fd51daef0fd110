// SPDX-License-Identifier: Apache-2.0
// Goal: no process leads that lacks an acknowledged change, and somebody always can. Method: a
// world of two processes, their stores and one log, of which every order of events is walked:
// processes that start, die, hear and lead, and a server that starts anew with its log as it was,
// set back or gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/ledger/claim_policy.hpp"

namespace argosy::ledger {
namespace {

// Records are numbers; those from 100 on are claims: 100 x the epoch + 10 x the
// start of the server + the process.

using chain = std::vector<int>;

bool begins_with(const chain& whole, const chain& part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

struct process {
  bool alive = false;
  bool leads = false;
  chain store;
  std::optional<leader_standing> met;

  friend auto operator<=>(const process& a, const process& b) {
    const auto key = [](const process& p) {
      return std::tuple{p.alive,
                        p.leads,
                        p.store,
                        p.met ? p.met->epoch.value : 0,
                        p.met ? p.met->position.value : 0,
                        p.met ? p.met->server_id : ""};
    };
    return key(a) <=> key(b);
  }
};

struct world {
  std::array<process, 2> processes;
  std::optional<chain> log;  ///< Nothing: there is none.
  int server = 1;            ///< Which start of the server it is.
  chain acknowledged;        ///< The longest chain of which all was acknowledged.
  int next = 1;
  int faults = 0;

  friend auto operator<=>(const world&, const world&) = default;
};

std::uint64_t epoch_of(const chain& records) {
  std::uint64_t out = 0;
  for (const int record : records)
    if (record >= 100) out = static_cast<std::uint64_t>(record / 100);
  return out;
}

std::string holder_in(const chain& records) {
  for (auto at = records.rbegin(); at != records.rend(); ++at)
    if (*at >= 100)
      return holder_text("h/1", std::to_string(*at % 10), std::to_string(*at / 10 % 10));
  return {};
}

claim_facts facts_in(const world& w, int who) {
  const auto& own = w.processes[static_cast<std::size_t>(who)];
  claim_facts out;
  out.plane = std::to_string(who);
  const auto epoch = epoch_of(own.store);
  out.store = {
      epoch > 0 ? "cp" : "", holder_in(own.store), {epoch}, {1}, {own.store.size()}, false};
  out.met = own.met;
  out.server_id = std::to_string(w.server);
  return out;
}

/// What a start does when nobody leads: it reads the log, and claims if it may. Without `gated`
/// everybody may do everything, as it was once.
void try_to_lead(world& w, int who, bool gated) {
  auto& own = w.processes[static_cast<std::size_t>(who)];
  const auto right = [&] {
    return gated ? judge_claim(facts_in(w, who)).right : claim_right::everything;
  };
  if (right() == claim_right::none) return;
  // A new data directory that finds nothing founds a control plane, since nothing tells it from the
  // very first one. A process that is to wait is first started beside a leader.
  const bool is_new = own.store.empty() && !own.met && (!w.log || w.log->empty());
  if (is_new && !w.acknowledged.empty()) return;
  // Nor can one that led and never heard another know of a later leader whose claim the log lost.
  const auto newest = epoch_of(w.acknowledged);
  const bool knows = holder_in(w.acknowledged) == holder_in(own.store) ||
                     (own.met && own.met->epoch.value >= newest) ||
                     (w.log && epoch_of(*w.log) >= newest);
  const bool led = plane_of(holder_in(own.store)) == std::to_string(who);
  if (led && !own.met && !knows) return;
  const bool continues = w.log && begins_with(*w.log, own.store);
  if (continues) {
    own.store = *w.log;
  } else if (w.log && !begins_with(own.store, *w.log)) {
    return;  // They do not belong together.
  } else {
    // The log is gone or shorter: it is mended from the store, or made.
    if (right() != claim_right::everything) return;
    w.log = own.store;
  }
  if (gated && judge_end(facts_in(w, who), {1}, {own.store.size()}).right == claim_right::none)
    return;
  const int claim = static_cast<int>(100 * (epoch_of(own.store) + 1)) + 10 * w.server + who;
  own.store.push_back(claim);
  w.log = own.store;
  w.acknowledged = own.store;
  own.leads = true;
}

bool leads(const world& w) {
  return w.processes[0].leads || w.processes[1].leads;
}

/// All worlds that may come next.
std::vector<world> steps(const world& before, bool gated, int faults_max) {
  std::vector<world> out;
  for (int who = 0; who < 2; ++who) {
    const auto index = static_cast<std::size_t>(who);
    const auto& own = before.processes[index];
    if (!own.alive) {
      out.push_back(before);
      out.back().processes[index].alive = true;
    } else if (before.faults < faults_max) {
      out.push_back(before);
      out.back().processes[index].alive = out.back().processes[index].leads = false;
      ++out.back().faults;
    }
    if (own.alive && !leads(before)) {
      out.push_back(before);
      try_to_lead(out.back(), who, gated);
    }
    const auto& other = before.processes[1 - index];
    if (own.alive && other.leads) {
      out.push_back(before);
      leader_standing heard{
          holder_in(other.store),        "cp", {epoch_of(other.store)}, {1}, {other.store.size()},
          std::to_string(before.server), 7};
      auto& met = out.back().processes[index].met;
      met = remembered(heard, met, facts_in(out.back(), who).store);
    }
    // A write that finds the log shorter or gone ends the leader.
    if (own.leads) {
      out.push_back(before);
      auto& w = out.back();
      if (w.log && *w.log == own.store) {
        if (w.next <= 3) {
          w.processes[index].store.push_back(w.next++);
          w.acknowledged = w.processes[index].store;
          w.log = w.acknowledged;
        }
      } else {
        w.processes[index].alive = w.processes[index].leads = false;
      }
    }
  }
  if (before.faults < faults_max) {
    for (std::size_t keep = 0; before.log && keep <= before.log->size(); ++keep) {
      out.push_back(before);
      out.back().log->resize(keep);
      ++out.back().server;
      ++out.back().faults;
    }
    out.push_back(before);
    out.back().log.reset();
    ++out.back().server;
    ++out.back().faults;
  }
  return out;
}

struct walk {
  std::size_t worlds = 0;
  std::size_t lost = 0;   ///< Worlds whose leader lacks something that was acknowledged.
  std::size_t stuck = 0;  ///< Worlds in which nobody can lead though both processes are there.
};

bool lacks_something(const world& w) {
  for (const auto& each : w.processes)
    if (each.leads && each.store != w.acknowledged) return true;
  return false;
}

bool is_stuck(world w) {
  for (auto& each : w.processes) each.alive = true;
  for (int who = 0; who < 2 && !leads(w); ++who) try_to_lead(w, who, true);
  return !leads(w);
}

walk walk_all(bool gated, int faults_max) {
  walk out;
  std::set<world> seen{world{}};
  std::deque<world> open{world{}};
  while (!open.empty()) {
    const auto now = std::move(open.front());
    open.pop_front();
    ++out.worlds;
    if (gated && is_stuck(now)) ++out.stuck;
    for (auto& next : steps(now, gated, faults_max)) {
      // What the leader before had acknowledged is compared before it is replaced.
      const bool began = !leads(now) && leads(next);
      bool lost = false;
      for (const auto& each : next.processes)
        if (began && each.leads && !begins_with(each.store, now.acknowledged)) lost = true;
      if (lost || lacks_something(next)) {
        ++out.lost;
        continue;
      }
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
  }
  return out;
}

TEST(claim_world, loses_nothing_and_finds_a_leader_in_any_order_of_two_faults) {
  const auto found = walk_all(true, 2);
  EXPECT_GT(found.worlds, 1'000U);
  EXPECT_EQ(found.lost, 0U);
  EXPECT_EQ(found.stuck, 0U) << "with both data directories there somebody can lead";
}

TEST(claim_world, is_what_keeps_the_world_from_losing_something) {
  EXPECT_GT(walk_all(false, 2).lost, 0U);
}

}  // namespace
}  // namespace argosy::ledger
