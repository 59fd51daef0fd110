// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/lease/election.hpp"

#include <algorithm>
#include <utility>

#include "runtime/logging/logger.hpp"

namespace argosy::kube {

namespace {

const logging::logger logger{"lease"};

/// How long the thread sleeps at most. It wakes for answers, and to see that a pause was too long.
constexpr boot_time sleep_max = std::chrono::milliseconds{500};

}  // namespace

election::election(std::shared_ptr<api> server, election_rules rules, std::function<void()> lost,
                   const clock_source& clock)
    : server_(std::move(server)), lost_(std::move(lost)), clock_(clock), core_(std::move(rules)) {
  thread_ = std::thread{[this] { work(); }};
}

election::~election() {
  {
    const std::lock_guard lock{inbox_->mutex};
    ending_ = true;
    inbox_->changed.notify_all();
  }
  thread_.join();
  held_until_->store(boot_time::min().count(), std::memory_order_relaxed);
}

std::function<boot_time()> election::fence() const {
  return [until = held_until_] { return boot_time{until->load(std::memory_order_relaxed)}; };
}

std::string election::term() const {
  const std::lock_guard lock{inbox_->mutex};
  return core_.term();
}

result<void> election::may_look() const {
  const std::lock_guard lock{inbox_->mutex};
  const auto& why = core_.trouble();
  if (!why || why->code != ec::denied) return {};
  return fail(*why);
}

std::string election::holder() const {
  const std::lock_guard lock{inbox_->mutex};
  return core_.holder();
}

void election::take(const result<answer>& got) {
  asking_ = false;
  core_.answered(got, clock_.boot());
}

/// Writes into the log what has changed.
void election::tell_of(const std::unique_lock<std::mutex>&) {
  const auto now = core_.now_is();
  const auto trouble = core_.trouble() ? to_string(*core_.trouble()) : std::string{};
  if (std::exchange(told_trouble_, trouble) != trouble && !trouble.empty())
    logger.warning("the lease could not be looked at or renewed; trying on",
                   logging::kv("error", trouble));
  const bool other_holder = std::exchange(told_holder_, core_.holder()) != core_.holder();
  if (std::exchange(told_, now) == now && !(other_holder && now == standing::waiting)) return;
  if (now == standing::leading)
    logger.info("this replica holds the lease and acts", logging::kv("as", core_.holder()));
  else if (now == standing::waiting)
    logger.info("this replica waits for the lease",
                logging::kv("holder", core_.holder().empty() ? "not known" : core_.holder()));
}

void election::work() {
  std::unique_lock lock{inbox_->mutex};
  while (!ending_) {
    if (inbox_->got) take(*std::exchange(inbox_->got, std::nullopt));
    auto next = core_.tick(clock_.boot(), clock_.wall());
    held_until_->store(core_.held_until().count(), std::memory_order_relaxed);
    tell_of(lock);
    if (core_.now_is() == standing::lost && !std::exchange(told_lost_, true)) {
      lock.unlock();
      lost_();
      lock.lock();
      continue;
    }
    if (next) {
      asking_ = true;
      lock.unlock();
      server_->ask(std::move(*next), [to = inbox_](result<answer> got) {
        const std::lock_guard guard{to->mutex};
        to->got = std::move(got);
        to->changed.notify_all();
      });
      lock.lock();
      continue;
    }
    const auto due = core_.next_due();
    const auto wait =
        due == boot_time::max() ? sleep_max : std::min(due - clock_.boot(), sleep_max);
    if (wait.count() > 0 && !ending_ && !inbox_->got) inbox_->changed.wait_for(lock, wait);
  }
}

void election::release(std::chrono::milliseconds within) {
  std::unique_lock lock{inbox_->mutex};
  const auto until = std::chrono::steady_clock::now() + within;
  // A renewal under way would make the release one of an older version.
  inbox_->changed.wait_until(lock, until, [this] { return !asking_ || inbox_->got; });
  if (inbox_->got) take(*std::exchange(inbox_->got, std::nullopt));
  told_lost_ = true;
  auto last = asking_ ? std::nullopt : core_.release(clock_.boot(), clock_.wall());
  held_until_->store(boot_time::min().count(), std::memory_order_relaxed);
  if (!last) return;
  lock.unlock();
  auto done = std::make_shared<inbox>();
  server_->ask(std::move(*last), [done](result<answer> got) {
    const std::lock_guard guard{done->mutex};
    done->got = std::move(got);
    done->changed.notify_all();
  });
  std::unique_lock waiting{done->mutex};
  done->changed.wait_until(waiting, until, [&] { return done->got.has_value(); });
}

}  // namespace argosy::kube
