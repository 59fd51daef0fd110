// SPDX-License-Identifier: Apache-2.0
// Small files written whole, and the few facts of the machine that a run depends on.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

namespace argosy::backends {

/// Owns a file descriptor.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {}
  unique_fd& operator=(unique_fd&& other) noexcept;
  ~unique_fd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

enum class sync_mode : bool { no, yes };

/// Writes a temporary file beside the target (mode 0600) and renames it, so that a reader sees the
/// old file or the new one. With sync_mode::yes file and folder are on disk when it returns. Fails
/// with ec::out_of_space, ec::not_found when the folder is gone, or ec::internal; all messages name
/// the path.
result<void> write_file(const std::filesystem::path& path, std::string_view bytes, sync_mode sync);

/// Writes all bytes to an open file, whose path is for the message. Fails with ec::out_of_space or
/// ec::internal.
result<void> write_all(const unique_fd& fd, std::string_view bytes,
                       const std::filesystem::path& path);

/// Writes a file or folder to its disk before it returns.
result<void> sync_path(const std::filesystem::path& path);

/// Reads a file. Fails with ec::not_found if there is none, and with ec::too_large above
/// `size_max`.
[[nodiscard]] result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t size_max = 4u << 20);

/// Returns a path to the file or folder that is open here; it holds even if that is moved.
[[nodiscard]] std::string descriptor_path(const unique_fd& fd);

/// An id that differs after every boot of the machine. CLOCK_BOOTTIME values can be compared within
/// one boot only.
[[nodiscard]] std::string boot_id();

/// CLOCK_BOOTTIME now.
[[nodiscard]] boot_time boot_now() noexcept;
/// Nanoseconds since the Unix epoch now.
[[nodiscard]] std::int64_t wall_now_ns() noexcept;

/// An error of a system call: "cannot <what>: No such file or directory".
[[nodiscard]] error system_error(std::string_view what, int number);

}  // namespace argosy::backends
