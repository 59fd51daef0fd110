// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/check.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <optional>

#include "bins/argosyd/ground.hpp"
#include "bins/argosyd/log_key_file.hpp"
#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/snapshots.hpp"
#include "bins/argosyd/upkeep/store_reader.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/data_dir.hpp"

namespace argosy::argosyd {

namespace {

/// The name of the table that is being read. A damaged page cannot be told from a sound one before
/// it is used, and its use may end in a signal; the handler then says where that happened.
std::atomic<const char*> reading{"the first pages"};

void put(const char* text) {
  if (::write(STDOUT_FILENO, text, std::strlen(text)) < 0) ::_exit(found_code);
}

/// Tells what was being read and ends the process. It makes only calls that are allowed in a signal
/// handler.
extern "C" void end_by_damage(int) {
  put("fault:  the store, table ");
  put(reading.load());
  put(": its pages are damaged so that they cannot be read\n"
      "fix:    Stop argosyd, move the folder 'store' of the data directory away and start argosyd, "
      "or restore a backup with 'argosyd recover --from DIR'.\n");
  ::_exit(found_code);
}

/// While it lives, the process reads pages of the store and does nothing else, so that such a
/// signal comes of them.
class damage_watch {
 public:
  damage_watch() {
    struct sigaction action {};
    action.sa_handler = end_by_damage;
    action.sa_flags = SA_RESETHAND;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
  }
  damage_watch(const damage_watch&) = delete;
  damage_watch& operator=(const damage_watch&) = delete;
  ~damage_watch() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
  std::array<struct sigaction, signals.size()> before_{};
};

void print(const view::check_report& report) {
  for (const auto& sentence : report.notes()) std::cout << "looked: " << sentence << '\n';
  std::string_view fix;
  for (const auto& found : report.findings()) {
    std::cout << "fault:  " << found.place;
    if (!found.key.empty()) std::cout << ", " << found.key;
    std::cout << ": " << found.fault << ".\n";
  }
  for (const auto& found : report.findings())
    if (found.fix != fix) std::cout << "fix:    " << (fix = found.fix) << '\n';
  if (report.count() > report.findings().size())
    std::cout << "fault:  " << report.count() - report.findings().size()
              << " more of the same kinds were found.\n";
}

/// Returns the key, or nothing when it is missing or damaged, which is reported as a fault.
result<std::optional<codec::log_key>> find_key(const options& chosen, view::check_report& report) {
  auto key = read_log_key(log_key_path(chosen.settings.value));
  if (key) return std::optional{std::move(*key)};
  if (key.error().code != ec::not_found && key.error().code != ec::corrupt)
    return fail(key.error());
  report.add({"the key", log_key_path(chosen.settings.value).string(), key.error().detail,
              "Put the file back from a backup. MACs were not checked without it."});
  return std::optional<codec::log_key>{};
}

/// Reports that the store is too damaged to be read on.
void add_damage(const error& why, view::check_report& report) {
  report.add({"the store",
              {},
              why.detail,
              "Restore a backup with 'argosyd recover --from DIR', or remove the folder 'store' to "
              "make it anew from the log."});
}

result<void> look_at_log(const options& chosen, store::read_txn& txn,
                         const view::view_position& end, const codec::log_key* key,
                         view::check_report& report) {
  if (chosen.no_log) {
    report.note("The log was not looked at, as --no-log says.");
    return {};
  }
  ground seams;
  auto done = seams.connect(chosen);
  if (done) done = view::check_log(*seams.log, txn, end, key, report);
  seams.close();
  return done;
}

/// Compares the files of each snapshot with its list.
result<void> look_at_snapshots(const options& chosen, view::check_report& report) {
  const std::filesystem::path data_dir{chosen.settings.value.data_dir};
  const auto all = snapshot_shelf{data_dir, {}}.list();
  if (!all) return fail(all.error());
  for (const auto& each : *all) {
    const auto whole = verify_backup(data_dir / "snapshots" / each.name);
    if (whole)
      report.note("The snapshot " + each.name + " of the store is whole; it ends at record " +
                  to_string(each.position) + " of generation " + to_string(each.generation) + ".");
    else
      report.add({"the snapshots", each.name, whole.error().detail,
                  "Remove the snapshot's folder; argosyd makes a new one after the next roll-over "
                  "of the log. Make a backup of the store until then."});
  }
  return {};
}

result<void> look(const options& chosen, view::check_report& report) {
  std::optional<damage_watch> reading_pages{std::in_place};
  const auto database = open_to_read(chosen.settings.value);
  if (!database && database.error().code == ec::corrupt) {
    add_damage(database.error(), report);
    return {};
  }
  if (!database) return fail(database.error());
  const auto key = find_key(chosen, report);
  if (!key) return fail(key.error());
  const auto* const used = *key ? &**key : nullptr;
  auto txn = (*database)->begin_read();
  if (!txn) return fail(txn.error());
  const auto at = view::check_store(**txn, used, report,
                                    [](store::table which) { reading = to_string(which).data(); });
  if (!at && at.error().code == ec::corrupt) {
    add_damage(at.error(), report);
    return {};
  }
  if (!at) return fail(at.error());
  // Each page has been read once.
  reading_pages.reset();
  if (auto done = look_at_snapshots(chosen, report); !done) return done;
  if (!*at) return {};
  return look_at_log(chosen, **txn, **at, used, report);
}

}  // namespace

int check_store_and_log(const options& chosen) {
  if (auto set = logging::setup(logging_options(chosen.settings.value.logging)); !set)
    return report("argosyd", set.error());
  view::check_report found;
  const std::filesystem::path folder{chosen.settings.value.data_dir};
  std::optional<watchdog> limit;
  if (store::data_dir::is_in_use(folder)) {
    limit.emplace("argosyd", reading_limit,
                  "the check took longer than 2 hours, in which the store could not use again what "
                  "was freed; ending at once");
    found.note("An argosyd uses the store in '" + folder.string() +
               "': what it had committed when the check began was checked.");
  }
  const auto done = look(chosen, found);
  print(found);
  if (found.count() > 0) {
    std::cout << "result: " << view::counted(found.count(), "fault was", "faults were")
              << " found.\n";
    if (!done) std::cerr << "argosyd: " << done.error().detail << '\n';
    return found_code;
  }
  if (!done) {
    std::cerr << "argosyd: the check is not complete: " << done.error().detail
              << "; with --no-log the store alone is checked\n";
    return done.error().code == ec::invalid_argument ? usage_code : failure_code;
  }
  std::cout << "result: " << (chosen.no_log ? "the store is sound" : "store and log are sound")
            << ".\n";
  return 0;
}

}  // namespace argosy::argosyd
