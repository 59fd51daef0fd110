// SPDX-License-Identifier: Apache-2.0
// This file puts a backup into a data directory. The store gets its name last, so that a data
// directory has either none of the backup or all of it.
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "bins/argosyd/log_key_file.hpp"
#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/copied_file.hpp"
#include "bins/shared/data_dir.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::argosyd {

namespace {

namespace fs = std::filesystem;

result<void> restore_key(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  if (!fs::exists(from, failed)) return {};
  const auto key = backends::read_file(from, 4'096);
  if (!key) return fail(key.error());
  const auto there = backends::read_file(to, 4'096);
  if (there && *there == *key) return {};
  if (there)
    return fail(ec::conflict, "the key of the log, " + to.string() +
                                  ", is there and is not that of the backup; move it away first");
  if (there.error().code != ec::not_found) return fail(there.error());
  return backends::write_file(to, *key, backends::sync_mode::yes);
}

}  // namespace

result<backup_manifest> verify_backup(const fs::path& folder) {
  const auto text = backends::read_file(folder / manifest_name);
  if (!text && text.error().code == ec::not_found)
    return fail(ec::not_found, "there is no backup in '" + folder.string() + "': it has no file " +
                                   std::string{manifest_name} +
                                   "; name the folder that 'argosyd backup' has made");
  if (!text) return fail(text.error());
  auto manifest = parse_manifest(*text);
  if (!manifest) return manifest;
  for (const auto& due : manifest->files) {
    const auto found = describe_file(folder, due.name);
    if (!found) return fail(found.error());
    if (*found != due)
      return fail(ec::corrupt, "the file " + (folder / due.name).string() +
                                   " of the backup is damaged: its SHA-256 is not that in the "
                                   "list; use another backup");
  }
  return manifest;
}

result<void> restore_store(const fs::path& from, const fs::path& data_dir) {
  const auto draft = data_dir / "store.restoring";
  std::error_code failed;
  fs::remove_all(draft, failed);
  if (::mkdir(draft.c_str(), 0700) != 0)
    return fail(backends::system_error("make the folder " + draft.string(), errno));
  if (auto copied = copy_durably(from / "store" / "data.mdb", draft / "data.mdb"); !copied)
    return copied;
  if (auto synced = backends::sync_path(draft); !synced) return synced;
  fs::rename(draft, data_dir / "store", failed);
  if (failed)
    return fail(ec::conflict, "the store could not get its name in '" + data_dir.string() +
                                  "': " + failed.message());
  return backends::sync_path(data_dir);
}

result<backup_manifest> restore_backup(const options& chosen) {
  const auto& settings = chosen.settings.value;
  const fs::path from{chosen.backup_folder};
  auto manifest = verify_backup(from);
  if (!manifest) return manifest;
  const auto dir = open_data_dir(settings.data_dir);
  if (!dir) return fail(dir.error());
  std::error_code failed;
  const auto store = dir->path() / "store";
  if (fs::exists(store, failed) && !fs::is_empty(store, failed))
    return fail(ec::conflict, "there is a store in '" + dir->path().string() +
                                  "'; move it away before a backup is restored");
  auto done = restore_key(from / "log.key", log_key_path(settings));
  if (done) done = restore_store(from, dir->path());
  if (!done) return fail(done.error());
  return manifest;
}

}  // namespace argosy::argosyd
