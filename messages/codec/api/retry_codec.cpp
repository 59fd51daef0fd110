// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/retry_codec.hpp"

#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

result<model::retry_action> action_of(api::RetryAction in, const std::string& place) {
  if (in == api::RETRY_ACTION_FAIL) return model::retry_action::fail;
  if (in == api::RETRY_ACTION_RETRY) return model::retry_action::retry;
  return fail(ec::invalid_argument, place + " must be RETRY_ACTION_FAIL or RETRY_ACTION_RETRY");
}

api::RetryAction to_wire(model::retry_action in) {
  return in == model::retry_action::fail ? api::RETRY_ACTION_FAIL : api::RETRY_ACTION_RETRY;
}

/// A factor of 0 counts as none, as it does for proto3.
result<model::memory_bump> bump_of(const api::RetryResourceBump& in, const std::string& place) {
  model::memory_bump out;
  if (in.factor() != 0) out.factor = in.factor();
  if (in.static_().empty()) return out;
  const auto bytes = model::parse_quantity(in.static_(), model::resource_unit::byte);
  if (!bytes)
    return fail(ec::invalid_argument,
                place + ".mutate.resources.memory.static: " + bytes.error().detail);
  out.bytes = *bytes;
  return out;
}

}  // namespace

result<model::retry_policy> from_wire(const api::RetryPolicy& in) {
  if (const auto bytes = in.ByteSizeLong(); bytes > retry_policy_bytes_max)
    return fail(ec::invalid_argument, "the retry policy has " + std::to_string(bytes) +
                                          " bytes; at most " +
                                          std::to_string(retry_policy_bytes_max) + " are allowed");
  model::retry_policy out;
  out.name = in.name();
  out.limit = in.retry_limit();
  if (auto valid = model::validate_policy_name(out.name); !valid) return fail(valid.error());
  const auto otherwise = action_of(in.default_action(), "default_action");
  if (!otherwise) return fail(otherwise.error());
  out.otherwise = *otherwise;
  for (const auto& each : in.rules()) {
    const auto place = "rules[" + std::to_string(out.rules.size()) + "]";
    const auto action = action_of(each.action(), place + ".action");
    if (!action) return fail(action.error());
    auto& rule = out.rules.emplace_back();
    rule.action = *action;
    rule.category = each.on_category();
    rule.subcategory = each.on_subcategory();
    rule.avoid_same_node = each.mutate().affinity().avoid_same_node();
    if (!each.mutate().resources().has_memory()) continue;
    const auto bump = bump_of(each.mutate().resources().memory(), place);
    if (!bump) return fail(bump.error());
    rule.memory = *bump;
  }
  if (auto valid = model::validate(out); !valid) return fail(valid.error());
  return out;
}

void to_wire(const model::retry_policy& policy, api::RetryPolicy& out) {
  out.set_name(policy.name);
  out.set_retry_limit(policy.limit);
  out.set_default_action(to_wire(policy.otherwise));
  for (const auto& rule : policy.rules) {
    auto& each = *out.add_rules();
    each.set_action(to_wire(rule.action));
    each.set_on_category(rule.category);
    each.set_on_subcategory(rule.subcategory);
    if (rule.avoid_same_node) each.mutable_mutate()->mutable_affinity()->set_avoid_same_node(true);
    if (!rule.memory) continue;
    auto& memory = *each.mutable_mutate()->mutable_resources()->mutable_memory();
    if (rule.memory->factor) memory.set_factor(*rule.memory->factor);
    if (rule.memory->bytes)
      memory.set_static_(model::format_quantity(*rule.memory->bytes, model::resource_unit::byte));
  }
}

}  // namespace argosy::codec
