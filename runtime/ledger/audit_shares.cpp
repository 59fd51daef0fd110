// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/audit_shares.hpp"

#include <functional>
#include <string_view>

#include "runtime/base/check.hpp"
#include "runtime/ledger/audit_core.hpp"

namespace argosy::ledger {

std::uint64_t audit_caller_of(const model::call_recorded& call) {
  const bool unknown = call.method == log_in_method || call.proof == "anonymous";
  return unknown ? 0 : std::hash<std::string_view>{}(call.user);
}

audit_shares::rank audit_shares::rank_of(std::uint64_t caller, const numbers& of) {
  return {of.size(), *of.begin(), caller};
}

void audit_shares::add(std::uint64_t number, std::uint64_t caller) {
  ARGOSY_CHECK(number > last_);
  auto& own = callers_[caller];
  if (!own.empty()) by_size_.erase(rank_of(caller, own));
  own.insert(own.end(), number);
  by_size_.insert(rank_of(caller, own));
  last_ = number;
  ++size_;
}

void audit_shares::drop_oldest(std::map<std::uint64_t, numbers>::iterator caller) {
  auto& own = caller->second;
  by_size_.erase(rank_of(caller->first, own));
  own.erase(own.begin());
  --size_;
  if (own.empty())
    callers_.erase(caller);
  else
    by_size_.insert(rank_of(caller->first, own));
}

void audit_shares::forget_below(std::uint64_t number) {
  for (auto at = callers_.begin(); at != callers_.end();) {
    const auto now = at++;
    for (auto left = now->second.size(); left > 0 && *now->second.begin() < number; --left)
      drop_oldest(now);
  }
}

std::vector<std::uint64_t> audit_shares::take_surplus(std::uint64_t most, std::size_t room) {
  std::vector<std::uint64_t> out;
  while (size_ > most && out.size() < room) {
    const auto first = *by_size_.begin();
    out.push_back(first.oldest);
    drop_oldest(callers_.find(first.caller));
  }
  return out;
}

}  // namespace argosy::ledger
