// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/user_end.hpp"

#include <functional>
#include <tuple>

namespace argosy::sim {

user_end::user_end(surroundings& around) : around_(around) {
  follow_time();
  std::tie(connection_, link_) =
      around_.net.connect(timers_, {[](const std::function<void()>& what) { what(); }, {}});
}

user_end::~user_end() {
  timers_->stop();
  connection_->close();
}

}  // namespace argosy::sim
