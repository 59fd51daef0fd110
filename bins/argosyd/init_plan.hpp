// SPDX-License-Identifier: Apache-2.0
// This file declares how the files that `argosyd init` makes are planned: those of a deployment
// whose nats-server asks everybody who he is. It is pure but for the keys, which the function draws
// that is handed in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/access/nkey.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// The arguments. Users are "NAME" or "NAME:ROLE"; without a role a user is a submitter.
struct init_request {
  std::filesystem::path folder{};  ///< An absolute path.
  std::string listen{"127.0.0.1:4222"};
  std::string url{};  ///< The URL that others use; empty: it follows from `listen`.
  std::string certificate{};
  std::string certificate_key{};
  std::string authority{};
  std::vector<std::string> clusters{};
  std::vector<std::string> users{};
  std::vector<std::string> add_clusters{};
  std::vector<std::string> add_users{};
  /// Identities: "agent/NAME" or "user/NAME".
  std::vector<std::string> remove{};
  /// The free bytes on the disk of the folder, where the nats-server keeps the log; 0: unknown.
  std::uint64_t disk_free_bytes = 0;

  /// Whether it changes a deployment that is there, instead of making one.
  [[nodiscard]] bool changes() const {
    return !add_clusters.empty() || !add_users.empty() || !remove.empty();
  }
};

struct init_file {
  std::filesystem::path path{};  ///< The path below the folder.
  std::string text{};
};

struct init_outcome {
  std::vector<init_file> files{};  ///< In the order in which they are written.
  std::string said{};              ///< The text to print: what was made, and how to start it.
};

using key_maker = std::function<result<access::nkey>()>;

/// The file of the folder that remembers the members.
inline constexpr const char* plan_file = "access.list";

/// `present` is the text of plan_file, if there is one. ec::conflict when a deployment is there and
/// another is to be made; ec::not_found when one is to be changed and there is none;
/// ec::invalid_argument for names, roles and addresses that cannot be.
[[nodiscard]] result<init_outcome> plan_init(const init_request& request,
                                             const std::optional<std::string>& present,
                                             const key_maker& make_key);

}  // namespace argosy::argosyd
