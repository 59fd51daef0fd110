// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/credential_keeper.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace argosy::kube {

namespace {

/// A failure is given to all who ask within this time, since each try may start a program.
constexpr std::chrono::seconds failure_kept{1};
/// Credentials that were read anew after a refusal, and are refused as well, are not read a third
/// time before this has passed.
constexpr std::chrono::seconds refusals_apart{5};
constexpr boot_time never = boot_time::min() / 2;

}  // namespace

credential_keeper::credential_keeper(curl_loop& loop, credentials from)
    : loop_(loop),
      credentials_(std::move(from)),
      refused_at_(never),
      failed_at_(never),
      stop_fd_(::eventfd(0, EFD_CLOEXEC)) {}

credential_keeper::~credential_keeper() {
  constexpr std::uint64_t one = 1;
  static_cast<void>(!::write(stop_fd_, &one, sizeof one));
  if (thread_.joinable()) thread_.join();
  ::close(stop_fd_);
}

void credential_keeper::get(taker take) {
  if (!waiting_.empty()) {
    waiting_.push_back(std::move(take));
    return;
  }
  const auto& clock = loop_.clock();
  if (held_ && credentials_.fresh(clock.wall())) {
    take(held_);
    return;
  }
  if (clock.boot() < failed_at_ + failure_kept) {
    take(fail(failure_));
    return;
  }
  waiting_.push_back(std::move(take));
  renew();
}

bool credential_keeper::refused(const shared_identity& what) {
  // Others are on their way, or here already.
  if (what != held_) return true;
  const auto now = loop_.clock().boot();
  if (!waiting_.empty()) return true;
  if (!credentials_.renewable() || now < refused_at_ + refusals_apart) return false;
  refused_at_ = now;
  held_.reset();
  return true;
}

void credential_keeper::renew() {
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread{[this] {
    auto read = std::make_shared<result<identity>>(credentials_.read(stop_fd_));
    loop_.post([this, read] { renewed(std::move(*read)); });
  }};
}

void credential_keeper::renewed(result<identity> what) {
  // Before anybody is told, since one who is told may ask again.
  thread_.join();
  const auto waiting = std::exchange(waiting_, {});
  if (what) {
    held_ = std::make_shared<const identity>(std::move(*what));
    for (const auto& take : waiting) take(held_);
    return;
  }
  held_.reset();
  failed_at_ = loop_.clock().boot();
  failure_ = what.error();
  for (const auto& take : waiting) take(fail(failure_));
}

}  // namespace argosy::kube
