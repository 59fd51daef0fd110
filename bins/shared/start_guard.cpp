// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/start_guard.hpp"

#include <sstream>

#include "runtime/backends/run/file.hpp"

namespace argosy {

namespace {

constexpr std::string_view header = "argosyd-starts-2";

/// The file has one short line.
constexpr std::size_t file_bytes_max = 200;

}  // namespace

std::string print(const start_record& record) {
  std::ostringstream out;
  out << header << ' ' << record.number << ' ' << record.crashes
      << (record.open ? " open " : " settled ") << record.suspected << ' '
      << to_string(record.suspect) << '\n';
  return out.str();
}

start_record parse_start_record(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::string first;
  std::string state;
  std::string suspect;
  start_record out;
  if (!(in >> first >> out.number >> out.crashes >> state >> out.suspected >> suspect) ||
      first != header)
    return {};
  const auto job = parse_ulid(suspect);
  if (!job || (state != "open" && state != "settled")) return {};
  out.suspect = *job;
  out.open = state == "open";
  return out;
}

bool is_crash(const start_traces& left) {
  return left.signal != 0 || (left.out_of_memory && left.work.kind != work_kind::none);
}

start_record begun(const start_record& before, const start_traces& left) {
  auto out = before;
  ++out.number;
  out.open = true;
  if (!before.open || left.start != before.number || !is_crash(left) || wants_safe_mode(before))
    return out;
  ++out.crashes;
  // Whoever runs out of memory need not be who has taken it.
  out.suspect = left.signal != 0 ? left.work.job : ulid{};
  const bool again = !out.suspect.is_nil() && out.suspect == before.suspect;
  out.suspected = out.suspect.is_nil() ? 0 : again ? before.suspected + 1 : 1;
  return out;
}

start_record settled(const start_record& now) {
  start_record out;
  out.number = now.number;
  if (wants_safe_mode(now)) out.crashes = now.crashes;
  return out;
}

ulid to_set_aside(const start_record& record) noexcept {
  const bool wanted = record.suspected >= crashes_of_job_max && !wants_safe_mode(record);
  return wanted ? record.suspect : ulid{};
}

start_guard::start_guard(const std::filesystem::path& data_dir)
    : file_(data_dir / "starts"), page_file_(data_dir / "work") {}

result<void> start_guard::begin(bool leave_safe_mode) {
  if (now_.open) return {};
  if (!page_) {
    auto page = crash_page::open(page_file_);
    if (!page) return fail(page.error());
    page_ = std::move(*page);
  }
  // A file that is not there or cannot be read stands for no start before.
  const auto text = backends::read_file(file_, file_bytes_max);
  const auto before = text ? parse_start_record(*text) : start_record{};
  const auto left = page_->traces();
  const bool known = left.start == before.number && (before.open || left.signal != 0);
  before_ = known ? left : start_traces{};
  auto next = begun(before, left);
  if (leave_safe_mode) {
    next = settled({.number = next.number});
    next.open = true;
  }
  // On a disk that is full a start that reads and cancels is worth more than its number.
  if (auto kept = keep(next); !kept) {
    if (kept.error().code != ec::out_of_space) return kept;
    now_ = next;
  }
  page_->begin(next.number);
  return {};
}

result<void> start_guard::settle() {
  return now_.open ? keep(settled(now_)) : result<void>{};
}

result<void> start_guard::keep(const start_record& next) {
  if (next == now_) return {};
  if (auto ok = backends::write_file(file_, print(next), backends::sync_mode::yes); !ok) return ok;
  now_ = next;
  return {};
}

}  // namespace argosy
