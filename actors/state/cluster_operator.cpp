// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_operator.hpp"

#include <algorithm>

#include "actors/caf_error.hpp"
#include "actors/state/cluster_log.hpp"

namespace argosy::actors {

namespace {

/// Answers a request with `reply` when its events are durable.
template <class Reply>
std::function<void(const result<void>&)> answer_with(caf::typed_response_promise<Reply> promise,
                                                     Reply reply) {
  return [promise, reply](const result<void>& kept) mutable {
    kept ? promise.deliver(reply) : promise.deliver(to_caf(kept.error()));
  };
}

}  // namespace

caf::result<std::uint32_t> cluster_operator::forget(const std::string& reason) {
  const auto runs = static_cast<std::uint32_t>(core_->run_count());
  auto done = core_->forget(reason, wall(), of_.clock.boot());
  if (!done.reply) return to_caf(done.reply.error());
  if (!done.events.empty()) log_forgotten(*core_, reason);
  of_.agent.disconnect();
  auto promise = self_->make_response_promise<caf::typed_response_promise<std::uint32_t>>();
  of_.log.append(std::move(done.events), answer_with(promise, runs));
  carry_out_(std::move(done.effects));
  of_.entry.tell();
  return promise;
}

caf::result<atom::ok> cluster_operator::release(const model::node_name& node,
                                                const std::string& reason) {
  if (const auto known = core_->release_node(node, wall()); !known) return to_caf(known.error());
  auto promise = self_->make_response_promise<caf::typed_response_promise<atom::ok>>();
  of_.nodes.release(node, wall(), [this, node, reason, promise](const result<void>& ended) mutable {
    // The node may have left meanwhile.
    auto events = ended ? core_->release_node(node, wall()) : fail(ended.error());
    if (!events) {
      promise.deliver(to_caf(events.error()));
      return;
    }
    log_released(*core_, node, reason);
    of_.log.append(std::move(*events), answer_with(promise, atom::ok_v));
  });
  return promise;
}

caf::result<atom::ok> cluster_operator::cordon(const model::cordon_changed& wanted) {
  auto done = core_->cordon(wanted, wall());
  if (!done.reply) return to_caf(done.reply.error());
  if (!done.events.empty()) log_cordon(wanted);
  auto promise = self_->make_response_promise<caf::typed_response_promise<atom::ok>>();
  of_.log.append(std::move(done.events), answer_with(promise, atom::ok_v));
  carry_out_(std::move(done.effects));
  return promise;
}

caf::result<ledger::drain_reply> cluster_operator::drain(const ledger::drain_request& wanted) {
  auto done = core_->drain(wanted, wall());
  if (!done.reply) return to_caf(done.reply.error());
  if (!done.reply->joined) log_drain(done.reply->drain);
  auto promise = self_->make_response_promise<caf::typed_response_promise<ledger::drain_reply>>();
  of_.log.append(std::move(done.events),
                 [this, promise, reply = *done.reply](const result<void>& kept) mutable {
                   if (!kept) {
                     promise.deliver(to_caf(kept.error()));
                     return;
                   }
                   promise.deliver(reply);
                   auto step = core_->drain_on(wall());
                   of_.log.append(std::move(step.events));
                   carry_out_(std::move(step.effects));
                 });
  carry_out_(std::move(done.effects));
  return promise;
}

caf::result<native::cluster_events_ptr> cluster_operator::events(const model::node_name& node,
                                                                 std::uint32_t limit) const {
  auto out = std::make_shared<native::cluster_events>();
  out->events = of_.log.recent().list(node, limit);
  out->since_ns = of_.log.recent().since_ns();
  const auto is_of_node = [&](const auto& each) { return each.node == node; };
  if (!node.empty() && !core_->node_infos().contains(node) &&
      std::ranges::none_of(out->events, is_of_node))
    return to_caf(of_.nodes.unknown(node));
  return native::cluster_events_ptr{std::move(out)};
}

caf::result<model::operation> cluster_operator::stop_drain(const model::node_name& node,
                                                           const std::string& by) {
  auto done = core_->stop_drain(node, by, wall());
  if (!done.reply) return to_caf(done.reply.error());
  log_drain(*done.reply);
  auto promise = self_->make_response_promise<caf::typed_response_promise<model::operation>>();
  of_.log.append(std::move(done.events), answer_with(promise, *done.reply));
  return promise;
}

}  // namespace argosy::actors
