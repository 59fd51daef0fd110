// SPDX-License-Identifier: Apache-2.0
// This file makes a world from dice. Numbers are read in a fixed order, so that a smaller number
// changes the part that it stands for and nothing else.
#include "tests/oracle/world_maker.hpp"

#include <algorithm>

namespace argosy::oracle {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Reads the numbers of a row one after another, and begins again at its end.
class reader {
 public:
  explicit reader(const dice& row) : row_(row) {}
  [[nodiscard]] unsigned below(unsigned n) { return row_[at_++ % row_.size()] % n; }
  /// Returns true for one of n values that the next number may have, and never for 0.
  [[nodiscard]] bool once_in(unsigned n) { return below(n) == n - 1; }

 private:
  dice row_;
  std::size_t at_ = 0;
};

/// What may occur in this world. A theme that is not on leaves out what belongs to it everywhere.
struct themes {
  bool gangs = false;
  bool terms = false;
  bool limits = false;
  bool odd = false;
  bool licences = false;
  bool own_classes = false;
  bool strange = false;
  bool stopping = false;
  bool rivals = false;     ///< Gangs run in whole, so that they may leave instead of single jobs.
  bool too_large = false;  ///< Some jobs need more than there is, or than there is now.
};

class maker {
 public:
  maker(const world_dice& from, kind preset, breadth how) : from_(from), how_(how) {
    w_.rules.preset = preset;
  }

  world make() {
    make_rules();
    make_classes();
    make_nodes();
    make_queues();
    const auto count = std::min(jobs_most(how_), from_.jobs.size());
    for (std::size_t i = 0; i < count; ++i) make_job(i);
    make_gangs();
    return w_;
  }

 private:
  void make_rules() {
    reader r(from_.rules);
    auto& rules = w_.rules;
    constexpr std::array<double, 4> fractions = {0.0, 0.5, 1.0, 1.5};
    if (r.below(4) != 0) rules.protected_fraction = fractions[r.below(4)];
    rules.seed = r.below(200);
    themes_.too_large = r.once_in(2);
    if (how_ == breadth::plain) return;
    if (how_ == breadth::mixed) mix_columns();
    // Half of the worlds have fewer themes at a time, since a theme can hide what another one does.
    const auto all = r.below(128) & (r.once_in(2) ? 127 : r.below(128));
    themes_ = {(all & 1) != 0,  (all & 2) != 0,  (all & 4) != 0, (all & 8) != 0,   (all & 16) != 0,
               (all & 32) != 0, (all & 64) != 0, false,          themes_.too_large};
    w_.indexed_labels = {"zone", "rack"};
    w_.indexed_taints = {"gpu", "team"};
    if (themes_.licences) w_.licences = 1 + r.below(8);
    themes_.stopping = r.once_in(3);
    make_limits(r);
    make_losses();
    rules.protect_uncapped = r.once_in(8);
    if (r.once_in(8)) rules.eviction_probability = 0.5;
    rules.prefer_large = r.once_in(8);
    const bool lots = rules.of(column::selection) == kind::lottery;
    rules.lottery_only = lots && r.once_in(3);
    rules.direct_slices = lots && r.once_in(4);
    if (const auto batch = r.below(12); lots && batch >= 8) rules.slice_batch = batch - 7;
    rules.usage_orders = r.once_in(6) && !lots;
    rules.feasible_heads = !r.once_in(8);
    rules.rank_at_share = !r.once_in(8);
    if (!themes_.strange) return;
    rules.no_fair_share = r.once_in(6);
    rules.no_urgency = r.once_in(6);
    rules.no_away = r.once_in(6);
    rules.no_gang_away = r.once_in(6);
    if (r.once_in(6)) rules.closed = {"e1"};
    const std::array<const char*, 4> labels = {"zone", "size", "nowhere",
                                               "armadaproject.io/nodeId"};
    if (r.once_in(6)) rules.default_label = labels[r.below(4)];
    if (r.once_in(6)) rules.default_tolerations = {{"team", "a", false, ""}};
    if (r.once_in(8)) rules.unscheduled = {2};
  }

  /// Sets how much gangs may lose, and how long runs have to last.
  void make_losses() {
    reader r(from_.columns);
    for (std::size_t i = 0; i < column_count; ++i) static_cast<void>(r.below(2));
    themes_.rivals = r.once_in(2);
    constexpr std::array<double, 6> factors = {4, 4, 0, 1, 2, 1e6};
    w_.rules.gang_loss_factor = factors[r.below(6)];
    w_.rules.now = 5;
    if (!r.once_in(4)) return;
    for (auto& least : least_runs_) least = r.below(5);
  }

