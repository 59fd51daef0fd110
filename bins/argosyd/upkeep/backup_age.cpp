// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/backup_age.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

namespace argosy::argosyd {

namespace {

/// A copy is to be younger than this, unless the data directory is younger itself.
constexpr std::int64_t backup_days_max = 8;
constexpr std::int64_t day_ns = 86'400'000'000'000;

}  // namespace

std::optional<health::concern> backup_concern(std::int64_t backup_ns, std::int64_t begun_ns,
                                              std::int64_t now_ns) {
  const auto since = backup_ns != 0 ? backup_ns : begun_ns;
  const auto days = (now_ns - since) / day_ns;
  if (since == 0 || days < backup_days_max) return std::nullopt;
  if (backup_ns != 0)
    return health::concern{false, "backup", "backup",
                           "the last backup of the store that argosyd backup made is " +
                               std::to_string(days) + " days old: make another one"};
  return health::concern{false, "backup", "backup",
                         "no argosyd backup was ever made of this control plane's data directory, "
                         "which is " +
                             std::to_string(days) +
                             " days old: make one on its machine; those of another machine do not "
                             "have what is done since this one took the lead"};
}

std::int64_t made_at_ns(const std::filesystem::path& folder) {
  struct statx found {};
  if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_BTIME, &found) != 0 ||
      (found.stx_mask & STATX_BTIME) == 0)
    return 0;
  return found.stx_btime.tv_sec * 1'000'000'000 + found.stx_btime.tv_nsec;
}

}  // namespace argosy::argosyd
