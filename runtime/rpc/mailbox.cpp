// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "runtime/base/check.hpp"

namespace argosy::rpc {

mailbox::mailbox() : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  ARGOSY_CHECK(wake_ >= 0);
}

mailbox::~mailbox() {
  ::close(wake_);
}

// A letter may hold a stream, whose end waits for callbacks that post: none is destroyed under the
// lock.
void mailbox::post(letter what) {
  {
    const std::scoped_lock lock{guard_};
    if (closed_) return;
    letters_.push_back(std::move(what));
    if (letters_.size() > 1) return;
  }
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
}

std::vector<mailbox::letter> mailbox::take() {
  std::uint64_t count = 0;
  static_cast<void>(::read(wake_, &count, sizeof count));
  const std::scoped_lock lock{guard_};
  return std::exchange(letters_, {});
}

void mailbox::close() {
  std::vector<letter> dropped;  // Declared first, so that it ends after the lock.
  const std::scoped_lock lock{guard_};
  closed_ = true;
  dropped.swap(letters_);
}

}  // namespace argosy::rpc
