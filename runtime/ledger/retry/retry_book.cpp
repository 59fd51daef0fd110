// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/retry/retry_book.hpp"

#include <utility>

namespace argosy::ledger {

void retry_book::restore(model::retry_policy policy) {
  auto next = *policies_;
  auto name = policy.name;
  next.insert_or_assign(std::move(name), std::move(policy));
  policies_ = std::make_shared<const retry_policies>(std::move(next));
}

decision<done> retry_book::set(const model::retry_policy& policy, write_mode mode,
                               std::int64_t now_ns) const {
  const auto known = policies_->find(policy.name);
  if (known == policies_->end()) {
    if (mode == write_mode::update)
      return {fail(ec::not_found, "retry policy '" + policy.name + "' does not exist"), {}, {}};
    if (policies_->size() >= policies_max)
      return {fail(ec::overloaded,
                   "there are " + std::to_string(policies_max) +
                       " retry policies, which is the most there can be; delete one first"),
              {},
              {}};
  } else if (known->second == policy) {
    return {done{}, {}, {}};
  }
  return {done{}, {{now_ns, {}, model::retry_policy_set{policy}}}, {}};
}

decision<done> retry_book::erase(const std::string& name, std::int64_t now_ns) const {
  if (!policies_->contains(name)) return {done{}, {}, {}};
  return {done{}, {{now_ns, {}, model::retry_policy_deleted{name}}}, {}};
}

change_list retry_book::apply(const model::event& e) {
  if (const auto* set = std::get_if<model::retry_policy_set>(&e.payload)) {
    restore(set->policy);
    return {put_retry_policy{set->policy}};
  }
  const auto* deleted = std::get_if<model::retry_policy_deleted>(&e.payload);
  if (deleted == nullptr || !policies_->contains(deleted->name)) return {};
  auto next = *policies_;
  next.erase(deleted->name);
  policies_ = std::make_shared<const retry_policies>(std::move(next));
  return {erase_retry_policy{deleted->name}};
}

}  // namespace argosy::ledger
