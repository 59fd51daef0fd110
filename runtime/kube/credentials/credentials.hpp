// SPDX-License-Identifier: Apache-2.0
// Where a request goes and what it carries to be let in, read from where the access says: texts,
// files that are read again when they change, a program that is run again when what it made
// expires. The files of the access itself are looked at in the same way. Not thread-safe; read()
// blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"
#include "runtime/kube/credentials/watched_file.hpp"

namespace argosy::kube {

/// All of it may be empty.
struct identity {
  std::string token{};
  std::string certificate{};  ///< PEM
  std::string key{};          ///< PEM
  std::string authorities{};  ///< PEM; empty for those of the system.
  server_place at{};
};

struct credential_rules {
  std::chrono::milliseconds plugin_within = std::chrono::seconds{30};
  /// A plugin is asked anew so long before what it made expires.
  std::chrono::seconds renewed_before = std::chrono::seconds{10};
};

class credentials {
 public:
  explicit credentials(cluster_access access, const credential_rules& rules = {},
                       access_origin origin = {});

  /// Whether what was read last still holds. It is quick: it looks at the times of files.
  [[nodiscard]] bool fresh(wall_time now) const;

  /// Reads all anew. `stop_fd` becomes readable when nobody waits any more; -1 for none. ec::denied
  /// says which file or program is at fault, ec::cancelled that the caller gave up.
  [[nodiscard]] result<identity> read(int stop_fd = -1);

  /// Whether read() can give something else than before, so that it is worth while when the server
  /// has refused what it gave.
  [[nodiscard]] bool renewable() const noexcept;

  [[nodiscard]] const cluster_access& access() const noexcept { return access_; }

 private:
  [[nodiscard]] result<std::string> text_of(const text_source& from);
  [[nodiscard]] result<void> run_plugin(identity& into, int stop_fd);

  /// Reads the access itself anew if it came from files.
  [[nodiscard]] result<void> read_access();

  cluster_access access_;
  credential_rules rules_;
  access_origin origin_;
  bool read_ = false;
  std::vector<watched_file> files_;
  std::optional<wall_time> expires_;
};

}  // namespace argosy::kube
