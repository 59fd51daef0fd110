// SPDX-License-Identifier: Apache-2.0
// A backend `kubernetes` whose link to the API server is cut and mended.
#pragma once

#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {

struct kubernetes_link : kubernetes_fixture {
  void cut(bool noticed = true) {
    kube->cut_link(noticed);
    backend->advance();
  }
  void mend() {
    kube->mend_link();
    pass(3s);
  }
  void pass_slowly(std::chrono::seconds span, std::chrono::seconds step = 1s) {
    for (auto left = span; left > 0s; left -= step) pass(step);
  }
  bool is_deleted(const model::run_key& run) const {
    const auto found = kube->pods.find(at(run));
    return found == kube->pods.end() || found->second["metadata"].contains("deletionTimestamp");
  }
};

}  // namespace argosy::backends
