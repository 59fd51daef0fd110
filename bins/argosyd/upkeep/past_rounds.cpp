// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/past_rounds.hpp"

#include <filesystem>
#include <utility>

#include "bins/argosyd/layers.hpp"
#include "bins/argosyd/upkeep/snapshots.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::argosyd {

namespace {

result<std::vector<past::store_copy>> list_copies(const std::filesystem::path& data_dir,
                                                  std::uint64_t map_bytes) {
  const auto snapshots = snapshot_shelf{data_dir, {}}.list();
  if (!snapshots) return fail(snapshots.error());
  std::vector<past::store_copy> out;
  for (const auto& each : *snapshots) {
    const auto folder = data_dir / "snapshots" / each.name / "store";
    out.push_back({each.position, [=]() -> result<std::shared_ptr<store::database>> {
                     auto opened = store::open_lmdb(
                         {.folder = folder, .map_bytes = map_bytes, .read_only = true});
                     if (!opened) return fail(std::move(opened.error()));
                     return std::shared_ptr<store::database>{std::move(*opened)};
                   }});
  }
  return out;
}

result<native::round_settings> settings_of(const std::string& text) {
  auto section = settings::load_scheduling(text, "the settings of that time");
  if (!section) return fail(std::move(section.error()));
  return make_round_settings(*section);
}

}  // namespace

std::shared_ptr<past::archive> make_archive(const options& chosen, const ground& seams,
                                            const view::state_rules& rules) {
  past::archive_seams out;
  out.store = seams.database;
  out.copies = [data_dir = seams.dir->path(),
                map_bytes = chosen.settings.value.store_map_size.bytes] {
    return list_copies(data_dir, map_bytes);
  };
  // The log that is open belongs to the JOURNAL.
  out.open_log = [settings = seams.log_settings]() -> result<std::shared_ptr<eventlog::event_log>> {
    auto opened = eventlog::open_jetstream(settings);
    if (!opened) return fail(std::move(opened.error()));
    return std::shared_ptr<eventlog::event_log>{std::move(*opened)};
  };
  out.key = seams.log_key;
  out.rules = rules;
  out.read_settings = settings_of;
  out.live_jobs_max = chosen.settings.value.api.past_jobs_max;
  return std::make_shared<past::archive>(std::move(out));
}

}  // namespace argosy::argosyd
