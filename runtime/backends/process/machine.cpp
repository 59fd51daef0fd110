// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/machine.hpp"

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "runtime/backends/platform.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

std::int64_t usable_cpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

model::resource_list machine_capacity(const std::filesystem::path& disk) {
  model::resource_list out{{"cpu", usable_cpus() * 1000}};
  struct statvfs storage {};
  if (::statvfs(disk.c_str(), &storage) == 0)
    out.emplace_back("ephemeral-storage",
                     static_cast<std::int64_t>(storage.f_blocks * storage.f_frsize));
  struct sysinfo memory {};
  if (::sysinfo(&memory) == 0)
    out.emplace_back("memory", static_cast<std::int64_t>(memory.totalram * memory.mem_unit));
  return out;
}

std::string node_name_of(std::string_view host_name) {
  std::string out;
  for (const char c : host_name) {
    const auto lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool keep =
        (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') || lower == '.';
    out += keep ? lower : '-';
  }
  out.erase(0, std::min(out.find_first_not_of("-."), out.size()));
  out.resize(std::min<std::size_t>(out.size(), 63));
  out.resize(out.find_last_not_of("-.") + 1);
  return out.empty() ? "node" : out;
}

std::string machine_name() {
  char buffer[256] = {};
  ::gethostname(buffer, sizeof buffer - 1);
  return node_name_of(buffer);
}

namespace {

/// Whether a run is alive, or may be. One that the end of its machine ended is not, though it left
/// no record of its end.
bool has_live_runs(const std::filesystem::path& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed})
    if (shim_alive(entry.path()).value_or(true)) return true;
  return false;
}

}  // namespace

std::string lasting_node_name(const std::filesystem::path& folder, const std::string& wanted) {
  const auto file = folder / "node";
  std::string kept;
  if (const auto text = read_file(file)) kept = text->substr(0, text->find('\n'));
  // What somebody else wrote there, or a crash left, is no name.
  if (node_name_of(kept) != kept) kept.clear();
  if (!kept.empty() && (wanted.empty() || wanted == kept || has_live_runs(folder))) return kept;
  auto name = wanted.empty() ? machine_name() : wanted;
  // Without the file a later name of the machine counts, as it would without this function.
  static_cast<void>(write_file(file, name + "\n", sync_mode::yes));
  return name;
}

std::string kept_name_note(const std::string& name, const std::string& wanted,
                           const std::string& setting) {
  const auto now = wanted.empty() ? machine_name() : wanted;
  if (now == name) return {};
  const auto when = " when its agent starts while none of its runs goes on";
  if (wanted.empty())
    return "node " + name + " keeps its name, though its machine is called " + now + " now: set " +
           setting + " to this name, or to one that it gets" + when;
  return "node " + name + " keeps its name; it gets that of " + setting + ", " + now + "," + when;
}

model::node_info machine_node(const std::filesystem::path& disk, const std::string& name,
                              const model::resource_list& capacity, model::label_list labels,
                              std::vector<model::taint> taints) {
  model::node_info node;
  node.name = model::node_name{lasting_node_name(disk, name)};
  std::map<std::string, std::int64_t> amounts;
  for (const auto& [resource, amount] : machine_capacity(disk)) amounts[resource] = amount;
  for (const auto& [resource, amount] : capacity) amounts[resource] = amount;
  node.total.assign(amounts.begin(), amounts.end());
  node.allocatable = node.total;
  labels.emplace_back("kubernetes.io/hostname", node.name);
  add_platform(labels);
  std::sort(labels.begin(), labels.end());
  node.labels = std::move(labels);
  node.taints = std::move(taints);
  node.taints.push_back({model::process_backend_taint, "", "NoSchedule"});
  return node;
}

}  // namespace argosy::backends
