// SPDX-License-Identifier: Apache-2.0
// Which clusters executors of Armada may serve, as the operator says.
#pragma once

#include <string>
#include <vector>

namespace argosy::ledger {

/// One cluster whose executor is Armada's. That it stands here says that its runs end by what their
/// executor confirms and by no lease, since executors of Armada know of none.
struct armada_cluster {
  std::string name;
  std::vector<std::string> users;  ///< Who may serve it, besides having the permission.
  std::string node_label = "kubernetes.io/hostname";
  std::string priority_class = "armada-default";  ///< Empty: pods have the class of their job.
};

}  // namespace argosy::ledger
