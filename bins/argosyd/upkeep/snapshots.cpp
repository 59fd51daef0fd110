// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/snapshots.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <sstream>
#include <thread>
#include <utility>

#include "bins/argosyd/upkeep/backup.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/program.hpp"
#include "runtime/bus/server/spawn.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

namespace fs = std::filesystem;

const logging::logger snapshot_logger{"snapshots"};

constexpr std::string_view draft_name = "new";
/// Others go first.
constexpr int niceness = 10;

std::string name_of(const backup_manifest& manifest) {
  return to_string(manifest.generation) + "-" + to_string(manifest.position);
}

result<backup_manifest> read_manifest(const fs::path& folder) {
  const auto text = backends::read_file(folder / manifest_name);
  if (!text) return fail(text.error());
  return parse_manifest(*text);
}

/// Waits for the process and returns its wait status. It is killed when `stop` returns true, and
/// when it takes so long that it hangs: meanwhile it keeps the store from using its room again.
result<int> wait_for(pid_t pid, const std::function<bool()>& stop) {
  constexpr std::chrono::hours limit{2};
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    const bool late = std::chrono::steady_clock::now() >= end;
    if (late || stop()) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      if (!late) return fail(ec::cancelled, "this process ends");
      return fail(ec::timeout, "no snapshot of the store was made: it took longer than 2 hours");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return status;
}

/// The last line that the process wrote, which says what went wrong.
std::string final_words(const fs::path& path) {
  const auto text = backends::read_file(path, 64u << 10);
  std::istringstream lines{text ? *text : std::string{}};
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) out = line;
  return out;
}

}  // namespace

snapshot_shelf::snapshot_shelf(const fs::path& data_dir, std::string config_file)
    : data_dir_(data_dir), folder_(data_dir / "snapshots"), config_file_(std::move(config_file)) {}

result<std::vector<eventlog::snapshot_mark>> snapshot_shelf::list() const {
  std::vector<eventlog::snapshot_mark> out;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator{folder_, failed}) {
    const auto name = entry.path().filename().string();
    const auto manifest = read_manifest(entry.path());
    if (manifest && name == name_of(*manifest))
      out.push_back({manifest->generation, manifest->position, name});
  }
  if (failed && failed != std::errc::no_such_file_or_directory)
    return fail(ec::internal, "cannot look into " + folder_.string() + ": " + failed.message());
  std::ranges::sort(out);
  return out;
}

result<void> snapshot_shelf::make(const std::function<bool()>& stop) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  fs::permissions(folder_, fs::perms::owner_all, failed);
  // A process that was killed left its folder behind.
  for (const auto& entry : fs::directory_iterator{folder_, failed})
    if (entry.path().filename().string().starts_with(draft_name))
      fs::remove_all(entry.path(), failed);
  const auto draft = folder_ / draft_name;
  const auto output = folder_ / "log";
  auto words = own_command();
  words.insert(words.end(),
               {"backup", draft.string(), "--verify", "--data-dir", data_dir_.string()});
  if (!config_file_.empty()) words.insert(words.end(), {"--config", config_file_});
  const auto child = bus::spawn_for_life(words, output);
  if (!child) return fail(child.error());
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(*child), niceness);
  const auto status = wait_for(*child, stop);
  if (!status) {
    fs::remove_all(draft, failed);
    return fail(status.error());
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    fs::remove_all(draft, failed);
    return fail(ec::internal,
                "no snapshot of the store was made: " +
                    (WIFSIGNALED(*status) ? "signal " + std::to_string(WTERMSIG(*status))
                                          : final_words(output)));
  }
  const auto manifest = read_manifest(draft);
  if (!manifest) return fail(manifest.error());
  const auto named = folder_ / name_of(*manifest);
  fs::remove_all(named, failed);
  fs::rename(draft, named, failed);
  if (failed) return fail(ec::internal, "the snapshot did not get its name: " + failed.message());
  snapshot_logger.info("a snapshot of the store was made", logging::kv("folder", named.string()),
                       logging::kv("generation", manifest->generation.value),
                       logging::kv("position", manifest->position));
  return backends::sync_path(folder_);
}

result<void> snapshot_shelf::drop(const eventlog::snapshot_mark& which) {
  std::error_code failed;
  const auto doomed = folder_ / (std::string{draft_name} + ".old");
  // One that is half erased must not look like a snapshot.
  fs::rename(folder_ / which.name, doomed, failed);
  if (!failed) fs::remove_all(doomed, failed);
  if (failed)
    return fail(ec::internal, "cannot erase the snapshot " + which.name + ": " + failed.message());
  return {};
}

std::optional<std::int64_t> newest_snapshot_ns(const fs::path& data_dir) {
  const auto all = snapshot_shelf{data_dir, {}}.list();
  if (!all || all->empty()) return std::nullopt;
  const auto manifest = read_manifest(data_dir / "snapshots" / all->back().name);
  return manifest ? std::optional{manifest->time_ns} : std::nullopt;
}

result<void> restore_snapshot(const fs::path& data_dir) {
  std::error_code failed;
  const auto store = data_dir / "store";
  if (fs::exists(store / "data.mdb", failed)) return {};
  const snapshot_shelf shelf{data_dir, {}};
  auto all = shelf.list();
  if (!all) return fail(all.error());
  for (const auto& mark : *all | std::views::reverse) {
    const auto folder = data_dir / "snapshots" / mark.name;
    const auto whole = verify_backup(folder);
    if (!whole) {
      snapshot_logger.error("a snapshot of the store cannot be used",
                            logging::kv("folder", folder.string()),
                            logging::kv("error", whole.error().detail));
      continue;
    }
    fs::remove_all(store, failed);
    if (auto put = restore_store(folder, data_dir); !put) return put;
    snapshot_logger.warning(
        "there was no store; it was made anew from a snapshot, and the log brings what follows",
        logging::kv("folder", folder.string()), logging::kv("position", mark.position));
    return {};
  }
  return {};
}

}  // namespace argosy::argosyd
