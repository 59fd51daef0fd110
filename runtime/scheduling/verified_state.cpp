// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/verified_state.hpp"

#include <future>
#include <utility>

namespace argosy::scheduling {

bool decide_alike(const plan& a, const plan& b) {
  return a.digest == b.digest && a.leases.size() == b.leases.size() &&
         a.preemptions.size() == b.preemptions.size() && a.failed == b.failed &&
         a.error == b.error && a.violation == b.violation;
}

verified_state::outcome verified_state::decide(const snapshot& from,
                                               const std::shared_ptr<const config>& conf,
                                               const round_params& params) {
  ++rounds_;
  const auto before = kept_.made_anew();
  std::future<plan> second;
  if (is_verified())
    second = std::async(std::launch::async, [&] { return schedule(from, *conf, params); });
  outcome out;
  out.plan = kept_.decide(from, conf, params);
  out.made_anew = kept_.made_anew() != before;
  if (!second.valid()) return out;
  auto whole = second.get();
  if (decide_alike(whole, out.plan)) return out;
  kept_.clear();
  out.differed = true;
  out.plan = std::move(whole);
  return out;
}

}  // namespace argosy::scheduling
