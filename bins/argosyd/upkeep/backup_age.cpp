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

/// 0 for what is not known.
std::int64_t nanos_of(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

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
  const auto of = [](const std::filesystem::path& path) {
    struct statx found {};
    static_cast<void>(
        ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &found));
    return found;
  };
  if (const auto made = nanos_of(of(folder).stx_btime); made != 0) return made;
  // The key and the folder of the store, for example, are made once and stay.
  std::int64_t out = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed})
    if (const auto changed = nanos_of(of(entry.path()).stx_mtime);
        changed != 0 && (out == 0 || changed < out))
      out = changed;
  return out;
}

}  // namespace argosy::argosyd
