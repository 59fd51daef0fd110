// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/output.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/backends/run/turns.hpp"

namespace argosy::backends {

namespace {

/// How often a part may go between listing and opening it before reading gives up.
constexpr int tries = 8;

std::optional<std::uint64_t> start_of(std::string_view name) {
  constexpr std::string_view stem = run_file::output;
  if (name == stem) return 0;
  if (!name.starts_with(stem) || name.size() <= stem.size() + 1 || name[stem.size()] != '.')
    return std::nullopt;
  name.remove_prefix(stem.size() + 1);
  std::uint64_t start = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), start);
  if (wrong != std::errc{} || end != name.data() + name.size() || start == 0) return std::nullopt;
  return start;
}

/// The turns are read after the bytes, whose turns were noted before them. Those that cannot be
/// read are lost, and the bytes are of stdout.
turns_of_piece turns_in_file(const std::filesystem::path& file, std::uint64_t from,
                             std::uint32_t size) {
  const unique_fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return {{}, size};
  const auto load = [&fd](std::size_t first, std::size_t count) {
    std::string bytes(count * turn_bytes, '\0');
    const auto got =
        ::pread(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(first * turn_bytes));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return turns_from(bytes);
  };
  return turns_within(static_cast<std::size_t>(about.st_size) / turn_bytes, load, from, size);
}

/// A line of its own between what is kept before and behind it.
std::string gap_line(std::uint64_t bytes) {
  auto line = "\n[" + std::to_string(bytes) + " bytes of output were not kept here]\n";
  // Whoever reads knows the line of a gap by its size, which is not that of the bytes it stands
  // for.
  if (line.size() == bytes) line += '\n';
  return line;
}

model::log_chunk gap(std::uint64_t from, std::uint64_t to) {
  model::log_chunk out;
  out.data = gap_line(to - from);
  out.next_offset = to;
  return out;
}

}  // namespace

std::string output_part_name(std::uint64_t start) {
  return start == 0 ? run_file::output : run_file::output + ("." + std::to_string(start));
}

std::string turns_name(std::uint64_t start) {
  return start == 0 ? run_file::turns : run_file::turns + ("." + std::to_string(start));
}

std::vector<output_part> output_parts(const std::filesystem::path& folder) {
  std::vector<output_part> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing{::opendir(folder.c_str()), ::closedir};
  if (!listing) return out;
  while (const auto* entry = ::readdir(listing.get())) {
    const auto start = start_of(entry->d_name);
    struct stat about {};
    if (!start ||
        ::fstatat(::dirfd(listing.get()), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (S_ISREG(about.st_mode)) out.push_back({*start, static_cast<std::uint64_t>(about.st_size)});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return out;
}

result<model::log_chunk> read_output(const std::filesystem::path& folder, std::uint64_t offset,
                                     std::uint32_t size_max, std::uint64_t written) {
  for (int i = 0; i < tries; ++i) {
    const auto parts = output_parts(folder);
    const auto next = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
      return offset < part.start + part.size;
    });
    if (next == parts.end()) {
      if (written > offset) return gap(offset, written);
      model::log_chunk nothing;
      nothing.next_offset = offset;
      nothing.end = true;
      return nothing;
    }
    if (offset < next->start) return gap(offset, next->start);
    const auto name = folder / output_part_name(next->start);
    const unique_fd fd{::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    // The part gave way to later output since it was listed.
    if (!fd && errno == ENOENT) continue;
    if (!fd) return fail(system_error("open '" + name.string() + "'", errno));
    model::log_chunk out;
    out.data.resize(size_max);
    const auto count = ::pread(fd.get(), out.data.data(), out.data.size(),
                               static_cast<off_t>(offset - next->start));
    if (count < 0) return fail(system_error("read the output", errno));
    auto turns =
        turns_in_file(folder / turns_name(next->start), offset, static_cast<std::uint32_t>(count));
    out.data.resize(turns.size);
    out.turns = std::move(turns.at);
    out.next_offset = offset + turns.size;
    const auto& last = parts.back();
    out.end = out.next_offset >= std::max(last.start + last.size, written);
    return out;
  }
  return fail(ec::unavailable, "the output comes faster than it can be read; try again");
}

}  // namespace argosy::backends
