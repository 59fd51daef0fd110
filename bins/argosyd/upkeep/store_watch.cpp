// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/store_watch.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "bins/argosyd/upkeep/snapshots.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/bus/server/spawn.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger reader_logger{"store"};

/// No reader of this process takes so long, and whoever checks a small store is done before.
constexpr std::chrono::seconds old_after{60};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

reading_process look_at_process(std::int64_t number) {
  const auto folder = std::filesystem::path{"/proc"} / std::to_string(number);
  reading_process out;
  for (const auto& word : bus::arguments_of(static_cast<pid_t>(number)))
    out.command += (out.command.empty() ? "" : " ") + word;
  // "PID (NAME) STATE ..."; the name may have anything in it.
  const auto stat = text_of(folder / "stat");
  const auto end = stat.rfind(") ");
  out.stopped = end != std::string::npos && end + 2 < stat.size() &&
                (stat[end + 2] == 'T' || stat[end + 2] == 't');
  return out;
}

}  // namespace

health::concern reader_concern(const store::old_reader& one, const reading_process& process,
                               bool is_self) {
  const auto age = std::chrono::floor<std::chrono::seconds>(one.age);
  auto who = is_self ? std::string{"a part of this argosyd"}
                     : "process " + std::to_string(one.who.process) +
                           (process.command.empty() ? "" : " (" + process.command + ")");
  auto text = who + " has read one state of the store for " +
              settings::print_value(std::chrono::milliseconds{age}) + " and keeps " +
              std::to_string(one.who.held_bytes >> 20) + " MiB of it from being used again";
  if (process.stopped) text += "; it is stopped (SIGSTOP)";
  if (!is_self) text += ": let it end, or end it";
  return {false, "reader", std::to_string(one.who.process) + " " + one.who.thread, std::move(text)};
}

bool may_be_ended(const reading_process& process) {
  std::istringstream words{process.command};
  std::string program;
  std::string verb;
  words >> program >> verb;
  const std::filesystem::path path{program};
  return (path.filename() == "argosyd" || program == "/proc/self/exe") &&
         (verb == "check" || verb == "backup");
}

std::filesystem::path backup_note(const std::filesystem::path& data_dir) {
  return data_dir / "last-backup";
}

health::concerns store_watch::look(bool in_the_way) {
  health::concerns out;
  const auto probe = probes_->get<copies_probe>();
  look_at_readers(*probe, in_the_way, out);
  look_at_copies(*probe, out);
  return out;
}

void store_watch::look_at_readers(copies_probe& probe, bool in_the_way, health::concerns& out) {
  const auto all = database_->readers();
  if (!all) return;
  const auto old = readers_.look(*all, system_clock_source().boot(), boot_time{0});
  const auto age = old.empty() ? boot_time{0} : old.front().age;
  probe.reader_age.set(std::chrono::duration_cast<std::chrono::seconds>(age).count());
  for (const auto& one : old) {
    if (one.age < old_after) break;
    const bool is_self = one.who.process == ::getpid();
    const auto process = is_self ? reading_process{} : look_at_process(one.who.process);
    out.push_back(reader_concern(one, process, is_self));
    if (is_self || !in_the_way || !may_be_ended(process)) continue;
    reader_logger.error(
        "a reader of the store was ended, since new commands were refused for what it kept",
        logging::kv("process", one.who.process), logging::kv("command", process.command),
        logging::kv("held_bytes", one.who.held_bytes));
    ::kill(static_cast<pid_t>(one.who.process), SIGKILL);
  }
}

void store_watch::look_at_copies(copies_probe& probe, health::concerns& out) {
  const auto seconds = [](std::int64_t nanos) { return nanos / 1'000'000'000; };
  if (const auto newest = newest_snapshot_ns(data_dir_)) probe.snapshot_at.set(seconds(*newest));
  const auto note = text_of(backup_note(data_dir_));
  std::int64_t at = 0;
  std::from_chars(note.data(), note.data() + note.size(), at);
  probe.backup_at.set(seconds(at));
  probe.begun_at.set(seconds(begun_ns_));
  if (auto told = backup_concern(at, begun_ns_, backends::wall_now_ns()))
    out.push_back(std::move(*told));
}

}  // namespace argosy::argosyd
