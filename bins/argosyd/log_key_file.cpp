// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/log_key_file.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/backends/run/file.hpp"

namespace argosy::argosyd {

namespace {

using backends::system_error;

/// The file gets its name only when all of it is on the disk, and never replaces another.
result<void> make_key(const std::filesystem::path& path) {
  std::string bytes(codec::log_key::size, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail(system_error("make the key of the log", errno));
  const std::filesystem::path draft = path.string() + "." + std::to_string(::getpid());
  if (auto ok = backends::write_file(draft, bytes, backends::sync_mode::yes); !ok) return ok;
  const bool linked = ::link(draft.c_str(), path.c_str()) == 0;
  const auto number = errno;
  ::unlink(draft.c_str());
  if (!linked && number != EEXIST)
    return fail(system_error("make the key of the log " + path.string(), number));
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  return backends::sync_path(parent);
}

}  // namespace

std::filesystem::path log_key_path(const settings::argosyd_settings& settings) {
  if (!settings.journal.key_file.empty()) return settings.journal.key_file;
  return std::filesystem::path{settings.data_dir} / "log.key";
}

result<codec::log_key> open_log_key(const std::filesystem::path& path) {
  auto key = read_log_key(path);
  if (key || key.error().code != ec::not_found) return key;
  if (auto made = make_key(path); !made) return fail(made.error());
  return read_log_key(path);
}

result<codec::log_key> read_log_key(const std::filesystem::path& path) {
  const auto bytes = backends::read_file(path, 4'096);
  if (!bytes) return fail(bytes.error());
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return fail(system_error("look at " + path.string(), errno));
  // `argosyd init` gives root's file to the group of argosyd, which may read it.
  const mode_t others = about.st_uid == 0 && about.st_gid != 0 && about.st_gid == ::getegid()
                            ? S_IWGRP | S_IXGRP | S_IRWXO
                            : S_IRWXG | S_IRWXO;
  if ((about.st_mode & others) != 0)
    return fail(ec::denied, "others may read or write the key of the log, " + path.string() +
                                ": chmod 600 it; who has read it can write into the log");
  return codec::log_key::from_bytes(*bytes, path.string());
}

}  // namespace argosy::argosyd
