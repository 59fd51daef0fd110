// SPDX-License-Identifier: Apache-2.0
// A store_watch looks for what keeps the store of this process from using its room again, and at
// the age of its copies. One thread uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bins/argosyd/upkeep/backup_age.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/store/database.hpp"
#include "runtime/store/reader_watch.hpp"

namespace argosy::argosyd {

/// A process that reads the store.
struct reading_process {
  std::string command;   ///< Its words, as `ps` shows them; empty if it is not known.
  bool stopped = false;  ///< By SIGSTOP or Ctrl-Z, so that it does not go on by itself.
};

/// What is to be said of a reader that has seen one state of the store for long.
[[nodiscard]] health::concern reader_concern(const store::old_reader& one,
                                             const reading_process& process, bool is_self);

/// Whether the process is an `argosyd check` or `argosyd backup`, which lose nothing when they are
/// ended.
[[nodiscard]] bool may_be_ended(const reading_process& process);

/// The file in which `argosyd backup` notes its last whole backup.
[[nodiscard]] std::filesystem::path backup_note(const std::filesystem::path& data_dir);

/// What /metrics shows of copies and readers of the store.
struct copies_probe final : metrics::probe {
  copies_probe() : probe("copies") {}

  metrics::gauge backup_at{*this, "argosy_backup_time_seconds",
                           "Unix time of the last whole backup of the store; 0: none is known."};
  metrics::gauge begun_at{*this, "argosy_data_directory_time_seconds",
                          "Unix time when the data directory was made; 0: not known, or this is "
                          "argosyd --dev."};
  metrics::gauge snapshot_at{*this, "argosy_snapshot_time_seconds",
                             "Unix time of the newest snapshot of the store; 0: there is none."};
  metrics::gauge reader_age{*this, "argosy_store_oldest_reader_seconds",
                            "For how long the oldest reader has seen one state of the store."};
};

class store_watch {
 public:
  /// `begun_ns` as for backup_concern().
  store_watch(std::shared_ptr<store::database> database, std::filesystem::path data_dir,
              std::shared_ptr<metrics::board> probes, std::int64_t begun_ns)
      : database_(std::move(database)),
        data_dir_(std::move(data_dir)),
        probes_(std::move(probes)),
        begun_ns_(begun_ns) {}

  /// Looks, and ends readers that may be ended if they are `in_the_way` of new commands.
  [[nodiscard]] health::concerns look(bool in_the_way);

 private:
  void look_at_readers(copies_probe& probe, bool in_the_way, health::concerns& out);
  void look_at_copies(copies_probe& probe, health::concerns& out);

  std::shared_ptr<store::database> database_;
  std::filesystem::path data_dir_;
  std::shared_ptr<metrics::board> probes_;
  std::int64_t begun_ns_;
  store::reader_watch readers_;
};

}  // namespace argosy::argosyd
