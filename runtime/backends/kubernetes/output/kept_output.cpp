// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/kept_output.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

/// So much of a disk takes even a short file.
constexpr std::uint64_t block = 4096;
/// What the oldest are cut down to, in turn, when there is no room: all of them to the first before
/// one to the second. It fits into so many blocks with the words for what is missing.
constexpr std::array<std::uint64_t, kept_output::cuts> cut_bytes{65'000, 4'000};
constexpr std::uint64_t gap_bytes_max = 90;

/// Before the container whose output is the run's; no name of a container has it.
constexpr char first_mark = '+';
/// Likewise before one of which only the beginning and the end are kept.
constexpr char cut_mark = '~';
/// Below the folder, a file for each container with the time of its first line and these lines.
constexpr const char* heads_folder = "heads";
/// Behind the time, if nobody has seen the first line.
constexpr const char* unseen_mark = "?";
/// Behind the name of a file that is being written.
constexpr std::string_view unfinished_mark = ".new";

bool is_container_name(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::uint64_t on_disk(std::uint64_t bytes) {
  return std::max(bytes, block);
}

std::string head_name(const model::run_key& run, const std::string& container) {
  return to_string(run) + "." + container;
}

/// Divides the name of a file at its first dot; nothing if no run stands before it.
std::optional<std::pair<model::run_key, std::string>> read_name(const std::string& name) {
  const auto dot = std::min(name.find('.'), name.size());
  const auto run = parse_run_key(name.substr(0, dot));
  if (!run) return std::nullopt;
  return std::pair{*run, name.substr(std::min(dot + 1, name.size()))};
}

std::string file_name(const saved_output& output) {
  auto name = to_string(output.run) + ".";
  if (output.first) name += first_mark;
  if (output.cut) name += cut_mark;
  return name + output.container;
}

}  // namespace

kept_output kept_output::open(const fs::path& folder, std::uint64_t bytes_max) {
  kept_output out;
  out.folder_ = folder;
  out.bytes_max_ = bytes_max;
  if (folder.empty()) return out;
  std::error_code code;
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const auto& each : fs::directory_iterator{folder, code})
    found.emplace_back(fs::last_write_time(each.path(), code), each.path());
  std::ranges::sort(found);
  for (const auto& [time, path] : found) {
    const auto name = path.filename().string();
    auto parts = read_name(name);
    if (!parts) continue;
    auto& [run, container] = *parts;
    const bool first = container.starts_with(first_mark);
    if (first) container.erase(0, 1);
    const bool cut = container.starts_with(cut_mark);
    if (cut) container.erase(0, 1);
    // It would count nowhere, and its writer is gone.
    if (container.ends_with(unfinished_mark)) fs::remove(path, code);
    if (!is_container_name(container)) continue;
    const auto bytes = fs::file_size(path, code);
    if (!code) out.note({run, container}, {name, first, cut, bytes, 0});
  }
  return out;
}

void kept_output::note(const place& at, one what) {
  if (const auto known = all_.find(at); known != all_.end() && known->second.name != what.name)
    remove(at);
  drop(at);
  what.age = ++last_age_;
  used_ += on_disk(what.bytes);
  by_age_[what.age] = at;
  all_[at] = std::move(what);
  while (used_ > bytes_max_ && !by_age_.empty())
    if (!cut_oldest()) remove(by_age_.begin()->second);
}

void kept_output::remove(place at) {
  std::error_code ignored;
  fs::remove(folder_ / all_.at(at).name, ignored);
  drop(at);
}

bool kept_output::cut_oldest() {
  for (std::size_t i = 0; i < cuts; ++i)
    for (auto next = by_age_.lower_bound(is_cut_[i]);
         next != by_age_.end() && next->first != last_age_;
         next = by_age_.lower_bound(is_cut_[i])) {
      is_cut_[i] = next->first + 1;
      if (cut_if_longer(next->second, cut_bytes[i])) return true;
    }
  const auto youngest = by_age_.rbegin()->second;
  return std::ranges::any_of(
      cut_bytes, [&](std::uint64_t bytes_max) { return cut_if_longer(youngest, bytes_max); });
}

bool kept_output::cut_if_longer(place at, std::uint64_t bytes_max) {
  if (all_.at(at).bytes <= bytes_max + gap_bytes_max) return false;
  if (!cut(at, bytes_max)) remove(std::move(at));
  return true;
}

