// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace argosy::shim {

namespace {

/// The end of the output is in about this many parts: more keep more of it, and cost more files.
constexpr std::uint64_t parts_in_tail = 4;
/// On a disk that is full again and again, parts are short; their number has a limit, too.
constexpr std::size_t parts_max = 16;

}  // namespace

output_file::output_file(std::filesystem::path folder, std::int64_t size_max)
    : folder_(std::move(folder)),
      size_max_(static_cast<std::uint64_t>(std::max<std::int64_t>(size_max, 0))),
      head_max_((size_max_ + 1) / 2),
      part_max_(std::max<std::uint64_t>((size_max_ - head_max_) / parts_in_tail, 1)) {
  // A run without output has an empty file.
  if (size_max_ > 0) open_part();
}

bool output_file::open_part() {
  const bool head = written_ == 0;
  if (!head) make_room(part_max_);
  if (size_max_ == 0 || (!head && part_max_ > size_max_ - head_max_)) return false;
  const auto path = folder_ / backends::output_part_name(written_);
  file_ = backends::unique_fd{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file_) {
    failure_ = backends::system_error("create '" + path.string() + "'", errno).detail;
    return false;
  }
  part_start_ = written_;
  room_ = head ? head_max_ : part_max_;
  turns_ = backends::turn_book{room_};
  return true;
}

/// Removes the oldest parts until there is room for one of this size behind the head.
void output_file::make_room(std::uint64_t size) {
  std::uint64_t used = 0;
  for (const auto& part : tail_) used += part.size;
  while (!tail_.empty() && (tail_.size() >= parts_max || used + size > size_max_ - head_max_)) {
    const auto oldest = tail_.front();
    tail_.pop_front();
    ::unlink((folder_ / backends::output_part_name(oldest.start)).c_str());
    ::unlink((folder_ / backends::turns_name(oldest.start)).c_str());
    used -= oldest.size;
    given_way_ += oldest.size;
  }
}

/// Closes the open part, if there is one; a part that got nothing is removed.
void output_file::close_part() {
  if (!file_) return;
  file_.reset();
  turns_file_.reset();
  const auto size = written_ - part_start_;
  if (part_start_ == 0) return;
  if (size > 0) {
    tail_.push_back({part_start_, size});
    return;
  }
  ::unlink((folder_ / backends::output_part_name(part_start_)).c_str());
  ::unlink((folder_ / backends::turns_name(part_start_)).c_str());
}

/// Whoever reads a byte must find its turn, so that this comes before the byte is written. What
/// cannot be noted is tried again with the next bytes; until then they count as the other stream's.
void output_file::note_turn(model::output_stream to) {
  const auto turn = turns_.due(written_, to);
  if (!turn) return;
  if (!turns_file_)
    turns_file_ =
        backends::unique_fd{::open((folder_ / backends::turns_name(part_start_)).c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!turns_file_) return;
  const auto bytes = backends::bytes_of(*turn);
  if (::pwrite(turns_file_.get(), bytes.data(), bytes.size(),
               static_cast<off_t>(turns_.count() * bytes.size())) ==
      static_cast<ssize_t>(bytes.size()))
    turns_.note(*turn);
}

void output_file::store(const char* data, std::size_t size, model::output_stream of) {
  while (size > 0) {
    if (room_ == 0) close_part();
    bool lost = !file_ && !open_part();
    if (!lost) {
      note_turn(of);
      const auto count = ::write(file_.get(), data, std::min<std::uint64_t>(size, room_));
      if (count < 0 && errno == EINTR) continue;
      if (count >= 0) {
        data += count;
        size -= static_cast<std::size_t>(count);
        written_ += static_cast<std::uint64_t>(count);
        room_ -= static_cast<std::uint64_t>(count);
        continue;
      }
      failure_ = backends::system_error("write the output", errno).detail;
    }
    // Later output begins a part of its own, so that offsets stay true.
    close_part();
    room_ = 0;
    (failure_.empty() ? given_way_ : refused_) += size;
    written_ += size;
    return;
  }
}

bool output_file::pump(int pipe, model::output_stream of) {
  char buffer[65536];
  const auto count = ::read(pipe, buffer, sizeof buffer);
  if (count > 0) store(buffer, static_cast<std::size_t>(count), of);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

void output_file::drain(int pipe, model::output_stream of) {
  char buffer[65536];
  for (;;) {
    const auto count = ::read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    store(buffer, static_cast<std::size_t>(count), of);
  }
}

std::string output_file::note() const {
  std::string out;
  if (given_way_ > 0)
    out = std::to_string(given_way_) + " bytes of output were dropped: the limit is " +
          std::to_string(size_max_) + " bytes";
  if (refused_ > 0)
    out += (out.empty() ? "" : "; ") + std::to_string(refused_) +
           " bytes of output were dropped: " + failure_;
  return out;
}

}  // namespace argosy::shim
