// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/storage_watch.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/backends/process/folder_use.hpp"
#include "runtime/backends/run/output.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

/// After a look there is a rest of this many times its duration.
constexpr int rest = 9;

/// The working directory and the output of a run.
folder_use use_of_run(const std::filesystem::path& folder, const storage_use& enough,
                      const std::atomic<bool>& cancelled) {
  auto out = use_of_folder(folder / work_folder, enough, cancelled);
  for (const auto& part : output_parts(folder)) {
    for (const auto& name : {output_part_name(part.start), turns_name(part.start)}) {
      struct stat output {};
      if (::lstat((folder / name).c_str(), &output) == 0) out.used.bytes += stored_bytes(output);
    }
  }
  return out;
}

}  // namespace

disk_room room_of(const std::filesystem::path& folder, model::byte_size reserve) {
  struct statvfs disk {};
  if (reserve.bytes == 0 || ::statvfs(folder.c_str(), &disk) != 0) return {};
  return {
      {static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize),
       static_cast<std::int64_t>(disk.f_favail)},
      {static_cast<std::int64_t>(reserve.bytes), static_cast<std::int64_t>(disk.f_files / 100)}};
}

storage_watch::storage_watch(work_thread& thread, storage_limits limits, owner what)
    : thread_(thread), limits_(std::move(limits)), owner_(std::move(what)) {
  thread_.post([this] { begin(); });
}

storage_watch::~storage_watch() {
  stopping_ = true;
}

void storage_watch::begin() {
  looking_.post([this, runs = owner_.list()]() mutable { look(std::move(runs)); });
}

void storage_watch::look(std::vector<storing_run> runs) {
  const auto began = boot_now();
  for (auto& each : runs) {
    if (each.ending) continue;
    const auto found = use_of_run(limits_.runs_dir / to_string(each.run),
                                  {each.bytes_max, limits_.files_max}, stopping_);
    each.used = found.used;
    each.too_deep = found.too_deep;
  }
  const auto disk = limits_.room();
  const auto pause = std::max<boot_time>(limits_.period, (boot_now() - began) * rest);
  thread_.post([this, runs = std::move(runs), disk, pause] {
    act(runs, disk);
    thread_.call_at(boot_now() + pause, [this] { begin(); });
  });
}

void storage_watch::act(const std::vector<storing_run>& runs, const disk_room& disk) {
  const auto over = runs_over_limit(runs, limits_.files_max);
  for (const auto& each : over) owner_.end(each);
  if (!over.empty() || !lacks_room(disk) || owner_.make_room()) return;
  if (const auto one = run_to_end_for_room(runs, disk)) owner_.end(*one);
}

}  // namespace argosy::backends
