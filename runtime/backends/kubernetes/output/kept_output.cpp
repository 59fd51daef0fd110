// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/kept_output.hpp"

#include <algorithm>
#include <fstream>

#include "runtime/backends/kubernetes/output/pod_output.hpp"
#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr const char* cut_notice = "\n[the rest of the output went with the pod]\n";

}  // namespace

kept_output kept_output::open(const fs::path& folder, const output_rules& rules, boot_time now) {
  kept_output out;
  out.folder_ = folder;
  out.rules_ = rules;
  if (folder.empty()) return out;
  std::error_code code;
  for (const auto& each : fs::directory_iterator{folder, code})
    if (const auto run = parse_run_key(each.path().filename().string()))
      out.note(*run, fs::file_size(each.path(), code), now);
  return out;
}

fs::path kept_output::path(const model::run_key& run) const {
  return folder_ / to_string(run);
}

void kept_output::note(const model::run_key& run, std::uint64_t bytes, boot_time now) {
  all_.push_back(
      {run, bytes, now > boot_time::max() - rules_.keep ? boot_time::max() : now + rules_.keep});
  bytes_ += bytes;
  while (all_.size() > rules_.count_max || bytes_ > rules_.bytes_max) drop_first();
}

void kept_output::drop_first() {
  std::error_code ignored;
  fs::remove(path(all_.front().run), ignored);
  bytes_ -= all_.front().bytes;
  all_.pop_front();
}

void kept_output::keep(const model::run_key& run, const std::string& output, boot_time now) {
  if (folder_.empty() || output.empty() || rules_.keep.count() <= 0) return;
  std::error_code code;
  fs::create_directories(folder_, code);
  const bool is_cut = output.size() >= rules_.run_bytes_max;
  auto kept = is_cut ? output.substr(0, rules_.run_bytes_max) + cut_notice : output;
  if (!write_file(path(run), kept, sync_mode::no)) return;
  const auto before = std::ranges::find(all_, run, &one::run);
  if (before != all_.end()) {
    bytes_ -= before->bytes;
    all_.erase(before);
  }
  note(run, kept.size(), now);
}

result<model::log_chunk> kept_output::read(const model::log_request& wanted) const {
  const auto found = std::ranges::find(all_, wanted.run, &one::run);
  std::ifstream file;
  if (found != all_.end()) file.open(path(wanted.run), std::ios::binary);
  if (!file.is_open())
    return fail(ec::not_found, "no pod of run " + to_string(wanted.run) + " is kept");
  model::log_chunk out;
  out.next_offset = wanted.offset;
  if (wanted.offset < found->bytes) {
    const auto left = found->bytes - wanted.offset;
    out.data.resize(
        std::min<std::uint64_t>(left, std::clamp(wanted.size_max, 1u, output_chunk_max)));
    file.seekg(static_cast<std::streamoff>(wanted.offset));
    file.read(out.data.data(), static_cast<std::streamsize>(out.data.size()));
    out.data.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    out.next_offset += out.data.size();
  }
  out.end = out.next_offset >= found->bytes;
  return out;
}

void kept_output::expire(boot_time now) {
  while (!all_.empty() && all_.front().until <= now) drop_first();
}

}  // namespace argosy::backends