  void mix_columns() {
    reader r(from_.columns);
    for (auto& of : w_.rules.columns)
      if (const auto other = r.below(8); other >= 4) of = static_cast<kind>(other - 4);
  }

  void make_limits(reader& r) {
    auto& rules = w_.rules;
    const auto which = r.below(9);
    const auto size = r.below(6);
    if (!themes_.limits) return;
    if (which == 1) rules.lookback = 1 + size;
    if (which == 2) {
      rules.tokens = size;
      rules.burst = size + size % 3;
    }
    if (which == 3) rules.queue_burst = size;
    // Worlds with licences have a budget more often, since what licences cost it is seen only where
    // several jobs hold some.
    if (which == 4 || which == 5 || (which == 0 && themes_.licences))
      rules.preemption_tokens = size;
    if (which == 6) rules.decisions = 1 + size;
    if (which == 7) rules.queue_decisions = 1 + size;
    if (which == 8) rules.round_cap = {{size % 2, 0.25 * (size / 2)}};
  }

  void make_classes() {
    w_.default_class = "std";
    w_.classes = {{"std", 1000, true, true, {}},
                  {"low", 500, true, true, {}},
                  {"std-np", 1000, false, false, {}},
                  {"urgent", 2000, false, false, {}}};
    reader r(from_.rules);
    for (int i = 0; i < 16; ++i) static_cast<void>(r.below(2));
    for (std::size_t c = 0; c < least_runs_.size(); ++c) w_.classes[c].least_run = least_runs_[c];
    if (themes_.own_classes) {
      for (auto& c : w_.classes) {
        const auto flags = r.below(4);
        c.fair = c.fair != ((flags & 1) != 0);
        c.urgent = c.urgent != ((flags & 2) != 0);
      }
    }
    if (themes_.terms && r.once_in(2)) {
      w_.classes[0].away.push_back({400, {{"gpu", "true", "NoSchedule"}}});
      if (r.once_in(2)) w_.classes[0].away.push_back({700, {{"team", "*", "NoSchedule"}}});
    }
  }

  std::int64_t amount(reader& r, std::int64_t step, unsigned most, unsigned shift) {
    const auto steps = static_cast<std::int64_t>(shift + r.below(most));
    const auto extra = static_cast<std::int64_t>(r.below(8));
    return steps * step + (themes_.odd ? extra * step / 16 : 0);
  }

  void make_nodes() {
    const auto most = nodes_most(how_);
    const auto count = std::clamp<std::size_t>(from_.nodes.size(), 1, most);
    for (std::size_t n = 0; n < count; ++n) {
      reader r(n < from_.nodes.size() ? from_.nodes[n] : dice{});
      auto& row = w_.nodes.emplace_back();
      // The ids do not follow the order of creation, so that both orders are tested apart.
      const auto place = (n * 5 + 2) % most;
      row.id = std::string("n") + static_cast<char>('a' + place / 6) +
               static_cast<char>('a' + place % 6);
      row.cluster = "e" + std::to_string(r.below(2));
      row.total[0] = amount(r, 1000, 8, 1);
      row.total[1] = amount(r, 100 * mebibyte, 8, 8);
      row.total[2] = r.once_in(3) ? 1 + r.below(3) : 0;
      if (r.once_in(2)) row.labels["zone"] = "z" + std::to_string(r.below(2));
      if (r.once_in(2)) row.labels["rack"] = "r" + std::to_string(r.below(3));
      if (r.once_in(3)) row.labels["size"] = std::to_string(r.below(3));
      if (themes_.terms) add_taints(row, r);
      if (themes_.strange && r.once_in(5)) row.unschedulable = true;
      if (themes_.strange && r.once_in(4)) row.held[0] = 1000 * (1 + r.below(3));
    }
  }

  static void add_taints(node& row, reader& r) {
    const std::array<spot, 5> some = {{{"gpu", "true", "NoSchedule"},
                                       {"team", "a", "NoSchedule"},
                                       {"team", "b", "PreferNoSchedule"},
                                       {"soft", "x", "PreferNoSchedule"},
                                       {"plain", "", "NoExecute"}}};
    if (r.once_in(3)) row.taints.push_back(some[r.below(5)]);
    if (r.once_in(6)) row.taints.push_back(some[r.below(5)]);
  }

