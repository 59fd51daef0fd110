// SPDX-License-Identifier: Apache-2.0
// This file defines how the snapshot forgets what no node, queue or job uses any more. What is kept
// keeps its order, so that a round decides the same before and after.
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

/// The numbers of one table before and after. First what is used is marked, then it is numbered.
class renumbering {
 public:
  explicit renumbering(std::size_t size) : to_(size, none) {}

  void use(std::uint32_t number) {
    if (number != none) to_[number] = 0;
  }
  void number() {
    for (auto& each : to_)
      if (each != none) each = kept_++;
  }
  [[nodiscard]] bool keeps(std::size_t number) const { return to_[number] != none; }
  /// The new number of what is used; `none` stays `none`.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t number) const {
    return number == none ? none : to_[number];
  }
  void apply(std::uint32_t& number) const { number = (*this)[number]; }

  /// Keeps the entries that are used, with `width` values for each.
  template <class T>
  void apply(std::vector<T>& table, std::size_t width = 1) const {
    std::vector<T> kept;
    kept.reserve(kept_ * width);
    for (std::size_t i = 0; i < to_.size(); ++i)
      if (keeps(i))
        for (std::size_t k = 0; k < width; ++k) kept.push_back(std::move(table[i * width + k]));
    table = std::move(kept);
  }
  void apply(text_map& numbers) const {
    text_map kept;
    for (const auto& [text, number] : numbers)
      if (keeps(number)) kept.emplace(text, to_[number]);
    numbers = std::move(kept);
  }

  [[nodiscard]] std::vector<std::uint32_t> take() && { return std::move(to_); }

 private:
  std::vector<std::uint32_t> to_;
  std::uint32_t kept_ = 0;
};

std::vector<shape_id> compact_shapes(tables& t) {
  renumbering shapes{t.shapes.size()};
  renumbering terms{t.terms.size()};
  for (const auto& job : t.jobs)
    if (job.live()) shapes.use(job.shape);
  for (std::size_t i = 0; i < t.shapes.size(); ++i)
    if (shapes.keeps(i)) terms.use(t.shapes[i].terms);
  shapes.number();
  terms.number();
  shapes.apply(t.shapes);
  shapes.apply(t.shape_amounts, t.dims);
  shapes.apply(t.shape_numbers);
  terms.apply(t.terms);
  terms.apply(t.terms_numbers);
  for (auto& shape : t.shapes) terms.apply(shape.terms);
  for (auto& job : t.jobs)
    if (job.live()) shapes.apply(job.shape);
  for (auto& queue : t.queues) {
    for (auto& entry : queue.queued) shapes.apply(entry.shape);
    auto alike = std::exchange(queue.queued_alike, {});
    for (auto& [key, jobs] : alike)
      queue.queued_alike.emplace(alike_key{shapes[key.shape], key.pools}, std::move(jobs));
    for (auto& entry : queue.running) shapes.apply(entry.shape);
    auto running = std::exchange(queue.running_alike, {});
    for (const auto& [key, jobs] : running)
      queue.running_alike.emplace(running_key{shapes[key.shape], key.pool, key.in_gang}, jobs);
  }
  return std::move(shapes).take();
}

/// Forgets nodes that are gone and on which nothing runs any more.
void compact_nodes(tables& t) {
  renumbering nodes{t.nodes.size()};
  for (std::uint32_t i = 0; i < t.nodes.size(); ++i)
    if (const auto& node = t.nodes[i]; node.present || !node.jobs.empty() || node.stopping != 0)
      nodes.use(i);
  nodes.number();
  nodes.apply(t.nodes);
  nodes.apply(t.node_total, t.node_dims);
  nodes.apply(t.node_held, t.node_dims);
  nodes.apply(t.node_numbers);
  std::erase_if(t.nodes_by_id, [&](std::uint32_t node) { return !nodes.keeps(node); });
  for (auto& node : t.nodes_by_id) nodes.apply(node);
  t.node_rank.resize(t.nodes.size());
  for (std::uint32_t i = 0; i < t.nodes_by_id.size(); ++i) t.node_rank[t.nodes_by_id[i]] = i;
  t.nodes_ranked = t.nodes.size();
  for (auto& job : t.jobs)
    if (job.live()) nodes.apply(job.node);
  for (auto& queue : t.queues)
    for (auto& entry : queue.running) nodes.apply(entry.node);
}

/// A node that is gone has no profile: it may be known from a run only.
void compact_profiles(tables& t) {
  renumbering profiles{t.profiles.size()};
  renumbering kinds{t.kinds.size()};
  for (const auto& node : t.nodes) {
    if (!node.present) continue;
    profiles.use(node.profile);
    kinds.use(node.kind);
  }
  profiles.number();
  kinds.number();
  profiles.apply(t.profiles);
  profiles.apply(t.profile_numbers);
  kinds.apply(t.kinds);
  kinds.apply(t.kind_numbers);
  for (auto& node : t.nodes) {
    node.profile = node.present ? profiles[node.profile] : 0;
    node.kind = node.present ? kinds[node.kind] : 0;
  }
}

/// Forgets queues that are deleted and have no job, and the names of gangs without members.
void compact_queues_and_gangs(tables& t) {
  renumbering queues{t.queues.size()};
  for (std::uint32_t i = 0; i < t.queues.size(); ++i)
    if (t.queues[i].configured) queues.use(i);
  for (const auto& job : t.jobs) queues.use(job.queue);
  queues.number();
  queues.apply(t.queues);
  queues.apply(t.queue_numbers);
  std::erase_if(t.queues_by_name, [&](std::uint32_t queue) { return !queues.keeps(queue); });
  for (auto& queue : t.queues_by_name) queues.apply(queue);
  for (auto& job : t.jobs) queues.apply(job.queue);

  renumbering names{t.gang_names.size()};
  for (const auto& gang : t.gangs)
    if (gang.queue != none) names.use(gang.name);
  names.number();
  const auto all = std::exchange(t.gang_names, {});
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (names.keeps(i)) t.gang_names.intern(all.name(i));
  t.gang_numbers.clear();
  for (std::uint32_t i = 0; i < t.gangs.size(); ++i) {
    auto& gang = t.gangs[i];
    if (gang.queue == none) continue;
    queues.apply(gang.queue);
    names.apply(gang.name);
    t.gang_numbers.emplace(gang_key(gang.queue, gang.name), i);
  }
}

}  // namespace

std::vector<shape_id> snapshot::compact() {
  ARGOSY_CHECK(settled());
  auto& t = *tables_;
  auto shapes = compact_shapes(t);
  compact_nodes(t);
  compact_profiles(t);
  compact_queues_and_gangs(t);
  t.numbering = {};
  return shapes;
}

std::size_t snapshot::entry_count() const noexcept {
  const auto& t = *tables_;
  return t.shapes.size() + t.terms.size() + t.nodes.size() + t.profiles.size() + t.kinds.size() +
         t.queues.size() + t.gang_names.size();
}

}  // namespace argosy::scheduling
