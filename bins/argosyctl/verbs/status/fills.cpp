// SPDX-License-Identifier: Apache-2.0
// How full pools, store and log are, and how much waits.
#include <fmt/format.h>

#include <map>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/status/status_facts.hpp"

namespace argosy::ctl {

namespace {

using amounts = google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>;

/// Jobs seldom ask for scratch space, and nobody is woken for it.
bool is_told(const std::string& resource) {
  return resource != "ephemeral-storage" && resource != "pods";
}

std::string short_name(const std::string& resource) {
  return resource == "nvidia.com/gpu" ? "gpu" : resource;
}

std::map<std::string, std::int64_t> heard(const amounts& all, const amounts& silent) {
  std::map<std::string, std::int64_t> out;
  for (const auto& item : all) out[item.resource()] += item.amount();
  for (const auto& item : silent) out[item.resource()] -= item.amount();
  return out;
}

double fullest(const pool_fill& pool) {
  double out = 0;
  for (const auto& [resource, share] : pool.used) out = std::max(out, share);
  return out;
}

pool_fill fill_of(const argosy::v1::PoolSummary& pool) {
  pool_fill out;
  out.pool = pool.name();
  out.nodes = pool.nodes();
  const auto total = heard(pool.total(), pool.silent_total());
  auto used = heard(pool.used(), pool.silent_used());
  for (const auto& [resource, amount] : total)
    if (amount > 0 && is_told(resource))
      out.used.emplace_back(short_name(resource),
                            static_cast<double>(used[resource]) / static_cast<double>(amount));
  return out;
}

bool refuses(std::uint64_t used, std::uint64_t limit) {
  return limit != 0 && static_cast<double>(used) >= room_refusing * static_cast<double>(limit);
}

}  // namespace

std::vector<pool_fill> fills_of(const status_facts& facts) {
  std::map<std::string, std::uint32_t> ready;
  for (const auto& node : facts.nodes.nodes())
    if (node.state() == "ready") ++ready[node.pool()];
  std::vector<pool_fill> out;
  for (const auto& pool : facts.pools.pools()) {
    out.push_back(fill_of(pool));
    if (pool.nodes() == 0 || !facts.nodes.nodes().empty()) out.back().ready = ready[pool.name()];
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return fullest(a) > fullest(b); });
  return out;
}

std::vector<room_fill> room_of(const status_facts& facts) {
  const auto bytes = [](std::uint64_t value) {
    return human_bytes(static_cast<std::int64_t>(value));
  };
  std::vector<room_fill> out;
  if (facts.server.has_store()) {
    const auto& store = facts.server.store();
    auto more = fmt::format("its file has taken {} of {}", bytes(store.file_bytes()),
                            bytes(store.limit_bytes()));
    if (store.held_bytes() > 0)
      more +=
          fmt::format("; readers keep {} of it from being used again", bytes(store.held_bytes()));
    out.push_back({"store", "store.mapSize", store.used_bytes(), store.usable_bytes(),
                   std::move(more), refuses(store.used_bytes(), store.usable_bytes())});
  }
  if (facts.server.has_log()) {
    const auto& log = facts.server.log();
    auto more = counted(log.records(), "record");
    if (log.older_bytes() > 0)
      more += fmt::format("; {} of it in generations that are not written any more",
                          bytes(log.older_bytes()));
    const auto limit = log.limit_bytes() == 0 ? 0 : log.limit_bytes() + log.older_bytes();
    out.push_back({"log", "journal.logBytesMax", log.used_bytes() + log.older_bytes(), limit,
                   std::move(more), refuses(log.used_bytes(), log.limit_bytes())});
  }
  if (facts.server.has_disk()) {
    const auto& disk = facts.server.disk();
    out.push_back({"disk", "", disk.bytes() - std::min(disk.bytes(), disk.free_bytes()),
                   disk.bytes(), fmt::format("{} are free", bytes(disk.free_bytes()))});
  }
  return out;
}

waiting_jobs waiting_of(const status_facts& facts) {
  waiting_jobs out;
  for (const auto& queue : facts.queues.queues()) {
    out.all += queue.queued();
    if (queue.queue().cordoned())
      out.cordoned += queue.queued();
    else
      out.held += queue.held();
  }
  return out;
}

std::int64_t waited_ns(const argosy::v1::JobSummary& job, std::int64_t now_ns) {
  const auto since = job.changed_ns() == 0 ? job.submitted_ns() : job.changed_ns();
  return std::max<std::int64_t>(0, now_ns - since);
}

std::chrono::nanoseconds age_of(const argosy::v1::LastRound& round, std::int64_t now_ns) {
  if (round.number() == 0) return {};
  return std::chrono::nanoseconds{std::max<std::int64_t>(0, now_ns - round.time_ns())};
}

}  // namespace argosy::ctl
