// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/agent_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <system_error>

#include "runtime/backends/run/file.hpp"
#include "runtime/base/random.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy {

namespace {

const logging::logger place_logger{"agent"};

std::string machine_id() {
  std::ifstream file{"/etc/machine-id"};
  std::string id;
  std::getline(file, id);
  return id.empty() ? "no-machine-id" : id;
}

}  // namespace

void set_place(model::cluster_info& cluster, const std::filesystem::path& folder) {
  struct statx found {};
  cluster.place = machine_id();
  if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &found) == 0) {
    cluster.place += "/" + std::to_string(found.stx_ino);
    // Not every file system knows when a file was made.
    if ((found.stx_mask & STATX_BTIME) != 0)
      cluster.place += "/" + std::to_string(found.stx_btime.tv_sec) + "." +
                       std::to_string(found.stx_btime.tv_nsec);
  }
  cluster.boot = backends::boot_id();
  cluster.process = {system_random{}.next() | 1};
}

result<void> set_runs_aside(const model::cluster_info& cluster, const std::filesystem::path& runs) {
  auto aside = runs;
  aside += "-from-elsewhere";
  for (int i = 2; std::filesystem::exists(aside); ++i)
    aside = runs.string() + "-from-elsewhere-" + std::to_string(i);
  std::error_code failed;
  std::filesystem::rename(runs, aside, failed);
  if (!failed) std::filesystem::create_directory(runs, failed);
  if (!failed) std::filesystem::permissions(runs, std::filesystem::perms::owner_all, failed);
  if (failed)
    return fail(ec::internal,
                "the folder " + runs.string() +
                    " of a copied data directory cannot be set aside: " + failed.message());
  place_logger.warning(
      "this data directory was copied or moved here: this agent joins as a new one, and leaves the "
      "runs of the other one alone",
      logging::kv("cluster", cluster.name), logging::kv("place", cluster.place),
      logging::kv("runs_set_aside", aside.string()));
  return {};
}

}  // namespace argosy
