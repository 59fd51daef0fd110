// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/node_probe.hpp"

#include <utility>

#include "runtime/model/quantity.hpp"

namespace argosy::probes {

namespace {

/// The factor from units of the model to the units of metrics: cores, bytes, pieces.
double units(std::string_view resource) {
  return model::unit_of(resource) == model::resource_unit::milli ? 1e-3 : 1.0;
}

}  // namespace

void node_probe::add(const std::string& cluster, const std::string& pool,
                     const node_amounts& node) {
  count(cluster, pool, node, 1);
}

void node_probe::remove(const std::string& cluster, const std::string& pool,
                        const node_amounts& node) {
  count(cluster, pool, node, -1);
}

void node_probe::count(const std::string& cluster, const std::string& pool,
                       const node_amounts& node, int sign) {
  const std::lock_guard lock{mutex_};
  auto& by_resource = sums_[{cluster, pool}];
  const auto entry = [&](const std::string& resource) -> auto& {
    auto& out = by_resource[resource];
    out.nodes += static_cast<std::uint64_t>(sign);
    return out;
  };
  for (const auto& [resource, amount] : node.offered) {
    auto& sum = entry(resource);
    sum.offered += wide{amount} * sign;
    if (node.takes_jobs) sum.ready += wide{amount} * sign;
  }
  for (const auto& [resource, amount] : node.used) entry(resource).used += wide{amount} * sign;
  std::erase_if(by_resource, [](const auto& item) { return item.second.nodes == 0; });
  if (by_resource.empty()) sums_.erase({cluster, pool});
}

void node_probe::collect(metrics::family_list& out) const {
  metrics::family capacity{"argosy_capacity",
                           "What the nodes of a cluster offer to jobs: cores, bytes or pieces.",
                           metrics::family_kind::gauge,
                           {}};
  metrics::family usable{"argosy_capacity_ready",
                         "What those of the nodes offer that take new jobs.",
                         metrics::family_kind::gauge,
                         {}};
  metrics::family used{"argosy_allocated",
                       "What the runs on the nodes of a cluster request: cores, bytes or pieces.",
                       metrics::family_kind::gauge,
                       {}};
  std::map<place, std::map<std::string, sums>> shown;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [where, resources] : sums_) {
      const bool own = shown.size() < clusters_max;
      auto& into = shown[own ? where : place{"others", where.second}];
      for (const auto& [resource, more] : resources) {
        auto& sum = into[resource];
        sum.offered += more.offered;
        sum.ready += more.ready;
        sum.used += more.used;
      }
    }
  }
  for (const auto& [where, resources] : shown)
    for (const auto& [resource, sum] : resources) {
      const metrics::label_list labels{
          {"cluster", where.first}, {"pool", where.second}, {"resource", resource}};
      const auto unit = units(resource);
      capacity.samples.push_back({labels, static_cast<double>(sum.offered) * unit});
      usable.samples.push_back({labels, static_cast<double>(sum.ready) * unit});
      used.samples.push_back({labels, static_cast<double>(sum.used) * unit});
    }
  out.push_back(std::move(capacity));
  out.push_back(std::move(usable));
  out.push_back(std::move(used));
}

node_share::~node_share() {
  whole_->remove(cluster_, pool_, shown_);
}

void node_share::show(const ledger::node_core& core) {
  const auto at = static_cast<std::size_t>(core.state());
  for (std::size_t i = 0; i < by_state_.size(); ++i) by_state_[i].set(i == at ? 1 : 0);
  node_amounts now;
  if (core.state() != ledger::node_state::gone) now.offered = core.info().allocatable;
  now.used = core.used();
  now.takes_jobs = core.state() == ledger::node_state::ready;
  if (now == shown_ && cluster_ == core.cluster() && pool_ == core.pool()) return;
  whole_->remove(cluster_, pool_, shown_);
  cluster_ = core.cluster();
  pool_ = core.pool();
  shown_ = std::move(now);
  whole_->add(cluster_, pool_, shown_);
}

}  // namespace argosy::probes
