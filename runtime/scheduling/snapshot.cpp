// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snapshot.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/base/check.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

snapshot::snapshot(const config& conf) : tables_(std::make_unique<tables>()) {
  auto& t = *tables_;
  t.conf = conf;
  for (const auto& type : conf.resources) t.dim_names.push_back(type.name);
  t.node_dims = static_cast<std::uint32_t>(t.dim_names.size());
  for (const auto& type : conf.floating) t.dim_names.push_back(type.name);
  t.dims = static_cast<std::uint32_t>(t.dim_names.size());
  for (const auto& entry : conf.classes) t.class_names.intern(entry.name);
  t.pool_sets.emplace_back();
}

snapshot::snapshot(const snapshot& other) : tables_(std::make_unique<tables>(*other.tables_)) {}
snapshot::snapshot(snapshot&& other) noexcept = default;
snapshot& snapshot::operator=(snapshot&& other) noexcept = default;
snapshot::~snapshot() = default;

snapshot& snapshot::operator=(const snapshot& other) {
  if (this != &other) tables_ = std::make_unique<tables>(*other.tables_);
  return *this;
}

namespace {

void settle_queue(tables& t, std::uint32_t number) {
  auto& queue = t.queues[number];
  const auto queues_before = [&](std::uint32_t a, std::uint32_t b) {
    return queued_before(t, a, b);
  };
  queue.queued.settle([&](const auto& a, const auto& b) { return queues_before(a.job, b.job); });
  queue.running.settle(
      [&](const auto& a, const auto& b) { return running_before(t, a.job, b.job); });
  for (const auto& key : queue.dirty_alike) {
    const auto found = queue.queued_alike.find(key);
    if (found == queue.queued_alike.end()) continue;
    found->second.settle(queues_before);
    if (found->second.empty()) queue.queued_alike.erase(found);
  }
  queue.dirty_alike.clear();
  queue.dirty = false;
}

/// Only new nodes need a place in the order of ids.
void rank_nodes(tables& t) {
  if (t.nodes_ranked == t.nodes.size()) return;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return t.nodes[a].id < t.nodes[b].id;
  };
  const auto known = static_cast<std::ptrdiff_t>(t.nodes_ranked);
  t.nodes_by_id.resize(t.nodes.size());
  std::iota(t.nodes_by_id.begin() + known, t.nodes_by_id.end(),
            static_cast<std::uint32_t>(t.nodes_ranked));
  std::sort(t.nodes_by_id.begin() + known, t.nodes_by_id.end(), before);
  std::inplace_merge(t.nodes_by_id.begin(), t.nodes_by_id.begin() + known, t.nodes_by_id.end(),
                     before);
  t.node_rank.resize(t.nodes.size());
  for (std::uint32_t i = 0; i < t.nodes_by_id.size(); ++i) t.node_rank[t.nodes_by_id[i]] = i;
  t.nodes_ranked = t.nodes.size();
}

template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

}  // namespace

void snapshot::settle() {
  auto& t = *tables_;
  for (const auto number : t.dirty_queues) settle_queue(t, number);
  t.dirty_queues.clear();
  t.free_jobs.insert(t.free_jobs.end(), t.freed_jobs.begin(), t.freed_jobs.end());
  t.freed_jobs.clear();
  rank_nodes(t);
  t.settled = true;
}

bool snapshot::settled() const noexcept {
  return tables_->settled;
}

std::size_t snapshot::node_count() const noexcept {
  const auto& nodes = tables_->nodes;
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.present; }));
}

std::size_t snapshot::queue_count() const noexcept {
  const auto& queues = tables_->queues;
  return static_cast<std::size_t>(std::count_if(
      queues.begin(), queues.end(), [](const auto& queue) { return queue.configured; }));
}

std::size_t snapshot::queued_count() const noexcept {
  return tables_->queued;
}
std::size_t snapshot::running_count() const noexcept {
  return tables_->running;
}

std::size_t snapshot::node_bytes() const noexcept {
  const auto& t = *tables_;
  auto bytes = bytes_of(t.nodes) + bytes_of(t.node_total) + bytes_of(t.node_held) +
               bytes_of(t.nodes_by_id) + bytes_of(t.node_rank) +
               t.node_numbers.capacity() * (sizeof(std::string) + sizeof(std::uint64_t) + 1);
  for (const auto& node : t.nodes)
    bytes += bytes_of(node.jobs) + bytes_of(node.cutoffs) + bytes_of(node.bound) +
             bytes_of(node.counts) + bytes_of(node.stopping_need) + node.id.capacity();
  for (const auto& profile : t.profiles)
    bytes += sizeof(profile) + bytes_of(profile.labels) + bytes_of(profile.taints);
  return bytes;
}

std::size_t snapshot::job_bytes() const noexcept {
  const auto& t = *tables_;
  auto bytes = bytes_of(t.jobs) + bytes_of(t.free_jobs) + bytes_of(t.freed_jobs) +
               t.job_numbers.capacity() * (sizeof(std::pair<ulid, std::uint32_t>) + 1) +
               bytes_of(t.shapes) + bytes_of(t.shape_amounts);
  for (const auto& queue : t.queues) {
    bytes += queue.queued.bytes() + queue.running.bytes();
    for (const auto& [key, jobs] : queue.queued_alike)
      bytes += sizeof(key) + sizeof(jobs) + 1 + jobs.bytes();
  }
  for (const auto& gang : t.gangs) bytes += sizeof(gang) + bytes_of(gang.members);
  for (const auto& [text, number] : t.shape_numbers)
    bytes += sizeof(text) + sizeof(number) + text.capacity();
  return bytes;
}

std::optional<std::uint32_t> snapshot::find_job(const ulid& id) const {
  const auto found = tables_->job_numbers.find(id);
  if (found == tables_->job_numbers.end()) return {};
  return found->second;
}

std::string_view snapshot::node_id(std::uint32_t node) const {
  ARGOSY_CHECK(node < tables_->nodes.size());
  return tables_->nodes[node].id;
}

std::string_view snapshot::node_executor(std::uint32_t node) const {
  ARGOSY_CHECK(node < tables_->nodes.size());
  const auto executor = tables_->nodes[node].executor;
  return executor == none ? std::string_view{} : tables_->executors.name(executor);
}

std::string_view snapshot::queue_name(std::uint32_t queue) const {
  ARGOSY_CHECK(queue < tables_->queues.size());
  return tables_->queues[queue].name;
}

const ulid& snapshot::job_id(std::uint32_t job) const {
  ARGOSY_CHECK(job < tables_->jobs.size());
  return tables_->jobs[job].id;
}

std::string_view snapshot::job_queue(std::uint32_t job) const {
  ARGOSY_CHECK(job < tables_->jobs.size());
  return queue_name(tables_->jobs[job].queue);
}

shape_id snapshot::job_shape(std::uint32_t job) const {
  ARGOSY_CHECK(job < tables_->jobs.size());
  return tables_->jobs[job].shape;
}

}  // namespace argosy::scheduling
