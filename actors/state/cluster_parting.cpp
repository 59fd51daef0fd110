// SPDX-License-Identifier: Apache-2.0
#include "actors/state/cluster_parting.hpp"

namespace argosy::actors {

void cluster_parting::look(boot_time now) {
  if (begun()) {
    go_on();
    return;
  }
  if (!is_over_()) {
    over_since_.reset();
    return;
  }
  if (!over_since_) over_since_ = now;
  if (now - *over_since_ < after_) return;
  at_ = step::tell_root;
  go_on();
}

void cluster_parting::go_on() {
  if (asked_) return;
  if (at_ == step::tell_root)
    tell(of_.root, step::tell_coordinator);
  else if (at_ == step::tell_coordinator)
    tell(of_.coordinator, step::end);
  else if (is_over_())  // A start of an old plan may have come, whose run goes back first.
    self_->quit();
}

template <class Handle>
void cluster_parting::tell(const Handle& whom, step next) {
  asked_ = true;
  self_
      ->request(whom, of_.request_timeout, atom::goodbye_v, model::cluster_name{cluster_},
                caf::actor_cast<cluster_actor>(self_))
      .then(
          [this, next](atom::ok) {
            asked_ = false;
            at_ = next;
            go_on();
          },
          [this](const caf::error&) { asked_ = false; });
}

}  // namespace argosy::actors
