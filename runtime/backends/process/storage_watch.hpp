// SPDX-License-Identifier: Apache-2.0
// The storage watch looks again and again, in a thread of its own, at what the live runs store, and
// says which of them are to be ended for it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <vector>

#include "runtime/backends/process/storage_policy.hpp"
#include "runtime/backends/process/work_thread.hpp"
#include "runtime/model/byte_size.hpp"

namespace argosy::backends {

/// Measures what of the folder's file system is free, and says what is to stay free: so many bytes,
/// and one file in a hundred where their number is bounded; nothing if `reserve` is 0.
[[nodiscard]] disk_room room_of(const std::filesystem::path& folder, model::byte_size reserve);

struct storage_limits {
  std::filesystem::path runs_dir;
  std::int64_t files_max = 0;  ///< For each run; 0: not limited.
  /// Measures the room on the disk, by any thread.
  std::function<disk_room()> room;
  /// How long after a look the next one begins, at the least. A look that took long is followed by
  /// a rest of nine times that, so that looking takes at most a tenth of one processor.
  std::chrono::milliseconds period{2000};
};

class storage_watch {
 public:
  /// The calls that the watch makes; all are made by the owner's thread.
  struct owner {
    /// The live runs, with their limits.
    std::function<std::vector<storing_run>()> list;
    std::function<void(const storage_end&)> end;
    /// Gives back the room that ended runs take. Returns false if there is none.
    std::function<bool()> make_room;
  };

  /// Begins at once. `thread` is the owner's and has to live longer.
  storage_watch(work_thread& thread, storage_limits limits, owner what);
  ~storage_watch();
  storage_watch(const storage_watch&) = delete;
  storage_watch& operator=(const storage_watch&) = delete;

 private:
  void begin();
  void look(std::vector<storing_run> runs);
  void act(const std::vector<storing_run>& runs, const disk_room& disk);

  work_thread& thread_;
  storage_limits limits_;
  owner owner_;
  std::atomic<bool> stopping_ = false;
  /// The last member, so that its thread ends before what its tasks use is destroyed.
  work_thread looking_;
};

}  // namespace argosy::backends
