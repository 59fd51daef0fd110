// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/snapshot_exchange.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/snapshots.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

namespace fs = std::filesystem;
using backends::system_error;
using backends::unique_fd;

const logging::logger exchange_logger{"snapshots"};

/// A message of NATS may have a megabyte, unless it is told otherwise.
constexpr std::size_t message_bytes = 512u << 10;
constexpr std::size_t manifest_max = 64u << 10;
/// What stays free on the disk.
constexpr std::uintmax_t room_reserve = 64u << 20;
constexpr std::string_view store_file = "store/data.mdb";

/// A piece of the file, shorter or empty at its end.
result<std::string> read_message(const fs::path& path, std::uint64_t offset) {
  const unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return fail(system_error("open " + path.string(), errno));
  std::string out(message_bytes, '\0');
  const auto count = ::pread(file.get(), out.data(), out.size(), static_cast<off_t>(offset));
  if (count < 0) return fail(system_error("read " + path.string(), errno));
  out.resize(static_cast<std::size_t>(count));
  return out;
}

/// What the leader keeps beside its store stays there.
result<backup_manifest> store_alone(const std::string& text) {
  auto manifest = parse_manifest(text);
  if (!manifest) return manifest;
  std::erase_if(manifest->files, [](const auto& file) { return file.name != store_file; });
  if (manifest->files.size() != 1)
    return fail(ec::corrupt, "the list of the leader's snapshot does not have its store");
  return manifest;
}

result<void> check_room(const fs::path& data_dir, const backup_manifest& manifest) {
  std::error_code failed;
  const auto room = fs::space(data_dir, failed).available;
  std::uintmax_t need = room_reserve;
  for (const auto& file : manifest.files) need += file.bytes;
  if (failed || room >= need) return {};
  return fail(ec::out_of_space, "the leader's snapshot needs " + std::to_string(need) +
                                    " bytes in " + data_dir.string() + ", which has " +
                                    std::to_string(room));
}

/// Takes no more than the `bytes` for which there is room.
result<void> fetch_store(const fs::path& into, const codec::snapshot_piece& newest,
                         std::uint64_t bytes, const ask_for_piece& ask) {
  const unique_fd file{
      ::open(into.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  if (!file) return fail(system_error("make " + into.string(), errno));
  std::uint64_t offset = 0;
  while (true) {
    const auto piece = ask({newest.name, offset});
    if (!piece) return fail(piece.error());
    if (piece->name != newest.name)
      return fail(ec::unavailable,
                  "the leader does not have its snapshot " + newest.name + " any more");
    if (piece->data.empty()) break;
    if (auto written = backends::write_all(file, piece->data, into); !written) return written;
    offset += piece->data.size();
    if (offset > bytes)
      return fail(ec::corrupt,
                  "the leader's snapshot " + newest.name + " is longer than its list says");
  }
  if (::fsync(file.get()) != 0) return fail(system_error("write " + into.string(), errno));
  return {};
}

/// Moves a folder to the place of the store, which moves aside.
result<void> put_in_place(const fs::path& from, const fs::path& data_dir, const fs::path& aside) {
  std::error_code failed;
  if (auto synced = backends::sync_path(from); !synced) return synced;
  const auto store = data_dir / "store";
  fs::remove_all(aside, failed);
  fs::rename(store, aside, failed);
  if (failed)
    return fail(ec::internal,
                "cannot set the store aside in " + data_dir.string() + ": " + failed.message());
  fs::rename(from, store, failed);
  if (failed) {
    std::error_code ignored;
    fs::rename(aside, store, ignored);
    return fail(ec::internal,
                "cannot put the snapshot in place of " + store.string() + ": " + failed.message());
  }
  return backends::sync_path(data_dir);
}

}  // namespace

codec::snapshot_piece read_snapshot_piece(const fs::path& data_dir,
                                          const codec::snapshot_question& asked) {
  const auto all = snapshot_shelf{data_dir, {}}.list();
  if (!all || all->empty()) return {};
  if (asked.name.empty()) {
    const auto& newest = all->back().name;
    auto text = backends::read_file(data_dir / "snapshots" / newest / manifest_name, manifest_max);
    if (!text) return {};
    return {newest, std::move(*text), {}};
  }
  const bool is_there =
      std::ranges::any_of(*all, [&](const auto& one) { return one.name == asked.name; });
  if (!is_there) return {};
  auto data = read_message(data_dir / "snapshots" / asked.name / store_file, asked.offset);
  if (!data) {
    exchange_logger.error("a snapshot cannot be read", logging::kv("error", data.error().detail));
    return {};
  }
  return {asked.name, {}, std::move(*data)};
}

result<void> fetch_snapshot(const fs::path& data_dir, const ask_for_piece& ask,
                            const snapshot_judge& judge, const snapshot_finish& finish) {
  const auto newest = ask({});
  if (!newest) return fail(newest.error());
  if (newest->name.empty())
    return fail(ec::not_found, "the leader has no snapshot of its store to give");
  auto manifest = store_alone(newest->manifest);
  if (!manifest) return fail(manifest.error());
  if (auto why = judge ? judge(*manifest) : std::string{}; !why.empty())
    return fail(ec::not_found, std::move(why));
  const auto draft = data_dir / "store.fetched";
  std::error_code failed;
  // A process that was killed meanwhile left it behind, and it takes room.
  fs::remove_all(draft, failed);
  if (auto enough = check_room(data_dir, *manifest); !enough) return enough;
  fs::create_directories(draft / "store", failed);
  fs::permissions(draft / "store", fs::perms::owner_all, failed);
  if (failed) return fail(ec::internal, "cannot make " + draft.string() + ": " + failed.message());
  auto done = fetch_store(draft / store_file, *newest, manifest->files.front().bytes, ask);
  if (done)
    done = backends::write_file(draft / manifest_name, print_manifest(*manifest),
                                backends::sync_mode::yes);
  if (done)
    if (auto whole = verify_backup(draft); !whole) done = fail(whole.error());
  if (done && finish) done = finish(draft / "store");
  if (!done) {
    fs::remove_all(draft, failed);
    return done;
  }
  const auto aside = data_dir / "store.aside";
  if (auto put = put_in_place(draft / "store", data_dir, aside); !put) {
    fs::remove_all(draft, failed);
    return put;
  }
  fs::remove_all(draft, failed);
  exchange_logger.warning(
      "the store was too old for the log and was replaced by a snapshot of the "
      "leader's; it is kept beside it",
      logging::kv("kept", aside.string()), logging::kv("snapshot", newest->name));
  return {};
}

}  // namespace argosy::argosyd
