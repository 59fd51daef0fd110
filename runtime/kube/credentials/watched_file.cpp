// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/watched_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace argosy::kube {

namespace {

/// A file descriptor that is closed at the end.
struct open_file {
  /// A named pipe would wait for somebody who writes.
  explicit open_file(const std::string& path)
      : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~open_file() {
    if (fd >= 0) ::close(fd);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  int fd;
};

failure cannot_read(const std::string& path, const std::string& why) {
  return fail(ec::denied, "'" + path + "' cannot be read: " + why);
}

}  // namespace

template <class Stat>
watched_file::stamp watched_file::stamp_of(const Stat& from) {
  return {.device = from.st_dev,
          .number = from.st_ino,
          .size = from.st_size,
          .seconds = from.st_mtim.tv_sec,
          .nanoseconds = from.st_mtim.tv_nsec};
}

result<std::string> watched_file::read(std::size_t bytes_max) {
  const open_file file{path_};
  struct stat its {};
  if (file.fd < 0 || ::fstat(file.fd, &its) != 0)
    return cannot_read(path_, std::system_category().message(errno));
  if (!S_ISREG(its.st_mode)) return cannot_read(path_, "it is no file");
  // Taken before the content: a change in between is then noticed.
  read_ = stamp_of(its);
  std::string out;
  std::array<char, 16 * 1024> piece{};
  while (true) {
    const auto size = ::read(file.fd, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return cannot_read(path_, std::system_category().message(errno));
    if (size == 0) return out;
    out.append(piece.data(), static_cast<std::size_t>(size));
    if (out.size() > bytes_max)
      return cannot_read(path_, "it has more than " + std::to_string(bytes_max) + " bytes");
  }
}

bool watched_file::changed() const {
  struct stat its {};
  // A file that is away for a moment, while it is replaced, is not another one yet.
  if (::stat(path_.c_str(), &its) != 0) return false;
  return stamp_of(its) != read_;
}

}  // namespace argosy::kube
