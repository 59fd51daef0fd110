// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_nodes.hpp"

#include <algorithm>
#include <vector>

#include "actors/caf_error.hpp"

namespace argosy::actors {

void cluster_nodes::act(const ledger::set_nodes& effect) {
  common_.pool = core_->info().pool;
  for (const auto& info : effect.nodes) {
    auto& handle = nodes_[info.name];
    if (!handle) {
      handle = spawn_node(self_->system(), common_);
      self_->monitor(handle);
    }
    self_->send(handle, atom::nodes_v, common_.pool, info);
  }
}

/// The NODE of a removed node lives on until its runs have ended; this tells it of the removal.
void cluster_nodes::act(const ledger::remove_nodes& effect) {
  for (const auto& node : effect.nodes)
    if (const auto found = nodes_.find(node); found != nodes_.end())
      self_->send(found->second, atom::goodbye_v);
}

void cluster_nodes::act(const ledger::bind_run& effect) {
  if (const auto found = nodes_.find(effect.node); found != nodes_.end())
    self_->send(found->second, atom::bind_v, effect.run, effect.requests);
}

void cluster_nodes::act(const ledger::unbind_run& effect) {
  if (const auto found = nodes_.find(effect.node); found != nodes_.end())
    self_->send(found->second, atom::unbind_v, effect.run, effect.verdict);
}

void cluster_nodes::act(const ledger::node_starts_runs& effect) {
  if (const auto found = nodes_.find(effect.node); found != nodes_.end())
    self_->send(found->second, atom::began_v);
}

void cluster_nodes::act(const ledger::set_contact& effect) {
  for (const auto& [node, handle] : nodes_) self_->send(handle, atom::contact_v, effect.in_contact);
}

void cluster_nodes::release(const model::node_name& node, std::int64_t now_ns,
                            std::function<void(const result<void>&)> done) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return done(fail(unknown(node)));
  self_->request(found->second, request_timeout_, atom::release_v, now_ns)
      .then(
          [this, node, now_ns, done](bool ended) {
            if (ended) return tell_coordinator(node, now_ns, done);
            done(fail(ec::conflict, "node '" + model::node_id(core_->name(), node) +
                                        "' is not quarantined, nor tried again after a "
                                        "quarantine"));
          },
          [done](const caf::error& err) { done(fail(from_caf(err))); });
}

void cluster_nodes::tell_coordinator(const model::node_name& node, std::int64_t released_ns,
                                     std::function<void(const result<void>&)> done) {
  self_
      ->request(common_.coordinator, request_timeout_, atom::release_v, core_->name(), node,
                released_ns)
      .then([done](atom::ok) { done({}); },
            [done](const caf::error& err) { done(fail(from_caf(err))); });
}

void cluster_nodes::retire() {
  for (const auto& [node, handle] : nodes_) self_->send(handle, atom::goodbye_v);
}

void cluster_nodes::ended(const caf::actor_addr& who) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const auto& item) { return item.second.address() == who; });
  if (found == nodes_.end()) return;
  const auto node = found->first;
  nodes_.erase(found);
  const auto info = core_->node_infos().find(node);
  if (info == core_->node_infos().end()) return;
  act(ledger::set_nodes{{core_->seen(info->second)}});
  self_->send(nodes_.at(node), atom::contact_v, core_->takes_work());
}

caf::result<native::node_status_list> cluster_nodes::list(const model::node_name& after,
                                                          std::uint32_t limit) const {
  auto promise =
      self_->make_response_promise<caf::typed_response_promise<native::node_status_list>>();
  auto out = std::make_shared<std::vector<native::node_status>>();
  std::vector<node_actor> asked;
  for (auto at = nodes_.upper_bound(after); at != nodes_.end() && asked.size() < limit; ++at)
    asked.push_back(at->second);
  auto missing = std::make_shared<std::size_t>(asked.size());
  if (asked.empty()) promise.deliver(native::node_status_list{out});
  auto done = [promise, out, missing]() mutable {
    if (--*missing > 0) return;
    std::sort(out->begin(), out->end(),
              [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
    promise.deliver(native::node_status_list{out});
  };
  for (const auto& handle : asked)
    self_->request(handle, request_timeout_, atom::status_v)
        .then(
            [this, out, done](const native::node_status& status) mutable {
              out->push_back(complete(status));
              done();
            },
            // A NODE that has just ended stands for no node of the cluster any more.
            [done](const caf::error&) mutable { done(); });
  return promise;
}

caf::result<native::node_status> cluster_nodes::status(const model::node_name& node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return to_caf(unknown(node));
  auto promise = self_->make_response_promise<caf::typed_response_promise<native::node_status>>();
  self_->request(found->second, request_timeout_, atom::status_v)
      .then([this, promise](
                const native::node_status& status) mutable { promise.deliver(complete(status)); },
            [promise](const caf::error& err) mutable { promise.deliver(err); });
  return promise;
}

native::node_status cluster_nodes::complete(native::node_status status) const {
  if (const auto* cordon = core_->all_cordons().holds_for(status.info.name))
    status.cordon = ledger::to_text(*cordon);
  status.drain = core_->drain_for(status.info.name);
  return status;
}

error cluster_nodes::unknown(const model::node_name& node) const {
  return {ec::not_found, "cluster '" + core_->name() + "' has no node '" + node + "'"};
}

}  // namespace argosy::actors
