// SPDX-License-Identifier: Apache-2.0
// Snapshots are backups of the store that argosyd keeps in its own data directory, in the folder
// `snapshots`, so that older generations of the log are not needed to rebuild the store. Each was
// verified before it got its name, GENERATION-POSITION.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/eventlog/rollover_core.hpp"

namespace argosy::argosyd {

class snapshot_shelf {
 public:
  /// `config_file` is the one with which this process was started; empty: none.
  snapshot_shelf(const std::filesystem::path& data_dir, std::string config_file);

  /// Lists the snapshots, ascending. What is no snapshot is left out.
  [[nodiscard]] result<std::vector<eventlog::snapshot_mark>> list() const;
  /// Makes one of the store, by `argosyd backup --verify` in a process of its own: it takes much
  /// memory and disk for a large store, and damaged pages may end it by a signal. Gives up with
  /// ec::cancelled as soon as `stop` returns true, and with ec::timeout after two hours. Fails as
  /// that command does, in its words.
  result<void> make(const std::function<bool()>& stop);
  result<void> drop(const eventlog::snapshot_mark& which);

 private:
  std::filesystem::path data_dir_;
  std::filesystem::path folder_;
  std::string config_file_;
};

/// The Unix time of the newest snapshot that a data directory has, in nanoseconds.
[[nodiscard]] std::optional<std::int64_t> newest_snapshot_ns(const std::filesystem::path& data_dir);

/// Puts the newest snapshot that is whole into a data directory that has snapshots and no store.
/// Otherwise nothing happens; the log then decides whether the store can be made anew.
result<void> restore_snapshot(const std::filesystem::path& data_dir);

}  // namespace argosy::argosyd