bool kept_output::cut(const place& at, std::uint64_t bytes_max) {
  auto& known = all_.at(at);
  std::error_code code;
  const auto path = folder_ / known.name;
  const auto time = fs::last_write_time(path, code);
  auto bytes = read_file(path, known.bytes);
  if (code || !bytes) return false;
  auto ends = ends_of({at.run, at.container, known.first, std::move(*bytes), known.cut}, bytes_max);
  const auto name = file_name(ends);
  if (!write_file(folder_ / name, ends.bytes, sync_mode::no)) return false;
  // The order of age is that of these times when the folder is opened again.
  fs::last_write_time(folder_ / name, time, code);
  if (name != known.name) fs::remove(path, code);
  used_ -= on_disk(known.bytes);
  known.name = name;
  known.cut = true;
  known.bytes = ends.bytes.size();
  used_ += on_disk(known.bytes);
  return true;
}

void kept_output::drop(const place& at) {
  const auto found = all_.find(at);
  if (found == all_.end()) return;
  used_ -= on_disk(found->second.bytes);
  by_age_.erase(found->second.age);
  all_.erase(found);
}

void kept_output::keep(const saved_output& output) {
  if (folder_.empty() || output.bytes.empty() || bytes_max_ == 0) return;
  std::error_code code;
  fs::create_directories(folder_, code);
  auto name = file_name(output);
  if (write_file(folder_ / name, output.bytes, sync_mode::no))
    note({output.run, output.container},
         {std::move(name), output.first, output.cut, output.bytes.size(), 0});
}

bool kept_output::has(const model::run_key& run) const {
  const auto found = all_.lower_bound({run, {}});
  return found != all_.end() && found->first.run == run;
}

result<model::log_chunk> kept_output::read(const model::log_request& wanted) const {
  const one* found = nullptr;
  for (auto at = all_.lower_bound({wanted.run, {}});
       at != all_.end() && at->first.run == wanted.run; ++at)
    if (wanted.container.empty() ? at->second.first : at->first.container == wanted.container)
      found = &at->second;
  std::ifstream file;
  if (found != nullptr) file.open(folder_ / found->name, std::ios::binary);
  if (!file.is_open())
    return fail(ec::not_found, "no output of run " + to_string(wanted.run) +
                                   (wanted.container.empty() ? "" : "/" + wanted.container) +
                                   " is kept: its pod is gone, and it had none or gave way");
  if (wanted.since_ns != 0)
    return fail(ec::invalid_argument,
                "the pod is gone, and what is kept of its output has no times; read all of it");
  model::log_chunk out;
  out.next_offset = wanted.offset;
  out.position = kept_position;
  if (found->cut && wanted.offset == 0)
    out.lost = "only the beginning and the end of the output were kept, since its pod is gone";
  else if (wanted.offset > found->bytes)
    out.lost = "the output was cut to its beginning and its end while it was read; read it again";
  if (wanted.offset < found->bytes) {
    const auto left = found->bytes - wanted.offset;
    out.data.resize(
        std::min<std::uint64_t>(left, std::clamp(wanted.size_max, 1u, model::log_chunk_bytes_max)));
    file.seekg(static_cast<std::streamoff>(wanted.offset));
    file.read(out.data.data(), static_cast<std::streamsize>(out.data.size()));
    out.data.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    out.next_offset += out.data.size();
  }
  out.end = out.next_offset >= found->bytes;
  return out;
}

void kept_output::keep_head(const output_head& head) {
  if (folder_.empty() || !is_container_name(head.container)) return;
  std::error_code ignored;
  fs::create_directories(folder_ / heads_folder, ignored);
  static_cast<void>(write_file(folder_ / heads_folder / head_name(head.run, head.container),
                               std::to_string(head.beginning.first_ns) +
                                   (head.beginning.unseen ? unseen_mark : "") + "\n" + head.bytes,
                               sync_mode::no));
}

void kept_output::drop_head(const model::run_key& run, const std::string& container) {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove(folder_ / heads_folder / head_name(run, container), ignored);
}

std::vector<output_head> kept_output::heads() const {
  std::vector<output_head> out;
  std::error_code code;
  if (folder_.empty()) return out;
  for (const auto& each : fs::directory_iterator{folder_ / heads_folder, code}) {
    auto parts = read_name(each.path().filename().string());
    const auto text = read_file(each.path());
    if (!parts || !text) continue;
    const auto line = std::min(text->find('\n'), text->size());
    auto first = std::string_view{*text}.substr(0, line);
    const bool unseen = first.ends_with(unseen_mark);
    if (unseen) first.remove_suffix(std::string_view{unseen_mark}.size());
    const auto time = whole_number<std::int64_t>(first);
    if (time && line < text->size())
      out.push_back(
          {parts->first, std::move(parts->second), {*time, unseen}, text->substr(line + 1)});
  }
  return out;
}

}  // namespace argosy::backends
