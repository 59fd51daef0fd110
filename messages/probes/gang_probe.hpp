// SPDX-License-Identifier: Apache-2.0
// The gang_probe has the figures of the GANGs, which count over all gangs together.
#pragma once

#include <memory>

#include "runtime/metrics/board.hpp"

namespace argosy::probes {

struct gang_probe final : metrics::probe {
  gang_probe() : probe("gang") {}

  static constexpr const char* gangs_name = "argosy_gangs";
  static constexpr const char* gangs_help =
      "Gangs with live members: those that wait for members, and those that are complete.";

  metrics::gauge incomplete{*this, gangs_name, gangs_help, {{"state", "incomplete"}}};
  metrics::gauge complete{*this, gangs_name, gangs_help, {{"state", "complete"}}};
};

/// This is what one GANG contributes to the figures of all.
class gang_share {
 public:
  explicit gang_share(metrics::board& board) : whole_(board.get<gang_probe>()) {}

  void show(bool complete) noexcept {
    incomplete_.set(complete ? 0 : 1);
    complete_.set(complete ? 1 : 0);
  }

 private:
  std::shared_ptr<gang_probe> whole_;
  metrics::portion incomplete_{whole_->incomplete};
  metrics::portion complete_{whole_->complete};
};

}  // namespace argosy::probes