  void make_queues() {
    const auto count = std::clamp<std::size_t>(from_.queues.size(), 1, 4);
    constexpr std::array<double, 4> factors = {1, 2, 0.5, 3};
    for (std::size_t q = 0; q < count; ++q) {
      reader r(q < from_.queues.size() ? from_.queues[q] : dice{});
      auto& row = w_.queues.emplace_back();
      row.name = std::string("q") + static_cast<char>('a' + (q * 3 + 1) % 4);
      row.factor = factors[r.below(4)];
      const auto usage = r.below(5);
      if (how_ == breadth::plain) continue;
      if (w_.rules.usage_orders || w_.rules.of(column::selection) == kind::lottery)
        row.usage = 0.5 + usage;
      if (!themes_.limits) continue;
      row.cordoned = r.once_in(6);
      if (r.once_in(3))
        row.limits.push_back({w_.classes[r.below(4)].name, r.below(2), 0.125 * (1 + r.below(8))});
      if (r.once_in(6)) row.tokens = r.below(4);
      if (r.once_in(5)) row.penalty[0] = 1000 * (1 + r.below(4));
      if (r.once_in(3)) row.total_limits.push_back({"", r.below(2), 0.125 * (1 + r.below(8))});
    }
  }

  void make_job(std::size_t number) {
    reader r(from_.jobs[number]);
    auto& j = w_.jobs.emplace_back();
    // The ids do not follow the order of submission, so that both orders are tested apart.
    const auto most = jobs_most(how_);
    j.id = "j" + std::to_string(most + (number * 7 + 3) % most);
    const bool runs = r.once_in(2);
    j.queue = w_.queues[r.below(static_cast<unsigned>(w_.queues.size()))].name;
    j.class_name = w_.classes[std::array<unsigned, 6>{0, 0, 1, 1, 2, 3}[r.below(6)]].name;
    j.priority = r.below(3);
    j.submitted = r.below(5);
    j.request[0] = amount(r, 1000, 5, 1);
    j.request[1] = amount(r, 100 * mebibyte, 4, 1);
    j.request[2] = r.once_in(6) ? 1 : 0;
    j.gang = themes_.gangs && r.once_in(2) ? "g" + std::to_string(r.below(4)) : "";
    const auto where = r.below(static_cast<unsigned>(w_.nodes.size()));
    const auto created = r.below(5);
    const auto licence = r.below(4);
    if (themes_.licences && licence >= 2) j.request[node_amounts] = 1 + r.below(2);
    if (themes_.terms) add_terms(j, r);
    const auto oddity = r.below(24);
    if (themes_.strange && oddity == 23) j.class_name = "nobody";
    if (themes_.strange && oddity == 22) j.queue = "nobody";
    if (themes_.strange && oddity == 21) j.request = {};
    j.stopping = runs && themes_.stopping && r.once_in(3);
    const auto size = r.below(16);
    if (themes_.too_large && !runs) enlarge(j, size);
    if (runs) start(j, where, themes_.strange ? oddity : 0);
    if (j.node) j.created = created;
  }

  /// Gives a job that waits a need that no node meets, or only one on which nothing runs.
  void enlarge(job& j, unsigned size) {
    const auto& whole = w_.nodes.front().total;
    if (size == 15) j.request[0] = 64000;
    if (size == 14) j.request[1] = 100000 * mebibyte;
    if (size == 13) j.selector["zone"] = "nowhere";
    if (size == 12) j.request = {whole[0], whole[1], whole[2], j.request[node_amounts]};
    if (size == 11) j.request[0] = whole[0];
    if (size == 10) j.request[2] = 4;
  }

