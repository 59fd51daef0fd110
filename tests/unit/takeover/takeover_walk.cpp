// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/takeover/takeover_walk.hpp"

#include <array>
#include <random>
#include <vector>

namespace argosy::takeover {
namespace {

constexpr auto kinds = static_cast<std::size_t>(step_kind::count_of_kinds);

/// How often a kind of step is taken, for walks that are to come somewhere: who asks, gives up or
/// stands down all the time commits nothing.
std::uint32_t usual_weight(step_kind kind) {
  switch (kind) {
    case step_kind::plane_ends:
    case step_kind::lands_on_one_server:
    case step_kind::lands_in_old_generation:
    case step_kind::copy_is_kept:
    case step_kind::operator_recovers:
      return 1;
    case step_kind::becomes_candidate:
    case step_kind::gives_up:
    case step_kind::stands_down:
    case step_kind::sets_aside:
    case step_kind::lands_late:
    case step_kind::server_catches_up:
    case step_kind::hears_of_commit:
      return 3;
    default:
      return 12;
  }
}

/// Each walk prefers other kinds of steps, and planes that are faster than others: the rare orders
/// of events are found sooner than by walks that are all alike.
class chooser {
 public:
  explicit chooser(std::uint64_t seed) : random_(seed) {
    static constexpr std::array<std::uint32_t, 4> factors{1, 3, 10, 30};
    for (std::size_t i = 0; i < kinds; ++i) {
      const auto kind = static_cast<step_kind>(i);
      of_kind_[i] = model::is_fault(kind) ? below(4) : usual_weight(kind) * factors[below(4)];
    }
    for (auto& it : of_plane_) it = factors[below(3)];
    fault_every_ = 3 + below(20);
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  /// One of the steps, or none if this walk takes none of their kinds.
  const step* choose(const std::vector<step>& steps) {
    const bool fault = below(fault_every_) == 0;
    const auto* out = choose(steps, fault);
    return out != nullptr ? out : choose(steps, !fault);
  }

 private:
  const step* choose(const std::vector<step>& steps, bool fault) {
    std::array<std::uint32_t, kinds> count{};
    for (const auto& it : steps) ++count[static_cast<std::size_t>(it.kind)];
    std::uint32_t all = 0;
    for (const auto& it : steps) {
      if (model::is_fault(it.kind) == fault) all += weight(it, count);
    }
    if (all == 0) return nullptr;
    auto left = below(all);
    for (const auto& it : steps) {
      if (model::is_fault(it.kind) != fault) continue;
      const auto own = weight(it, count);
      if (left < own) return &it;
      left -= own;
    }
    return nullptr;
  }

  std::uint32_t weight(const step& it, const std::array<std::uint32_t, kinds>& count) const {
    const auto kind = static_cast<std::size_t>(it.kind);
    if (of_kind_[kind] == 0) return 0;
    // A kind that offers many steps is not taken more often for it.
    return 1 + 24 * of_kind_[kind] * of_plane_[it.who] / count[kind];
  }

  std::mt19937_64 random_;
  std::array<std::uint32_t, kinds> of_kind_{};
  std::array<std::uint32_t, most_planes> of_plane_{};
  std::uint32_t fault_every_ = 1;
};

/// Whether somebody serves once faults stop: with whom the others let go first is chosen in turn.
bool lives(const model& after, std::uint64_t seed) {
  constexpr int rounds = 2;
  constexpr int longest = 400;
  for (int favourite = -1; favourite < rounds * most_planes; ++favourite) {
    auto it = after;
    it.calm(favourite < 0 ? -1 : favourite % most_planes);
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(favourite + 1));
    for (int i = 0; i < longest && it.violation() == nullptr; ++i) {
      const auto& steps = it.steps();
      if (steps.empty()) break;
      it.take(steps[random() % steps.size()]);
      if (it.serves_again()) return true;
    }
  }
  return false;
}

struct one_walk {
  std::vector<step> taken;
  std::uint64_t commits = 0;
  std::uint64_t claims = 0;
  std::string violation;
  std::uint64_t seed = 0;
};

one_walk walk_once(const rules& rules, const setting& setting, const walk_limits& limits,
                   std::uint64_t seed) {
  one_walk out;
  out.seed = seed;
  model it(rules, setting);
  chooser choice(seed);
  const int length = 10 + static_cast<int>(choice.below(limits.longest - 9));
  for (int i = 0; i < length && it.violation() == nullptr && it.has_room(); ++i) {
    const auto* next = choice.choose(it.steps());
    if (next == nullptr) break;
    const auto what = *next;
    if (what.kind == step_kind::commits) ++out.commits;
    if (what.kind == step_kind::claims) ++out.claims;
    it.take(what);
    out.taken.push_back(what);
  }
  if (it.violation() != nullptr) {
    out.violation = it.violation();
  } else if (limits.looks_for_life && it.has_room() &&
             (setting.operator_decides || !it.needs_a_person()) && !lives(it, seed)) {
    out.violation = "L1: nobody can serve without a person";
  }
  return out;
}

std::string trace_of(const rules& rules, const setting& setting, const one_walk& walk) {
  model it(rules, setting);
  std::string out;
  std::string said;
  int number = 0;
  for (const auto& what : walk.taken) {
    it.steps();
    it.take(what, &said);
    out += "  " + std::to_string(++number) + ". " + said + "\n";
  }
  return out + it.state_text();
}

}  // namespace

walk_result walk(const rules& rules, const setting& setting, const walk_limits& limits) {
  walk_result out;
  std::optional<one_walk> shortest;
  for (auto seed = limits.first_seed; out.steps < limits.steps; ++seed) {
    auto one = walk_once(rules, setting, limits, seed);
    ++out.walks;
    out.steps += one.taken.size() + 1;
    out.commits += one.commits;
    out.claims += one.claims;
    if (one.violation.empty()) continue;
    if (!shortest || one.taken.size() < shortest->taken.size()) shortest = std::move(one);
    if (++out.violations >= limits.enough_violations) break;
  }
  if (shortest) {
    out.violation = shortest->violation;
    out.seed = shortest->seed;
    out.length = static_cast<int>(shortest->taken.size());
    out.trace = trace_of(rules, setting, *shortest);
  }
  return out;
}

}  // namespace argosy::takeover
