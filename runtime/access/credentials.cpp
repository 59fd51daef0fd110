// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/credentials.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <sstream>
#include <system_error>

#include "runtime/access/nkey.hpp"
#include "runtime/access/role.hpp"

namespace argosy::access {

namespace {

constexpr std::string_view identity_key = "identity: ";
constexpr std::string_view seed_key = "seed: ";
constexpr std::string_view order_seed_key = "order-seed: ";
constexpr std::string_view order_key_key = "order-key: ";
constexpr std::string_view role_key = "role: ";

error cannot(std::string_view what, const std::filesystem::path& file, int why) {
  const auto code = why == ENOENT                   ? ec::not_found
                    : why == EACCES || why == EPERM ? ec::denied
                    : why == ENOSPC                 ? ec::out_of_space
                    : why == EEXIST                 ? ec::conflict
                                                    : ec::internal;
  return {code, std::string{"cannot "}.append(what) + " '" + file.string() +
                    "': " + std::system_category().message(why)};
}

/// A name for messages; no text of a file that may be a secret.
constexpr std::string_view no_credentials =
    "this is no credentials file, which has a line 'identity: ...' and a line 'seed: SU...'";

}  // namespace

std::string print_credentials(const credentials& from) {
  std::string out =
      "# Whoever has this file is " + to_string(from.who) + " for Argosy. Keep it secret.\n";
  const auto add = [&out](std::string_view key, const std::string& value) {
    out.append(key).append(value).append("\n");
  };
  add(identity_key, to_string(from.who));
  add(seed_key, from.seed);
  if (!from.order_seed.empty()) add(order_seed_key, from.order_seed);
  for (const auto& key : from.order_keys) add(order_key_key, key);
  if (from.tenant) add(role_key, std::string{to_string(role::tenant)});
  return out;
}

result<credentials> parse_credentials(std::string_view text) {
  credentials out;
  std::string who;
  std::istringstream in{std::string{text}};
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    for (const auto key : {identity_key, seed_key, order_seed_key, role_key})
      if (line.starts_with(key) && !seen.emplace(key).second)
        return fail(ec::invalid_argument,
                    "the line '" + std::string{key} + "...' stands there twice");
    if (line.starts_with(identity_key)) who = line.substr(identity_key.size());
    if (line.starts_with(seed_key)) out.seed = line.substr(seed_key.size());
    if (line.starts_with(order_seed_key)) out.order_seed = line.substr(order_seed_key.size());
    if (line.starts_with(role_key)) {
      out.tenant = line.substr(role_key.size()) == to_string(role::tenant);
      if (!out.tenant)
        return fail(ec::invalid_argument, "the line 'role: ...' can say tenant alone");
    }
    if (line.starts_with(order_key_key))
      out.order_keys.push_back(line.substr(order_key_key.size()));
  }
  if (who.empty() || !public_key_of(out.seed))
    return fail(ec::invalid_argument, std::string{no_credentials});
  // A damaged key must not lead to orders that are not signed or not checked.
  if (!out.order_seed.empty() && !public_key_of(out.order_seed))
    return fail(ec::invalid_argument, "the line 'order-seed: SU...' has no seed");
  if (!std::ranges::all_of(out.order_keys, is_public_key))
    return fail(ec::invalid_argument, "a line 'order-key: U...' has no public key");
  auto known = parse_identity(who);
  if (!known) return fail(std::move(known.error()));
  out.who = std::move(*known);
  return out;
}

result<credentials> read_credentials(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return fail(cannot("read", file, errno));
  struct stat about {};
  std::array<char, 16'384> room{};
  const bool known = ::fstat(fd, &about) == 0;
  const auto size = ::read(fd, room.data(), room.size());
  const int why = errno;
  ::close(fd);
  if (!known || size < 0) return fail(cannot("read", file, why));
  if ((about.st_mode & (S_IROTH | S_IWOTH)) != 0)
    return fail(ec::denied, "'" + file.string() +
                                "' is a secret that every user of this machine can read; say: "
                                "chmod 600 " +
                                file.string());
  if (static_cast<std::size_t>(size) == room.size())
    return fail(ec::invalid_argument, "'" + file.string() + "': " + std::string{no_credentials});
  auto out = parse_credentials({room.data(), static_cast<std::size_t>(size)});
  if (!out) out.error().detail = "'" + file.string() + "': " + out.error().detail;
  return out;
}

result<void> write_private(const std::filesystem::path& file, std::string_view text, bool replace) {
  std::error_code failed;
  if (!std::filesystem::exists(file.parent_path(), failed)) {
    std::filesystem::create_directories(file.parent_path(), failed);
    if (!failed)
      std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all, failed);
    if (failed) return fail(cannot("make", file.parent_path(), failed.value()));
  }
  if (!replace && std::filesystem::exists(file, failed)) return fail(cannot("make", file, EEXIST));
  auto fresh = file;
  fresh += ".new" + std::to_string(::getpid());
  ::unlink(fresh.c_str());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fail(cannot("write", file, errno));
  const auto written = ::write(fd, text.data(), text.size());
  int why = errno;
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (written == static_cast<ssize_t>(text.size()) && synced) {
    if (::rename(fresh.c_str(), file.c_str()) == 0) return {};
    why = errno;
  }
  ::unlink(fresh.c_str());
  return fail(cannot("write", file, why));
}

std::filesystem::path kept_credentials(const std::filesystem::path& state_dir,
                                       std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  while (url.ends_with('/')) url.remove_suffix(1);
  const auto colon = url.rfind(':');
  const bool plain = std::ranges::all_of(url, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == ':';
  });
  if (!plain || url.empty() || url.front() == '.' || colon == 0) return {};
  std::string name{url};
  if (colon == std::string_view::npos) name += ":4222";
  std::ranges::replace(name, ':', '-');
  return state_dir / "credentials" / name;
}

}  // namespace argosy::access
