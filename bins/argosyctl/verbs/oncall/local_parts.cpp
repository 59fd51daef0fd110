// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/oncall/local_parts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace argosy::ctl {

namespace {

namespace fs = std::filesystem;

/// The end of a longer file is taken.
constexpr std::uintmax_t file_max = 8u << 20;
constexpr std::size_t listed_max = 500;

result<std::string> file_end(const fs::path& path) {
  std::ifstream in{path, std::ios::binary | std::ios::ate};
  if (!in) return fail(ec::not_found, "cannot be read");
  const auto size = static_cast<std::uintmax_t>(std::max<std::streamoff>(0, in.tellg()));
  in.seekg(static_cast<std::streamoff>(size > file_max ? size - file_max : 0));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Files of /proc say that they have no bytes.
std::string proc_text(const fs::path& path) {
  std::ifstream in{path};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string disk_line(const fs::path& folder) {
  std::error_code failed;
  const auto room = fs::space(folder, failed);
  if (failed) return fmt::format("{}: {}\n", folder.string(), failed.message());
  return fmt::format("{}: {} of {} bytes are free\n", folder.string(), room.available,
                     room.capacity);
}

/// Lists names and sizes of all that is in the folder, without what is in files.
std::string folder_listing(const fs::path& folder) {
  std::string out;
  std::size_t count = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator
           at{folder, fs::directory_options::skip_permission_denied, failed},
       end;
       !failed && at != end && count < listed_max; at.increment(failed), ++count) {
    std::error_code unknown;
    const auto bytes = at->is_regular_file(unknown) ? at->file_size(unknown) : 0;
    out += fmt::format("{:>14} {}\n", bytes, at->path().lexically_relative(folder).string());
    if (at.depth() >= 2) at.disable_recursion_pending();
  }
  if (failed) out += failed.message() + "\n";
  if (count == listed_max) out += "and more\n";
  return out;
}

bool is_flight_file(const std::string& name) {
  return name.starts_with("flight") && (name.ends_with(".json") || name.ends_with(".ring"));
}

}  // namespace

local_part machine_part(const std::string& folder) {
  std::string out;
  utsname about{};
  if (::uname(&about) == 0)
    out += fmt::format("{} {} {} {} {}\n", about.sysname, about.nodename, about.release,
                       about.version, about.machine);
  out += fmt::format("{} processors\n", ::sysconf(_SC_NPROCESSORS_ONLN));
  for (const auto* path :
       {"/etc/os-release", "/proc/uptime", "/proc/loadavg", "/proc/meminfo", "/proc/self/limits",
        "/proc/self/cgroup", "/proc/pressure/io", "/proc/pressure/memory"})
    if (const auto text = proc_text(path); !text.empty())
      out += fmt::format("\n== {}\n{}", path, text);
  out += "\n== disks\n" + disk_line("/");
  if (!folder.empty()) out += disk_line(folder);
  return {"machine.txt", std::move(out)};
}

local_parts data_dir_parts(const std::string& folder, const std::string& log_file) {
  local_parts out;
  std::error_code failed;
  fs::directory_iterator all{folder, failed};
  if (failed) {
    out.missing.push_back(fmt::format("data-dir: '{}': {}", folder, failed.message()));
    return out;
  }
  const auto take = [&](const fs::path& path, const std::string& name) {
    auto content = file_end(path);
    if (content)
      out.found.push_back({"data-dir/" + name, std::move(*content)});
    else
      out.missing.push_back(fmt::format("data-dir/{}: {}", name, content.error().detail));
  };
  std::vector<std::string> names;
  for (const auto& entry : all) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  for (const auto& name : names)
    if (is_flight_file(name)) take(fs::path{folder} / name, name);
  for (const auto* name : {"starts", "work", "lock", "last-backup", "snapshots/log"})
    if (fs::exists(fs::path{folder} / name, failed)) take(fs::path{folder} / name, name);
  out.found.push_back({"data-dir/files.txt", folder_listing(folder)});
  if (!log_file.empty()) take(log_file, "argosyd.log");
  return out;
}

}  // namespace argosy::ctl
