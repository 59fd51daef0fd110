// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace argosy::shim {

output_file::output_file(const std::filesystem::path& path, std::int64_t size_max)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                   0600)),
      room_(size_max),
      size_max_(size_max) {
  if (!file_) failure_ = backends::system_error("create '" + path.string() + "'", errno).detail;
}

void output_file::store(const char* data, std::size_t size) {
  auto keep = std::min(size, static_cast<std::size_t>(failure_.empty() ? room_ : 0));
  dropped_ += static_cast<std::int64_t>(size - keep);
  while (keep > 0) {
    const auto count = ::write(file_.get(), data, keep);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      failure_ = backends::system_error("write the output", errno).detail;
      dropped_ += static_cast<std::int64_t>(keep);
      return;
    }
    data += count;
    keep -= static_cast<std::size_t>(count);
    room_ -= count;
  }
}

bool output_file::pump(int pipe) {
  char buffer[65536];
  const auto count = ::read(pipe, buffer, sizeof buffer);
  if (count > 0) store(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

void output_file::drain(int pipe) {
  char buffer[65536];
  for (;;) {
    const auto count = ::read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    store(buffer, static_cast<std::size_t>(count));
  }
}

std::string output_file::note() const {
  if (dropped_ == 0) return {};
  const auto lost = std::to_string(dropped_) + " bytes of output were dropped: ";
  return lost +
         (failure_.empty() ? "the limit is " + std::to_string(size_max_) + " bytes" : failure_);
}

}  // namespace argosy::shim
