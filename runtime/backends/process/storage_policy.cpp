// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/storage_policy.hpp"

#include <algorithm>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

namespace {

/// A run that uses less than this part of what is lacking did not fill the disk.
constexpr std::int64_t least_part = 16;

std::string excess(const storing_run& run, std::int64_t files_max) {
  if (run.bytes_max > 0 && run.used.bytes > run.bytes_max)
    return "stored more than the " + std::to_string(run.bytes_max) +
           " bytes of its ephemeral-storage in its working directory and its output";
  if (files_max > 0 && run.used.files > files_max)
    return "made more than " + std::to_string(files_max) +
           " files and folders in its working directory, which process.filesMax allows";
  if (run.too_deep)
    return "nested folders in its working directory deeper than the agent can count their files";
  return {};
}

}  // namespace

std::vector<storage_end> runs_over_limit(const std::vector<storing_run>& runs,
                                         std::int64_t files_max) {
  std::vector<storage_end> out;
  for (const auto& run : runs) {
    if (run.ending) continue;
    if (auto why = excess(run, files_max); !why.empty())
      out.push_back({run.run, model::reason_storage_exceeded, std::move(why)});
  }
  return out;
}

bool lacks_room(const disk_room& disk) {
  return disk.free.bytes < disk.reserve.bytes || disk.free.files < disk.reserve.files;
}

std::optional<storage_end> run_to_end_for_room(const std::vector<storing_run>& runs,
                                               const disk_room& disk) {
  if (!lacks_room(disk) || runs.empty() ||
      std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.ending; }))
    return std::nullopt;
  const bool of_bytes = disk.free.bytes < disk.reserve.bytes;
  const auto amount = of_bytes ? &storage_use::bytes : &storage_use::files;
  const auto most = std::max_element(runs.begin(), runs.end(),
                                     [amount](const storing_run& left, const storing_run& right) {
                                       return left.used.*amount < right.used.*amount;
                                     });
  const auto lacking = disk.reserve.*amount - disk.free.*amount;
  const auto used = most->used.*amount;
  if (used < lacking / least_part || used == 0) return std::nullopt;
  // The run kept to its limit, so that its job is not to blame: it is lost to it, as with a node
  // that fails.
  return storage_end{most->run, model::reason_lost,
                     "the disk of its node had less room than process.diskReserve keeps, and this "
                     "run used the most of it, " +
                         std::to_string(used) + (of_bytes ? " bytes" : " files and folders")};
}

}  // namespace argosy::backends
