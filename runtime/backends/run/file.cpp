// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace argosy::backends {

namespace {

std::int64_t read_clock(clockid_t which) noexcept {
  timespec now{};
  ::clock_gettime(which, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

result<void> write_all(const unique_fd& fd, std::string_view bytes,
                       const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const auto count = ::write(fd.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("write '" + path.string() + "'", errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

result<void> sync_path(const std::filesystem::path& path) {
  const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd || ::fsync(fd.get()) != 0)
    return fail(system_error("sync '" + path.string() + "'", errno));
  return {};
}

unique_fd& unique_fd::operator=(unique_fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void unique_fd::reset() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

error system_error(std::string_view what, int number) {
  auto code = ec::internal;
  if (number == ENOSPC || number == EDQUOT) code = ec::out_of_space;
  if (number == ENOENT || number == ENOTDIR) code = ec::not_found;
  if (number == EACCES || number == EPERM) code = ec::denied;
  return error{code, "cannot " + std::string{what} + ": " + std::strerror(number)};
}

result<void> write_file(const std::filesystem::path& path, std::string_view bytes, sync_mode sync) {
  const std::string temporary = path.string() + ".new";
  const unique_fd fd{
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!fd) return fail(system_error("create '" + temporary + "'", errno));
  if (auto written = write_all(fd, bytes, path); !written) return written;
  if (sync == sync_mode::yes && ::fdatasync(fd.get()) != 0)
    return fail(system_error("sync '" + temporary + "'", errno));
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail(system_error("rename to '" + path.string() + "'", errno));
  return sync == sync_mode::yes ? sync_path(path.parent_path()) : result<void>{};
}

result<std::string> read_file(const std::filesystem::path& path, std::size_t size_max) {
  // Without O_NONBLOCK a pipe under the name would have to be waited for.
  const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) return fail(system_error("open '" + path.string() + "'", errno));
  std::string out;
  char buffer[16384];
  for (;;) {
    const auto count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("read '" + path.string() + "'", errno));
    if (count == 0) return out;
    out.append(buffer, static_cast<std::size_t>(count));
    if (out.size() > size_max)
      return fail(ec::too_large,
                  "'" + path.string() + "' is over " + std::to_string(size_max) + " bytes");
  }
}

std::string descriptor_path(const unique_fd& fd) {
  return "/proc/self/fd/" + std::to_string(fd.get());
}

std::string boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", 64);
  if (!text) return "unknown";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return std::move(*text);
}

boot_time boot_now() noexcept {
  return boot_time{read_clock(CLOCK_BOOTTIME)};
}

std::int64_t wall_now_ns() noexcept {
  return read_clock(CLOCK_REALTIME);
}

}  // namespace argosy::backends