  void add_terms(job& j, reader& r) {
    const auto selector = r.below(10);
    if (selector == 9) j.selector["zone"] = "z0";
    if (selector == 8) j.selector["rack"] = "r1";
    if (selector == 7) j.selector["size"] = "1";
    if (selector == 6) j.selector["armadaproject.io/nodeId"] = w_.nodes.front().id;
    const std::array<leave, 6> some = {{{"gpu", "", true, ""},
                                        {"team", "a", false, ""},
                                        {"team", "", true, "PreferNoSchedule"},
                                        {"soft", "x", false, ""},
                                        {"", "", true, ""},
                                        {"plain", "", false, "NoExecute"}}};
    const auto tolerance = r.below(12);
    if (tolerance >= 6) j.tolerations.push_back(some[tolerance - 6]);
    const auto affinity = r.below(16);
    const demand_rule in{"zone", "In", {"z1"}};
    const demand_rule without{"rack", "DoesNotExist", {}};
    if (affinity == 15) j.affinity = {{in}};
    if (affinity == 14) j.affinity = {{in}, {without}};
    if (affinity == 13) j.affinity = {{{"size", "Gt", {"0"}}}};
    if (affinity == 12) j.affinity = {{{"size", "Lt", {"2"}}, {"zone", "NotIn", {"z0"}}}};
    if (affinity == 11 && themes_.strange) j.affinity = {{{"zone", "In", {}}}};
    if (affinity == 10) j.affinity = {{{"rack", "Exists", {}}}};
  }

  /// Lets the job run on a node if there is room for it, or without regard to room if `oddity` asks
  /// for that or the job is stopping. Other oddities change the priority at which it runs.
  void start(job& j, std::size_t where, unsigned oddity) {
    auto left = w_.nodes[where].total;
    for (const auto& other : w_.jobs)
      if (other.node == where && !other.stopping)
        for (std::size_t i = 0; i < node_amounts; ++i) left[i] -= other.request[i];
    bool fits = true;
    for (std::size_t i = 0; i < node_amounts; ++i) fits = fits && j.request[i] <= left[i];
    if (!fits && !j.stopping && oddity != 20) return;
    j.node = where;
    j.run_priority = 1000;
    for (const auto& c : w_.classes)
      if (c.name == j.class_name) j.run_priority = c.priority;
    if (oddity == 19) j.run_priority = 400;
    if (oddity == 18) j.run_priority = 1500;
  }

  /// If several members run, leaves these alone in the gang, and gives them one class.
  void part_with_waiting(std::vector<std::size_t>& members) {
    std::vector<std::size_t> running;
    for (const auto i : members)
      if (w_.jobs[i].node) running.push_back(i);
    if (running.size() < 2) return;
    for (const auto i : members)
      if (!w_.jobs[i].node) w_.jobs[i].gang.clear();
    members = running;
    for (const auto i : members) {
      w_.jobs[i].class_name = w_.jobs[members.front()].class_name;
      w_.jobs[i].run_priority = w_.jobs[members.front()].run_priority;
    }
  }

  /// Makes gangs of the jobs that name one. Members take from the first one what they must have in
  /// common. All of them run or all wait, except in some strange worlds.
  void make_gangs() {
    for (int g = 0; g < 4; ++g) {
      const auto name = "g" + std::to_string(g);
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < w_.jobs.size(); ++i)
        if (w_.jobs[i].gang == name) members.push_back(i);
      if (members.empty()) continue;
      if (themes_.rivals) part_with_waiting(members);
      reader r(from_.jobs[members.front()]);
      for (int i = 0; i < 20; ++i) static_cast<void>(r.below(2));
      const auto extra = r.below(8) == 7 ? 1u : 0u;
      const auto least = r.below(3);
      const auto label = std::array<const char*, 8>{
          "", "zone", "rack", "size", "", "", "nowhere", "armadaproject.io/nodeId"}[r.below(8)];
      const bool mixed = themes_.strange && r.once_in(3);
      share(members, static_cast<unsigned>(members.size()) + extra, least, label, mixed);
    }
  }

  void share(const std::vector<std::size_t>& members, unsigned cardinality, unsigned least,
             const std::string& label, bool mixed) {
    const bool all_run = std::all_of(members.begin(), members.end(),
                                     [&](auto i) { return w_.jobs[i].node.has_value(); });
    for (const auto i : members) {
      auto& j = w_.jobs[i];
      j.queue = w_.jobs[members.front()].queue;
      if (!mixed && !all_run) {
        j.node.reset();
        j.stopping = false;
      }
      j.cardinality = cardinality;
      if (cardinality < 2) {
        j.gang.clear();
        continue;
      }
      if (least != 0) j.minimum = std::max(1u, cardinality - std::min(cardinality - 1, least));
      j.label = label;
    }
  }

  const world_dice& from_;
  breadth how_;
  themes themes_;
  std::array<std::int64_t, 4> least_runs_{};  ///< By class.
  world w_;
};

}  // namespace

world make_world(const world_dice& from, kind preset, breadth how) {
  return maker(from, preset, how).make();
}

}  // namespace argosy::oracle
