// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/run_marks.hpp"

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr const char* lease_file = "lease";
constexpr const char* boot_file = "boot";

}  // namespace

result<run_marks> run_marks::open(const fs::path& folder) {
  run_marks out;
  out.folder_ = folder;
  if (folder.empty()) return out;
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return fail(system_error("make '" + folder.string() + "'", code.value()));
  const auto boot = read_file(folder / boot_file);
  out.same_boot_ = boot && *boot == boot_id();
  for (const auto& each : fs::directory_iterator{folder, code})
    if (const auto run = parse_run_key(each.path().filename().string())) out.set_.insert(*run);
  if (code) return fail(system_error("read '" + folder.string() + "'", code.value()));
  return out;
}

result<void> run_marks::set(const model::run_key& run) {
  if (folder_.empty()) return {};
  if (!same_boot_) {
    if (auto done = write_file(folder_ / boot_file, boot_id(), sync_mode::no); !done) return done;
    same_boot_ = true;
  }
  if (auto done = write_file(folder_ / to_string(run), {}, sync_mode::no); !done) return done;
  set_.insert(run);
  return {};
}

void run_marks::erase(const model::run_key& run) {
  if (set_.erase(run) == 0) return;
  std::error_code ignored;
  fs::remove(folder_ / to_string(run), ignored);
}

bool run_marks::never_started(const model::run_key& run) const {
  return same_boot_ && !set_.contains(run);
}

void run_marks::keep(const model::run_lease& lease) {
  if (folder_.empty()) return;
  // The next renewal makes up for one that cannot be written; without any, the runs end.
  if (const auto bytes = encode(lease_record{boot_id(), lease}))
    static_cast<void>(write_file(folder_ / lease_file, *bytes, sync_mode::no));
}

std::optional<model::run_lease> run_marks::lease(boot_time now, std::int64_t wall_ns) const {
  if (folder_.empty()) return std::nullopt;
  auto found = read_record<lease_record>(folder_ / lease_file);
  if (!found) return std::nullopt;
  if (found->boot == boot_id()) return found->lease;
  const auto until_wall = found->lease.until + found->lease.wall_ahead;
  found->lease.wall_ahead = boot_time{wall_ns} - now;
  found->lease.until = until_wall - found->lease.wall_ahead;
  return found->lease;
}

}  // namespace argosy::backends
