// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/sender.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace argosy::kube {

sender::sender(curl_loop& loop, https_peer peer, credentials from, token_bucket limit)
    : loop_(loop), peer_(std::move(peer)), limit_(limit), keeper_(loop, std::move(from)) {}

std::uint64_t sender::send(exchange_plan plan, curl_loop::end_handler done) {
  const auto number = ++last_number_;
  sending_.emplace(number, sending{std::move(plan), std::move(done)});
  queue_.push_back(number);
  // Never before this function returns, so that the caller knows the number.
  if (timer_ == 0) timer_ = loop_.after(std::chrono::nanoseconds{0}, [this] { let_through(); });
  return number;
}

void sender::cancel(std::uint64_t number) {
  const auto found = sending_.find(number);
  if (found == sending_.end()) return;
  if (found->second.exchange != 0) loop_.cancel(found->second.exchange);
  sending_.erase(found);
}

bool sender::waits(std::uint64_t number) const {
  const auto found = sending_.find(number);
  return found != sending_.end() && found->second.exchange == 0;
}

void sender::let_through() {
  timer_ = 0;
  while (!queue_.empty()) {
    const auto number = queue_.front();
    if (sending_.contains(number)) {
      const auto wait = limit_.take(loop_.clock().boot());
      if (wait.count() > 0) {
        timer_ = loop_.after(wait, [this] { let_through(); });
        return;
      }
    }
    queue_.pop_front();
    identify(number);
  }
}

void sender::identify(std::uint64_t number) {
  if (!sending_.contains(number)) return;
  keeper_.get([this, number](result<credential_keeper::shared_identity> as) {
    identified(number, std::move(as));
  });
}

void sender::identified(std::uint64_t number, result<credential_keeper::shared_identity> as) {
  const auto found = sending_.find(number);
  if (found == sending_.end()) return;
  auto& one = found->second;
  if (!as) {
    const auto done = std::move(one.done);
    sending_.erase(found);
    done({.why = std::move(as.error()), .final = true});
    return;
  }
  // Waiting for its turn and for credentials may have taken long, as may a pause of the process.
  const auto now = loop_.clock().boot();
  if (one.plan.what.until <= now) {
    const auto done = std::move(one.done);
    sending_.erase(found);
    done({.why = error{ec::cancelled, "the request may not be sent any more"}, .final = true});
    return;
  }
  if (one.plan.what.until != boot_time::max())
    one.plan.within = std::min(
        one.plan.within, std::chrono::ceil<std::chrono::milliseconds>(one.plan.what.until - now));
  one.as = std::move(*as);
  auto what = std::make_unique<exchange>(peer_, one.as, one.plan, loop_.clock());
  one.exchange = loop_.begin(std::move(what),
                             [this, number](exchange_end end) { ended(number, std::move(end)); });
}

void sender::ended(std::uint64_t number, exchange_end end) {
  const auto found = sending_.find(number);
  if (found == sending_.end()) return;
  auto& one = found->second;
  constexpr int unauthorized = 401;
  if (end.status == unauthorized && !one.renewed && keeper_.refused(one.as)) {
    one.renewed = true;
    one.exchange = 0;
    identify(number);
    return;
  }
  const auto done = std::move(one.done);
  sending_.erase(found);
  done(std::move(end));
}

}  // namespace argosy::kube
