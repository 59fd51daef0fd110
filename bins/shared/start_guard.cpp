// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/start_guard.hpp"

#include <sstream>

#include "runtime/backends/run/file.hpp"

namespace argosy {

namespace {

constexpr std::string_view header = "argosyd-starts-1";

/// A start that crashes has written its claim by then, and perhaps what agents reported. When the
/// log has grown by more than this, work went on in between.
constexpr std::uint64_t records_of_a_start = 16;

/// The file has one short line.
constexpr std::size_t file_bytes_max = 200;

}  // namespace

std::string print(const start_record& record) {
  return std::string{header} + " " + std::to_string(record.crashes) + " " +
         std::to_string(record.position) + (record.open ? " open\n" : " settled\n");
}

start_record parse_start_record(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::string first;
  std::string state;
  start_record out;
  if (!(in >> first >> out.crashes >> out.position >> state) || first != header) return {};
  if (state != "open" && state != "settled") return {};
  out.open = state == "open";
  return out;
}

start_record begun(const start_record& before) {
  return {before.crashes + (before.open && !wants_safe_mode(before) ? 1 : 0), before.position,
          true};
}

start_record reached(const start_record& now, std::uint64_t position) {
  const bool same_place = position >= now.position && position - now.position <= records_of_a_start;
  return {same_place || wants_safe_mode(now) ? now.crashes : 0, position, now.open};
}

start_record settled(const start_record& now) {
  return {wants_safe_mode(now) ? now.crashes : 0, now.position, false};
}

start_guard::start_guard(const std::filesystem::path& data_dir) : file_(data_dir / "starts") {}

result<void> start_guard::begin(bool leave_safe_mode) {
  if (now_.open) return {};
  // A file that is not there or cannot be read stands for no start before.
  const auto text = backends::read_file(file_, file_bytes_max);
  const auto before = text && !leave_safe_mode ? parse_start_record(*text) : start_record{};
  return keep(begun(before));
}

result<void> start_guard::reach(std::uint64_t position) {
  return keep(reached(now_, position));
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
