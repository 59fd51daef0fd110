// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/file_owners.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>

namespace argosy {

namespace {

namespace fs = std::filesystem;

constexpr int links_max = 40;

std::string name_of(uid_t user) {
  const auto* const known = ::getpwuid(user);
  return known != nullptr ? known->pw_name : "#" + std::to_string(user);
}

/// Returns what is wrong with one step of the way to a file. Empty: nothing is.
std::string fault_of(const fs::path& step, const struct stat& found) {
  const auto text = step.string();
  if (found.st_uid != 0)
    return "the user " + name_of(found.st_uid) + ", who has '" + text +
           "', may change it; say: chown -h root " + text;
  // In a folder like /tmp nobody replaces what is root's.
  const bool keeps_names = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  if (S_ISLNK(found.st_mode) || keeps_names || (found.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return {};
  return "not only root may write '" + text + "'; say: chmod go-w " + text;
}

/// In a user namespace root is some user of the machine, and the files of the machine's root look
/// like nobody's.
bool is_root_of_machine() {
  if (::geteuid() != 0) return false;
  std::ifstream map{"/proc/self/uid_map"};
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  return !(map >> inside >> outside) || outside == 0;
}

/// The parts of a path, the last one first, in front of others.
void put_before(const fs::path& path, std::vector<fs::path>& left) {
  std::vector<fs::path> parts{path.begin(), path.end()};
  left.insert(left.end(), parts.rbegin(), parts.rend());
}

}  // namespace

std::string other_writer_of(const fs::path& file) {
  std::error_code failed;
  fs::path here;
  std::vector<fs::path> left;
  put_before(fs::absolute(file, failed), left);
  for (int links = 0; !left.empty();) {
    const auto part = std::move(left.back());
    left.pop_back();
    if (part.empty() || part == ".") continue;
    const auto step = part == ".." ? here.parent_path() : here / part;
    struct stat found {};
    // Whoever reads the file says that it cannot be reached.
    if (::lstat(step.c_str(), &found) != 0) return {};
    if (auto fault = fault_of(step, found); !fault.empty())
      return fault + (left.empty() ? "" : ", or keep the file in a folder of root's");
    if (!S_ISLNK(found.st_mode)) {
      here = step;
      continue;
    }
    if (++links > links_max) return {};
    put_before(fs::read_symlink(step, failed), left);
  }
  return {};
}

result<void> refuse_files_of_others(const fs::path& configuration,
                                    const std::vector<settings::named_thing>& files) {
  if (!is_root_of_machine()) return {};
  std::vector<settings::named_thing> all{{"--config", configuration.string()}};
  all.insert(all.end(), files.begin(), files.end());
  for (const auto& [where, file] : all)
    if (const auto fault = file.empty() ? std::string{} : other_writer_of(file); !fault.empty())
      return fail(ec::denied, where + " names '" + file + "', which root obeys, and " + fault);
  return {};
}

}  // namespace argosy
