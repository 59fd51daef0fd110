// SPDX-License-Identifier: Apache-2.0
// Reads kubeconfig files, the form in which Kubernetes' users keep how to reach clusters. Pure: no
// file that it names is opened. Keys that nobody here knows are left aside, as kubectl does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"

namespace argosy::kube {

struct kubeconfig_options {
  /// The context to use; empty for the file's current-context.
  std::string context{};
  /// Lets `insecure-skip-tls-verify: true` be.
  bool unverified_allowed = false;
};

/// Reads one context with its cluster and its user. `file` is the path of the text, which messages
/// name and to whose folder relative paths belong. ec::invalid_argument lists all mistakes in what
/// the context uses, one in each line as "FILE:LINE:COLUMN: mistake; fix". No message holds a
/// secret.
[[nodiscard]] result<cluster_access> read_kubeconfig(std::string_view text, const std::string& file,
                                                     const kubeconfig_options& options);

struct kubeconfig_file {
  std::string path;
  std::string text;
};

/// Reads several files as if they were one, as kubectl does with those that KUBECONFIG names: of
/// current-context, and of contexts, clusters and users with the same name, the first one counts.
[[nodiscard]] result<cluster_access> read_kubeconfigs(const std::vector<kubeconfig_file>& files,
                                                      const kubeconfig_options& options);

}  // namespace argosy::kube
