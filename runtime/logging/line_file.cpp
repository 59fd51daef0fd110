// SPDX-License-Identifier: Apache-2.0
#include "runtime/logging/line_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace argosy::logging {

namespace {

/// A named pipe waits for nobody: lines that its reader does not take are counted as lost.
int open_for_appending(const std::string& path) {
  const int out =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  struct stat its {};
  // A terminal that is slow loses nothing.
  if (out >= 0 && ::fstat(out, &its) == 0 && S_ISCHR(its.st_mode)) {
    const int flags = ::fcntl(out, F_GETFL);
    ::fcntl(out, F_SETFL, flags & ~O_NONBLOCK);
  }
  return out;
}

/// Says why the file was not opened; errno is still that of the opening.
failure not_opened(const std::string& path) {
  return fail(ec::invalid_argument,
              "cannot write the log to '" + path + "': " +
                  (errno == ENXIO ? "it is a named pipe that nobody reads" : std::strerror(errno)));
}

}  // namespace

line_file::line_file(std::string path, int descriptor, count_line lost_line)
    : path_(std::move(path)), descriptor_(descriptor), lost_line_(lost_line) {}

result<line_file> line_file::open(const std::string& path, count_line lost_line) {
  const int descriptor = open_for_appending(path);
  if (descriptor < 0) return not_opened(path);
  return line_file{path, descriptor, lost_line};
}

line_file::line_file(line_file&& from) noexcept
    : path_(std::move(from.path_)),
      descriptor_(std::exchange(from.descriptor_, -1)),
      lost_line_(from.lost_line_),
      lost_(from.lost_),
      torn_(from.torn_) {}

line_file& line_file::operator=(line_file&& from) noexcept {
  std::swap(path_, from.path_);
  std::swap(descriptor_, from.descriptor_);
  std::swap(lost_line_, from.lost_line_);
  std::swap(lost_, from.lost_);
  std::swap(torn_, from.torn_);
  return *this;
}

line_file::~line_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool line_file::append(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    torn_ = text[static_cast<std::size_t>(written) - 1] != '\n';
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void line_file::write(std::string_view line) {
  // The old file stays in use where the name cannot be followed.
  static_cast<void>(follow_name());
  if (is_removed()) {
    // Nobody could ever read it.
    ++lost_;
    return;
  }
  std::string text;
  if (torn_) text += '\n';
  if (lost_ > 0) text += lost_line_(lost_) + '\n';
  text.append(line) += '\n';
  // A line that was cut counts as lost, since nobody can read it.
  lost_ = append(text) ? 0 : lost_ + 1;
}

bool line_file::is_removed() const {
  struct stat ours {};
  return ::fstat(descriptor_, &ours) == 0 && ours.st_nlink == 0;
}

result<void> line_file::follow_name() {
  struct stat ours {};
  struct stat named {};
  if (::stat(path_.c_str(), &named) == 0 && ::fstat(descriptor_, &ours) == 0 &&
      named.st_ino == ours.st_ino && named.st_dev == ours.st_dev)
    return {};
  const int anew = open_for_appending(path_);
  if (anew < 0) return not_opened(path_);
  ::close(descriptor_);
  descriptor_ = anew;
  torn_ = false;
  return {};
}

}  // namespace argosy::logging
