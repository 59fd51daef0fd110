// SPDX-License-Identifier: Apache-2.0
// This file declares how argosyd finds out that its nats-server runs from a configuration that
// gives other rights than `argosyd init` would give today, or runs on with rights that its files do
// not give any more, and where it keeps the log.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::argosyd {

/// It holds what the files of `argosyd init` say of the nats-server, each of which is read once.
struct made_server;

/// The faults of rights and limits in these files and what to do about them, each as a sentence
/// without its full stop. None if their folder is not on this machine; it is known by the path of
/// the credentials.
[[nodiscard]] std::vector<std::string> warnings_of_rights(const settings::nats_settings& nats);

/// Finds out whether the nats-server gives the rights that it should: by the files, where they are
/// on this machine, and by asking the server whether it runs from them. Without the files it is
/// asked whether its rights follow the rules of this version. It tells of what the server refuses
/// argosyd, too. Used by one thread.
class rights_watch {
 public:
  using link = std::function<std::shared_ptr<bus::connection>()>;  ///< Null while there is none.

  rights_watch(settings::nats_settings nats, link connection,
               std::shared_ptr<metrics::board> probes)
      : nats_(std::move(nats)), connection_(std::move(connection)), probes_(std::move(probes)) {}

  /// May block for two seconds. The server is asked every minute, and more often while its rights
  /// are wrong, so that it is known at once when they are mended.
  [[nodiscard]] health::concerns look(boot_time now);

 private:
  [[nodiscard]] std::optional<std::string> fault(const made_server& made, boot_time now);
  /// Whether the server lets the control plane publish to a mark; what was known before if it does
  /// not answer.
  [[nodiscard]] bool gives(const std::string& mark, boot_time now);

  const settings::nats_settings nats_;
  const link connection_;
  std::shared_ptr<metrics::board> probes_;
  std::string asked_;  ///< The mark of the last question.
  boot_time next_{};   ///< When to ask for the same mark again.
  bool given_ = true;
};

/// The file of the members, if the credentials lie where `argosyd init` puts them; else empty.
[[nodiscard]] std::filesystem::path members_file(const settings::nats_settings& nats);

/// Where the nats-server that `argosyd init` set up keeps the log; nothing if its folder is not on
/// this machine.
[[nodiscard]] std::optional<std::filesystem::path> store_of_server(
    const settings::nats_settings& nats);

}  // namespace argosy::argosyd
