// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/data_dir.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace argosy::store {

namespace {

failure system_failure(int code, const std::string& what, const std::filesystem::path& path) {
  auto kind = ec::internal;
  if (code == EACCES || code == EPERM || code == EROFS) kind = ec::denied;
  if (code == ENOSPC || code == EDQUOT) kind = ec::out_of_space;
  if (code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP) kind = ec::invalid_argument;
  return fail(kind, what + " '" + path.string() + "': " + std::system_category().message(code));
}

/// Only the last part gets mode 0700 at once; parents follow the umask, as mkdir -p does.
result<void> make_private_folder(const std::filesystem::path& path) {
  std::error_code failed;
  if (const auto parent = path.parent_path(); !parent.empty())
    std::filesystem::create_directories(parent, failed);
  if (failed) return system_failure(failed.value(), "cannot create the folder above", path);
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return system_failure(errno, "cannot create the folder", path);
  // The mode of what existed before is the owner's choice, as long as nobody else can write there.
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return system_failure(errno, "cannot look at", path);
  if (!S_ISDIR(found.st_mode))
    return fail(ec::invalid_argument, "'" + path.string() + "' is not a folder");
  if (found.st_uid != ::geteuid()) {
    const auto* const owner = ::getpwuid(found.st_uid);
    const auto name = owner != nullptr ? owner->pw_name : "#" + std::to_string(found.st_uid);
    return fail(ec::denied, "the folder '" + path.string() + "' belongs to the user " + name +
                                "; say this as that user, for example by runuser -u " + name);
  }
  if ((found.st_mode & 022) != 0)
    return fail(ec::denied, "others can write into the folder '" + path.string() +
                                "': use another, or run chmod 700 on it");
  return {};
}

std::string holder_of(int lock_fd) {
  std::array<char, 32> text{};
  const auto count = ::pread(lock_fd, text.data(), text.size() - 1, 0);
  std::string pid;
  for (ssize_t i = 0; i < count && text[i] >= '0' && text[i] <= '9'; ++i) pid.push_back(text[i]);
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

data_dir::data_dir(std::filesystem::path path, int lock_fd)
    : path_(std::move(path)), lock_fd_(lock_fd) {}

data_dir::data_dir(data_dir&& other) noexcept
    : path_(std::move(other.path_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

data_dir& data_dir::operator=(data_dir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_fd_, other.lock_fd_);
  return *this;
}

data_dir::~data_dir() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

result<data_dir> data_dir::open(const std::filesystem::path& path) {
  if (path.empty()) return fail(ec::invalid_argument, "the data directory has no name");
  std::error_code failed;
  auto full = std::filesystem::absolute(path, failed).lexically_normal();
  if (failed) return system_failure(failed.value(), "cannot resolve", path);
  if (!full.has_filename()) full = full.parent_path();
  if (auto ok = make_private_folder(full); !ok) return fail(std::move(ok.error()));
  const auto lock_path = full / "lock";
  const int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_failure(errno, "cannot open", lock_path);
  data_dir held{full, fd};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure(errno, "cannot lock", lock_path);
    return fail(ec::conflict, "the data directory '" + full.string() + "' is in use by " +
                                  holder_of(fd) + "; stop it, or use another directory");
  }
  const auto pid = std::to_string(::getpid()) + "\n";
  // On a disk that is full, only the number is missing, or that of the process before stands there.
  const auto bytes = static_cast<off_t>(pid.size());
  errno = 0;  // A short write does not set it.
  if ((::pwrite(fd, pid.data(), pid.size(), 0) != bytes || ::ftruncate(fd, bytes) != 0) &&
      errno != ENOSPC && errno != EDQUOT)
    return system_failure(errno, "cannot write", lock_path);
  return held;
}

bool data_dir::is_in_use(const std::filesystem::path& path) {
  const int fd = ::open((path / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

result<std::filesystem::path> data_dir::folder(std::string_view name) const {
  auto out = path_ / name;
  if (auto ok = make_private_folder(out); !ok) return fail(std::move(ok.error()));
  return out;
}

}  // namespace argosy::store
