// SPDX-License-Identifier: Apache-2.0
// What is said to a program that makes credentials and what it answers: an object ExecCredential of
// client.authentication.k8s.io. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"

namespace argosy::kube {

struct exec_credential {
  std::string token{};
  std::string certificate{};  ///< PEM
  std::string key{};          ///< PEM
  /// When it ends; nothing if it holds until the server refuses it.
  std::optional<wall_time> expires{};
};

/// Whether a version is one whose objects are read here: v1, and v1beta1, which has the same form.
[[nodiscard]] bool is_exec_version(std::string_view api_version);

/// The value of KUBERNETES_EXEC_INFO for the plugin of this access. `authorities` is PEM.
[[nodiscard]] std::string exec_question(const cluster_access& access, std::string_view authorities);

/// Reads what the plugin printed. The message says what is wrong and repeats nothing of the text.
[[nodiscard]] result<exec_credential> read_exec_credential(std::string_view text,
                                                           std::string_view api_version);

}  // namespace argosy::kube
