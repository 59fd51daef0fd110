// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/machine_watch.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bins/shared/tls_probe.hpp"
#include "runtime/eventlog/fill.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy {

namespace {

const logging::logger watch_logger{"machine"};

constexpr std::chrono::seconds period{3};
/// How often certificates are looked at, more often without a connection or with a bad certificate.
constexpr std::chrono::minutes certificates_pause{10};
constexpr std::chrono::seconds certificates_pause_while_bad{15};
constexpr std::chrono::milliseconds server_limit{2'000};
/// The row that gets the end of the authority by which the NATS servers are trusted.
constexpr const char* nats_authorities = "the authorities of NATS";
constexpr std::int64_t day = 86'400;
constexpr std::int64_t warned_before = 21 * day;

std::string date_of(std::int64_t seconds) {
  return logging::utc_text(from_nanos(seconds * 1'000'000'000)).substr(0, 16) + " UTC";
}

std::string days_text(std::int64_t days) {
  if (days == 0) return "less than a day";
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

/// When the authority ends by which the server is trusted; 0: it could not be found out.
std::int64_t end_in_use(const watched_certificate& authorities) {
  for (const auto& server : addresses_of(authorities.server, greeting::none))
    if (const auto shown =
            look_at_certificate(server, {authorities.file, {}, {}}, server_limit, greeting::none))
      return shown->authority_end;
  return 0;
}

}  // namespace

std::string mib(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

health::concerns certificate_concerns(const std::vector<certificate_end>& all, std::int64_t now) {
  health::concerns out;
  for (const auto& one : all) {
    const auto which = "the certificate of " + one.name + " (" + one.place + ")";
    if (one.end != 0 && one.end <= now)
      out.push_back({true, "certificate", one.name,
                     which + " has expired, on " + date_of(one.end) +
                         "; connections that begin now are refused: put a new one in its place"});
    else if (!one.fault.empty())
      out.push_back({true, "certificate", one.name, which + " cannot be used: " + one.fault});
    else if (one.end != 0 && one.end - now < warned_before)
      out.push_back({false, "certificate", one.name,
                     which + " ends in " + days_text((one.end - now) / day) + ", on " +
                         date_of(one.end) + ": put a new one in its place before"});
  }
  return out;
}

health::concerns disk_concerns(const watched_disk& which, std::uint64_t free_bytes,
                               std::uint64_t bytes, std::uint64_t writable) {
  const auto counted = eventlog::disk_fill(writable, bytes);
  if (!counted.reaches(eventlog::warn_percent)) return {};
  const bool short_of = counted.reaches(eventlog::shed_percent);
  return {{short_of, "disk", which.folder,
           "the disk of " + which.what + " '" + which.folder + "' has " + mib(free_bytes) + " of " +
               mib(bytes) + " free" + (short_of ? ", so that " + which.when_short : "") +
               ": make room on it"}};
}

machine_watch::machine_watch(machine_watch_config config) : config_(std::move(config)) {
  thread_ = std::thread{[this] { run(); }};
}

machine_watch::~machine_watch() {
  {
    const std::lock_guard lock{mutex_};
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

health::concerns machine_watch::concerns() const {
  const std::lock_guard lock{mutex_};
  return found_;
}

bool machine_watch::stops() const {
  const std::lock_guard lock{mutex_};
  return stop_;
}

void machine_watch::run() {
  std::unique_lock lock{mutex_};
  while (!stop_) {
    lock.unlock();
    look();
    lock.lock();
    changed_.wait_for(lock, period, [this] { return stop_; });
  }
}

void machine_watch::look_at_certificates(bool away) {
  certificates_.clear();
  const auto add = [&](const watched_certificate& one) {
    if (one.file.empty() || stops()) return;
    auto& out = certificates_.emplace_back(certificate_end{one.name, one.file, 0, {}});
    if (const auto end = access::end_of_certificates(one.file, one.role))
      out.end = *end;
    else
      out.fault = end.error().detail;
    // The file may have others besides the one in use.
    if (out.fault.empty() && !one.server.empty())
      if (const auto end = end_in_use(one); end != 0) out.end = end;
  };
  const auto& nats = config_.nats;
  add({"this client of NATS", nats.certificate_file, access::certificate_role::shown});
  add({nats_authorities, nats.ca_file, access::certificate_role::authorities});
  for (const auto& one : config_.certificates) add(one);
  const client_files files{nats.ca_file, nats.certificate_file, nats.key_file};
  std::size_t number = 0;
  std::int64_t authority_end = 0;
  for (const auto& server : addresses_of(nats.url)) {
    if (stops()) return;
    const auto shown = look_at_certificate(server, files, server_limit);
    ++number;
    // The connection tells when a server is away, and whoever is connected has trusted it.
    if (!shown || shown->end == 0) continue;
    if (const auto end = shown->authority_end;
        end != 0 && (authority_end == 0 || end < authority_end))
      authority_end = end;
    certificates_.push_back(
        {number == 1 ? "the NATS server" : "the NATS server " + std::to_string(number),
         server.text(), shown->end, away ? shown->fault : std::string{}});
  }
  if (authority_end == 0) return;
  for (auto& one : certificates_)
    if (one.name == nats_authorities && one.fault.empty()) one.end = authority_end;
}

health::concerns machine_watch::look_at_disks() {
  const auto probe = config_.probes->get<machine_probe>();
  health::concerns out;
  const auto judge = [&](const watched_disk& which, std::uint64_t free_bytes, std::uint64_t bytes,
                         std::uint64_t writable) {
    probe->set_disk(which.name, free_bytes, bytes,
                    eventlog::disk_fill(writable, bytes).percent_taken());
    for (auto& one : disk_concerns(which, free_bytes, bytes, writable))
      out.push_back(std::move(one));
  };
  if (const auto usage = config_.database->usage())
    judge(config_.own, usage->disk_free_bytes, usage->disk_bytes,
          usage->disk_free_bytes + usage->reusable_bytes());
  for (const auto& one : config_.disks) {
    std::error_code unknown;
    const auto room = std::filesystem::space(one.folder, unknown);
    if (unknown) continue;
    judge(one, room.available, room.capacity, room.available);
    if (one.seen) one.seen(room.available, room.capacity);
  }
  return out;
}

void machine_watch::look() {
  const auto& clock = system_clock_source();
  const auto now = clock.boot();
  const auto wall = std::chrono::floor<std::chrono::seconds>(clock.wall().time_since_epoch());
  const bool away = config_.connected && !config_.connected();
  // Why a connection was lost is told at once, and so is that it is back.
  const bool is_due = now >= next_certificates_ || away != was_away_;
  if (is_due) look_at_certificates(away);
  was_away_ = away;
  auto all = certificate_concerns(certificates_, wall.count());
  if (is_due) {
    const bool is_bad = away || std::ranges::any_of(all, &health::concern::bad);
    next_certificates_ = now + (is_bad ? certificates_pause_while_bad : certificates_pause);
  }
  const auto probe = config_.probes->get<machine_probe>();
  std::map<std::string, double> days;
  for (const auto& one : certificates_)
    if (one.end != 0)
      days[one.name] = static_cast<double>(one.end - wall.count()) / static_cast<double>(day);
  probe->set_days_left(std::move(days));
  for (auto& one : look_at_disks()) all.push_back(std::move(one));
  if (config_.more)
    for (auto& one : config_.more()) all.push_back(std::move(one));
  tell(all);
  const std::lock_guard lock{mutex_};
  found_ = std::move(all);
}

void machine_watch::tell(const health::concerns& all) {
  for (const auto& line : told_.look(all, system_clock_source().boot())) {
    if (line.gone)
      watch_logger.info("it is no longer so that " + line.what.text);
    else if (line.what.bad)
      watch_logger.error(line.what.text);
    else
      watch_logger.warning(line.what.text);
  }
}

}  // namespace argosy
