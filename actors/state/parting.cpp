// SPDX-License-Identifier: Apache-2.0
#include "actors/state/parting.hpp"

namespace argosy::actors {

void parting::look(boot_time now) {
  if (begun_) {
    go_on();
    return;
  }
  if (!with_.is_over()) {
    over_since_.reset();
    return;
  }
  if (!over_since_) over_since_ = now;
  if (now - *over_since_ < with_.after) return;
  begun_ = true;
  go_on();
}

void parting::go_on() {
  if (asked_) return;
  if (dropped_ == neighbours_.size()) {
    // Something that was sent before may have come, such as a start, which goes back first.
    if (with_.is_over()) end_();
    return;
  }
  asked_ = true;
  neighbours_[dropped_]([this](bool did) {
    asked_ = false;
    if (!did) return;
    ++dropped_;
    go_on();
  });
}

}  // namespace argosy::actors
