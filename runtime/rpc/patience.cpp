// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/patience.hpp"

namespace argosy::rpc {

using clock = std::chrono::steady_clock;

namespace {

/// How often it is looked within the bound.
constexpr int looks = 4;

}  // namespace

patience::patience(std::chrono::milliseconds at_most)
    : at_most_(at_most), thread_([this] { look(); }) {}

patience::~patience() {
  {
    const std::scoped_lock lock{guard_};
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void patience::look() {
  std::unique_lock lock{guard_};
  while (!wake_.wait_for(lock, at_most_ / looks, [&] { return ended_; })) {
    const auto late = (clock::now() - at_most_).time_since_epoch().count();
    // A call cannot end while the lock is held, since its part has to leave before.
    for (auto* const call : calls_)
      if (const auto since = call->since_.load(); since != 0 && since < late)
        call->context_.TryCancel();
  }
}

caller_wait::caller_wait(patience& all, ::grpc::ServerContextBase& context)
    : all_(all), context_(context) {
  const std::scoped_lock lock{all_.guard_};
  all_.calls_.insert(this);
}

caller_wait::~caller_wait() {
  const std::scoped_lock lock{all_.guard_};
  all_.calls_.erase(this);
}

void caller_wait::begin() noexcept {
  since_ = clock::now().time_since_epoch().count();
}

void caller_wait::end() noexcept {
  since_ = 0;
}

}  // namespace argosy::rpc
