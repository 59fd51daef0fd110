// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/export/flight_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace argosy::trace {

namespace {

/// What a span takes in the file. A changed layout needs another format.
struct flight_record {
  std::uint64_t number = 0;  ///< From 1; 0: there is none. Written last.
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;
  std::uint64_t parent = 0;
  std::uint64_t instance = 0;
  std::int64_t start_nanos = 0;
  std::int64_t wait_nanos = 0;
  std::int64_t duration_nanos = 0;
  std::uint64_t failed = 0;
  std::array<char, 48> name{};
  std::array<char, 32> actor{};
  std::array<char, 32> process{};
};

constexpr std::uint64_t flight_format = 0x6172'676f'666c'0001;

template <std::size_t N>
void put(std::string_view text, std::array<char, N>& into) noexcept {
  into.fill('\0');
  std::memcpy(into.data(), text.data(), std::min(text.size(), N - 1));
}

template <std::size_t N>
std::string text_of(const std::array<char, N>& from) {
  return {from.begin(), std::find(from.begin(), from.end(), '\0')};
}

error system_error(const char* what, const std::filesystem::path& path) {
  return {ec::unavailable,
          std::string{"cannot "} + what + " '" + path.string() + "': " + std::strerror(errno)};
}

/// Makes the file as large as it must be. The room is taken, since a page that the file system has
/// no room for would crash the process when it is written.
result<void> make_room(int file, std::size_t bytes, const std::filesystem::path& path) {
  if (const int failed = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)); failed != 0) {
    errno = failed;
    return fail(system_error("take room for", path));
  }
  return {};
}

}  // namespace

struct flight_file::content {
  std::uint64_t format;
  std::uint64_t added;  ///< How many spans were ever added.
  std::array<flight_record, spans_max> records;
};

result<std::unique_ptr<flight_file>> flight_file::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return fail(system_error("open", path));
  if (auto room = make_room(file, sizeof(content), path); !room) {
    ::close(file);
    return fail(room.error());
  }
  void* const mapped =
      ::mmap(nullptr, sizeof(content), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return fail(system_error("map", path));
  auto* const at = static_cast<content*>(mapped);
  std::unique_ptr<flight_file> out{new flight_file{at}};
  if (at->format != flight_format) out->clear();
  return out;
}

flight_file::~flight_file() {
  ::munmap(at_, sizeof(content));
}

void flight_file::add(const std::vector<finished_span>& spans) noexcept {
  for (const auto& span : spans) {
    auto& to = at_->records[at_->added % spans_max];
    to.number = 0;
    to.trace_high = span.trace.high;
    to.trace_low = span.trace.low;
    to.span = span.span;
    to.parent = span.parent;
    to.instance = span.instance;
    to.start_nanos = span.start_nanos;
    to.wait_nanos = span.wait_nanos;
    to.duration_nanos = span.duration_nanos;
    to.failed = span.failed ? 1 : 0;
    put(span.name, to.name);
    put(span.actor, to.actor);
    put(span.process, to.process);
    to.number = ++at_->added;
  }
}

std::vector<finished_span> flight_file::spans() const {
  std::vector<const flight_record*> found;
  for (const auto& record : at_->records)
    if (record.number != 0) found.push_back(&record);
  std::sort(found.begin(), found.end(),
            [](const auto* left, const auto* right) { return left->number < right->number; });
  std::vector<finished_span> out;
  out.reserve(found.size());
  for (const auto* record : found) {
    auto& span = out.emplace_back();
    span.trace = {record->trace_high, record->trace_low};
    span.span = record->span;
    span.parent = record->parent;
    span.instance = record->instance;
    span.start_nanos = record->start_nanos;
    span.wait_nanos = record->wait_nanos;
    span.duration_nanos = record->duration_nanos;
    span.failed = record->failed != 0;
    span.name = text_of(record->name);
    span.actor = text_of(record->actor);
    span.process = text_of(record->process);
  }
  return out;
}

void flight_file::clear() noexcept {
  at_->format = flight_format;
  at_->added = 0;
  at_->records.fill({});
}

}  // namespace argosy::trace
