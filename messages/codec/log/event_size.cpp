// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/log/event_size.hpp"

#include <initializer_list>
#include <string_view>

#include "messages/codec/api/retry_codec.hpp"
#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"

namespace argosy::codec {

namespace {

std::size_t size_of(const model::pod_facts& pod) {
  std::size_t size = pod.uid.size();
  for (const auto& [port, address] : pod.addresses) size += 16 + address.size();
  return size;
}

std::size_t size_of(const model::run_usage& usage) {
  std::size_t size = 0;
  for (const auto* list : {&usage.peak, &usage.average, &usage.total})
    for (const auto& [name, quantity] : *list) size += 8 + name.size() + quantity.size();
  return size;
}

std::size_t size_of(const model::affinity_terms& terms) {
  std::size_t size = 0;
  for (const auto& term : terms)
    for (const auto& rule : term) {
      size += 24 + rule.key.size();
      for (const auto& value : rule.values) size += 8 + value.size();
    }
  return size;
}

std::size_t size_of(const model::run_outcome& outcome) {
  std::size_t size = outcome.message.size() + outcome.reason.size() + outcome.category.size() +
                     size_of(outcome.reach);
  for (const auto& each : outcome.containers)
    size += 24 + each.name.size() + each.reason.size() + each.message.size();
  return size;
}

std::size_t header_hint(const model::job_header& header) {
  std::size_t size = 256 + header.job_set.size() + header.name_space.size() + header.owner.size() +
                     header.client_id.size();
  if (header.spec) size += header.spec->size();
  if (header.gang) size += 32 + header.gang->id.size() + header.gang->uniformity_label.size();
  if (!header.shape) return size;
  const auto& shape = *header.shape;
  for (const auto& [name, amount] : shape.requests) size += 24 + name.size();
  for (const auto& [name, value] : shape.node_selector) size += 16 + name.size() + value.size();
  size += size_of(shape.affinity);
  for (const auto& each : shape.volumes)
    size += 16 + each.cluster.size() + each.why.size() + size_of(each.nodes);
  for (const auto& toleration : shape.tolerations)
    size += 24 + toleration.key.size() + toleration.value.size() + toleration.effect.size();
  for (const auto& each : shape.attached) size += 4 + each.size();
  return size + shape.priority_class.size() + shape.process_obstacle.size();
}

/// Estimates payloads that may be long; all others are short.
struct size_estimate {
  std::size_t operator()(const model::job_submitted& e) const { return header_hint(*e.header); }
  std::size_t operator()(const model::submission_accepted& e) const {
    return 64 + e.key.size() + 32 * e.jobs.size();
  }
  std::size_t operator()(const model::queue_set& e) const {
    log::v1::QueueSettings message;
    to_wire(e.settings, message);
    return 32 + message.ByteSizeLong();
  }
  std::size_t operator()(const model::retry_policy_set& e) const {
    api::RetryPolicy message;
    to_wire(e.policy, message);
    return 32 + message.ByteSizeLong();
  }
  std::size_t operator()(const model::nodes_changed& e) const {
    log::v1::Node message;
    std::size_t size = 64 + e.cluster.size();
    for (const auto& node : e.set) {
      message.Clear();
      to_wire(node, message);
      size += 8 + message.ByteSizeLong();
    }
    for (const auto& name : e.removed) size += 8 + name.size();
    return size;
  }
  std::size_t operator()(const model::round_decided& e) const {
    std::size_t size = 192 + e.pool.size();
    for (const auto* entries : {&e.before, &e.carried})
      for (const auto& entry : *entries) {
        size += 160 + entry.pool.size() + entry.name.size() + entry.resource.size() +
                entry.health.last_failure.size() + entry.health.quarantine.why.size();
        for (const auto& amount : entry.amounts) size += 24 + amount.first.size();
      }
    for (const auto& cut : e.cuts) size += 32 + cut.queue.size();
    return size;
  }
  std::size_t operator()(const model::call_recorded& e) const {
    std::size_t size = 96;
    for (const auto text : std::initializer_list<std::string_view>{
             e.user, e.proof, e.via, e.peer, e.method, e.outcome, e.detail, e.queue, e.job_set,
             e.cluster, e.node, e.summary})
      size += 4 + text.size();
    return size;
  }
  std::size_t operator()(const model::settings_changed& e) const {
    std::size_t size = 96 + e.by.size() + e.text.size();
    for (const auto& key : e.changed)
      size += 16 + key.name.size() + key.before.size() + key.after.size();
    for (const auto& setting : e.overrides) size += 12 + setting.name.size() + setting.value.size();
    return size;
  }
  std::size_t operator()(const model::history_expired& e) const {
    std::size_t size = 96 + 10 * e.audit_numbers.size();
    for (const auto& one : e.ended) size += 32 + one.queue.size();
    return size;
  }
  std::size_t operator()(const model::operation_changed& e) const {
    log::v1::Operation message;
    to_wire(e.now, message);
    return 32 + message.ByteSizeLong();
  }
  template <class Payload>
  std::size_t operator()(const Payload& e) const {
    std::size_t size = 192;
    if constexpr (requires { e.reason.size(); }) size += e.reason.size();
    if constexpr (requires { e.nodes.size(); }) size += size_of(e.nodes);
    if constexpr (requires { e.requestor.size(); }) size += e.requestor.size();
    if constexpr (requires { e.by.size(); }) size += e.by.size();
    if constexpr (requires { e.note.size(); }) size += e.note.size();
    if constexpr (requires { e.pod.uid; }) size += size_of(e.pod) + size_of(e.usage);
    if constexpr (requires { e.outcome.message.size(); }) size += size_of(e.outcome);
    if constexpr (requires { e.cluster.size(); }) size += e.cluster.size();
    if constexpr (requires { e.cluster.name.size(); })
      size += e.cluster.name.size() + e.cluster.pool.size() + e.cluster.backend.size();
    if constexpr (requires { e.node.size(); }) size += e.node.size();
    if constexpr (requires { e.pool.size(); }) size += e.pool.size();
    if constexpr (requires { e.holder.size(); }) size += e.holder.size();
    if constexpr (requires { e.carried.size(); })
      for (const auto& entry : e.carried)
        size += 160 + entry.pool.size() + entry.name.size() + 32 * entry.amounts.size() +
                entry.health.last_failure.size() + entry.health.quarantine.why.size();
    return size;
  }
};

}  // namespace

std::size_t size_hint(const model::event& event) noexcept {
  return event.queue.size() + std::visit(size_estimate{}, event.payload);
}

std::size_t size_hint(const std::vector<model::event>& events) noexcept {
  std::size_t bytes = 0;
  for (const auto& event : events) bytes += size_hint(event);
  return bytes;
}

}  // namespace argosy::codec
