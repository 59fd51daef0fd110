// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/backup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <memory>
#include <optional>

#include "bins/argosyd/log_key_file.hpp"
#include "bins/argosyd/upkeep/copied_file.hpp"
#include "bins/argosyd/upkeep/store_reader.hpp"
#include "bins/argosyd/upkeep/store_watch.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/progress.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/eventlog/fill.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/data_dir.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

namespace {

namespace fs = std::filesystem;

/// The folder in which a backup is made. It goes away unless it becomes the backup.
class draft {
 public:
  explicit draft(const fs::path& target)
      : target_(target), path_(target.string() + ".partial." + std::to_string(::getpid())) {}
  ~draft() {
    std::error_code ignored;
    if (!named_) fs::remove_all(path_, ignored);
  }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  result<void> make() {
    std::error_code failed;
    fs::create_directories(target_.parent_path(), failed);
    fs::remove_all(path_, failed);
    if (::mkdir(path_.c_str(), 0700) == 0) return {};
    return fail(backends::system_error("make the folder " + path_.string(), errno));
  }
  /// rename() takes the place of an empty folder and of no other.
  result<void> name() {
    for (const auto& folder : {path_ / "store", path_})
      if (auto done = backends::sync_path(folder); !done) return done;
    if (::rename(path_.c_str(), target_.c_str()) != 0)
      return fail(backends::system_error("name the backup " + target_.string(), errno));
    named_ = true;
    return backends::sync_path(target_.parent_path());
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path target_;
  fs::path path_;
  bool named_ = false;
};

result<fs::path> wanted_folder(const options& chosen) {
  std::error_code failed;
  auto path = fs::absolute(chosen.backup_folder, failed).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (failed || !path.has_filename())
    return fail(ec::invalid_argument, "'" + chosen.backup_folder + "' names no folder");
  // Those of argosyd itself are no backups, see note_backup().
  const auto own = fs::weakly_canonical(chosen.settings.value.data_dir, failed);
  const auto wanted = fs::weakly_canonical(path, failed);
  if (!failed &&
      std::mismatch(own.begin(), own.end(), wanted.begin(), wanted.end()).first == own.end() &&
      wanted.parent_path() != own / "snapshots")
    return fail(ec::invalid_argument, "'" + path.string() +
                                          "' is in the data directory, with which it would be "
                                          "lost: choose a folder on another disk or machine");
  if (!fs::exists(path, failed)) return path;
  if (!fs::is_directory(path, failed))
    return fail(ec::conflict, "'" + path.string() + "' is not a folder");
  if (!fs::is_empty(path, failed) || failed)
    return fail(ec::conflict,
                "the folder '" + path.string() + "' is not empty; a backup needs a new one");
  return path;
}

/// Whether the copy fits on the disk of `to`, and leaves there what an argosyd needs that writes to
/// the same disk.
result<void> check_room(store::database& database, const fs::path& data_dir, const fs::path& to) {
  const auto usage = database.usage();
  if (!usage) return fail(usage.error());
  std::error_code failed;
  const auto disk = fs::space(to.parent_path(), failed);
  if (failed) return {};
  struct stat own {};
  struct stat target {};
  const bool shared = ::stat(data_dir.c_str(), &own) == 0 &&
                      ::stat(to.parent_path().c_str(), &target) == 0 && own.st_dev == target.st_dev;
  const auto left = disk.available > usage->used_bytes ? disk.available - usage->used_bytes : 0;
  if (left > 0 &&
      (!shared || !eventlog::disk_fill(left, disk.capacity).reaches(eventlog::shed_percent)))
    return {};
  return fail(ec::out_of_space, "a copy of the store takes " + std::to_string(usage->used_bytes) +
                                    " bytes of the " + std::to_string(disk.available) +
                                    " that the disk of '" + to.parent_path().string() +
                                    "' has free" +
                                    (left > 0 ? ", and argosyd writes to the same disk" : "") +
                                    "; choose another disk, or make room on it");
}

/// Copies what the newest commit has. It is consistent while another process writes.
result<void> copy_store(const settings::argosyd_settings& settings, const fs::path& to) {
  const auto database = open_to_read(settings);
  if (!database) return fail(database.error());
  if (auto fits = check_room(**database, settings.data_dir, to); !fits) return fits;
  if (auto copied = (*database)->backup(to.string()); !copied) return copied;
  if (::chmod((to / "data.mdb").c_str(), 0600) == 0) return {};
  return fail(backends::system_error("keep others from reading " + to.string(), errno));
}

/// Marks the copy as one, with the time of the backup, so that a start with it asks before it gives
/// up what the log had beyond it. Returns the position at which the copy ends.
result<view::view_position> mark_copy(const settings::argosyd_settings& settings,
                                      const fs::path& folder, std::int64_t now_ns) {
  view::view_position out;
  {
    const auto copy =
        store::open_lmdb({.folder = folder, .map_bytes = settings.store_map_size.bytes});
    if (!copy) return fail(copy.error());
    auto txn = (*copy)->begin_write();
    if (!txn) return fail(txn.error());
    const auto at = view::read_position(**txn);
    if (!at) return fail(at.error());
    out = at->value_or(out);
    if (auto marked = view::write_copy_mark(**txn, {now_ns}); !marked) return fail(marked.error());
    if (auto done = (*txn)->commit(); !done) return fail(done.error());
    txn->reset();
    // A copy is another plane, or none.
    if (auto done = view::write_plane_mark(**copy, {}); !done) return fail(done.error());
  }
  std::error_code ignored;
  fs::remove(folder / "lock.mdb", ignored);
  if (auto synced = backends::sync_path(folder / "data.mdb"); !synced) return fail(synced.error());
  return out;
}

result<void> copy_if_there(const fs::path& from, const fs::path& folder, const std::string& name,
                           std::vector<std::string>& names) {
  std::error_code failed;
  if (from.empty() || !fs::exists(from, failed)) return {};
  if (auto copied = copy_durably(from, folder / name); !copied) return copied;
  names.push_back(name);
  return {};
}

/// Reads all that was written, as a restore would, and checks the store's tables.
result<void> check_copy(const settings::argosyd_settings& settings, const fs::path& folder) {
  if (auto whole = verify_backup(folder); !whole) return fail(whole.error());
  const auto key = read_log_key(log_key_path(settings));
  if (!key) return fail(key.error());
  view::check_report report;
  {
    const auto copy = store::open_lmdb({.folder = folder / "store",
                                        .map_bytes = settings.store_map_size.bytes,
                                        .read_only = true});
    if (!copy) return fail(copy.error());
    auto txn = (*copy)->begin_read();
    if (!txn) return fail(txn.error());
    if (const auto at = view::check_store(**txn, &*key, report); !at) return fail(at.error());
  }
  std::error_code ignored;
  fs::remove(folder / "store" / "lock.mdb", ignored);
  if (report.count() == 0) return {};
  const auto& first = report.findings().front();
  return fail(ec::corrupt, "the store has a fault, in " + first.place + ": " + first.fault +
                               "; see 'argosyd check'");
}

/// Leaves the time for argosyd, which tells when backups are not made any more. Snapshots of
/// argosyd itself do not count: they burn with the machine.
void note_backup(const settings::argosyd_settings& settings, const fs::path& target,
                 std::int64_t time_ns) {
  const auto snapshots = fs::path{settings.data_dir} / "snapshots";
  if (target.parent_path() == fs::absolute(snapshots).lexically_normal()) return;
  // Who may not write there has made the backup all the same.
  const auto note = backup_note(settings.data_dir);
  (void)backends::write_file(note, std::to_string(time_ns) + "\n", backends::sync_mode::no);
  // Root may back up what another user serves, who then has to read this.
  struct stat served {};
  if (::geteuid() == 0 && ::stat(settings.data_dir.c_str(), &served) == 0)
    (void)!::lchown(note.c_str(), served.st_uid, served.st_gid);
}

result<backup_manifest> write_backup(const options& chosen, const fs::path& target) {
  const auto& settings = chosen.settings.value;
  draft made{target};
  if (auto done = made.make(); !done) return fail(done.error());
  backup_manifest out;
  out.time_ns = backends::wall_now_ns();
  if (auto done = copy_store(settings, made.path() / "store"); !done) return fail(done.error());
  const auto at = mark_copy(settings, made.path() / "store", out.time_ns);
  if (!at) return fail(at.error());
  if (at->position.is_zero())
    return fail(ec::unavailable, "the store in '" + settings.data_dir +
                                     "' has nothing yet, as that of an argosyd that waits: make "
                                     "backups on the machine of the one that leads");
  out.generation = at->generation;
  out.epoch = at->epoch;
  out.position = at->position;
  out.hash = at->hash;
  out.control_plane = at->control_plane;
  std::vector<std::string> names{"store/data.mdb"};
  auto done = copy_if_there(log_key_path(settings), made.path(), "log.key", names);
  if (done) done = copy_if_there(chosen.config_file, made.path(), "argosyd.yaml", names);
  if (!done) return fail(done.error());
  for (const auto& name : names) {
    auto file = describe_file(made.path(), name);
    if (!file) return fail(file.error());
    out.files.push_back(std::move(*file));
  }
  done = backends::write_file(made.path() / manifest_name, print_manifest(out),
                              backends::sync_mode::yes);
  if (done && chosen.verify) done = check_copy(settings, made.path());
  if (done) done = made.name();
  if (!done) return fail(done.error());
  return out;
}

}  // namespace

int back_up(const options& chosen) {
  if (auto set = logging::setup(logging_options(chosen.settings.value.logging)); !set)
    return report("argosyd", set.error());
  const auto target = wanted_folder(chosen);
  if (!target) return report("argosyd", target.error());
  std::optional<watchdog> limit;
  const bool in_use = store::data_dir::is_in_use(chosen.settings.value.data_dir);
  if (in_use)
    limit.emplace("argosyd", reading_limit,
                  "the backup took longer than 2 hours, in which the store could not use again "
                  "what was freed; ending at once");
  const auto made = write_backup(chosen, *target);
  if (!made) return report("argosyd", made.error());
  note_backup(chosen.settings.value, *target, made->time_ns);
  std::cout << "The backup '" << target->string() << "' has the store up to record "
            << made->position.value << " of generation " << made->generation.value << ", of "
            << logging::utc_text(from_nanos(made->time_ns)) << ":\n";
  for (const auto& file : made->files)
    std::cout << "  " << file.name << ", " << file.bytes << " bytes\n";
  std::cout << "It has the key of the log: keep it as secret as the data directory.\n";
  if (!in_use)
    std::cerr << "warning: no argosyd uses the data directory '" << chosen.settings.value.data_dir
              << "' now. If another control plane leads, this backup has nothing of what it does: "
                 "make backups on its machine\n";
  return 0;
}

}  // namespace argosy::argosyd
