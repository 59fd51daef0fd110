// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/sender.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace argosy::kube {

sender::sender(curl_loop& loop, https_peer peer, credentials from, token_bucket limit,
               std::size_t at_a_time_max)
    : loop_(loop),
      peer_(std::move(peer)),
      at_(place_of(from.access())),
      server_(peer_.url.text()),
      limit_(limit),
      at_a_time_max_(at_a_time_max),
      keeper_(loop, std::move(from)) {}

std::string sender::server() const {
  const std::lock_guard guard{mutex_};
  return server_;
}

void sender::go_to(const server_place& place) {
  auto url = read_server_url(place.server);
  if (!url) return;
  at_ = place;
  peer_.url = std::move(*url);
  peer_.tls_name = place.tls_name;
  peer_.proxy = place.proxy;
  peer_.verified = place.verified;
  {
    const std::lock_guard guard{mutex_};
    server_ = peer_.url.text();
  }
  // Not now: whoever is told may cancel the request for which this was found out.
  if (moved_) static_cast<void>(loop_.after(std::chrono::nanoseconds{0}, moved_));
}

std::uint64_t sender::send(exchange_plan plan, curl_loop::end_handler done) {
  const auto number = ++last_number_;
  (plan.stream ? streams_ : asks_).push_back(number);
  sending_.emplace(number, sending{std::move(plan), std::move(done)});
  // Never before this function returns, so that the caller knows the number.
  let_through_after(std::chrono::nanoseconds{0});
  return number;
}

sender::sending sender::take_out(sendings::iterator at) {
  auto out = std::move(at->second);
  sending_.erase(at);
  if (out.counted) {
    --under_way_;
    if (!asks_.empty()) let_through_after(std::chrono::nanoseconds{0});
  }
  return out;
}

void sender::cancel(std::uint64_t number) {
  const auto found = sending_.find(number);
  if (found == sending_.end()) return;
  if (const auto one = take_out(found); one.exchange != 0) loop_.cancel(one.exchange);
}

bool sender::waits(std::uint64_t number) const {
  const auto found = sending_.find(number);
  return found != sending_.end() && found->second.exchange == 0;
}

void sender::let_through_after(std::chrono::nanoseconds wait) {
  if (timer_ == 0) timer_ = loop_.after(wait, [this] { let_through(); });
}

std::deque<std::uint64_t>* sender::next_queue() {
  for (auto* const queue : {&streams_, &asks_})
    while (!queue->empty() && !sending_.contains(queue->front())) queue->pop_front();
  if (!streams_.empty()) return &streams_;
  return asks_.empty() || under_way_ >= at_a_time_max_ ? nullptr : &asks_;
}

void sender::let_through() {
  timer_ = 0;
  while (auto* const queue = next_queue()) {
    if (!limit_.take(loop_.clock().boot())) {
      let_through_after(limit_.until_next());
      return;
    }
    const auto number = queue->front();
    queue->pop_front();
    if (queue == &asks_) {
      sending_.at(number).counted = true;
      ++under_way_;
    }
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
    const auto done = take_out(found).done;
    done({.why = std::move(as.error()), .final = true});
    return;
  }
  if ((*as)->at != at_) go_to((*as)->at);
  if (!one.plan.what.server.empty() && one.plan.what.server != peer_.url.text()) {
    const auto done = take_out(found).done;
    done({.why = error{ec::unreachable, "another server is asked by now"}, .final = true});
    return;
  }
  // Waiting for its turn and for credentials may have taken long, as may a pause of the process.
  const auto now = loop_.clock().boot();
  if (one.plan.what.until <= now) {
    const auto done = take_out(found).done;
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
  const auto done = take_out(found).done;
  done(std::move(end));
}

}  // namespace argosy::kube
