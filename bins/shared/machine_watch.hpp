// SPDX-License-Identifier: Apache-2.0
// A machine_watch looks, on a thread of its own, at what a process needs of its surroundings: room
// on the disk of its data directory, certificates, and whatever else its program adds. What needs
// somebody's care is told in the log and by concerns(), and shown on a board of probes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bins/shared/concern_log.hpp"
#include "runtime/access/certificate.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/settings/shared_settings.hpp"
#include "runtime/store/database.hpp"

namespace argosy {

/// The size as concerns tell it: "12 MiB".
[[nodiscard]] std::string mib(std::uint64_t bytes);

/// A file with certificates that somebody has to replace in time.
struct watched_certificate {
  std::string name;  ///< For people and as a label: "the gRPC port".
  std::string file;
  access::certificate_role role = access::certificate_role::shown;
  /// The URL of a server with HTTPS whose certificate one of the authorities has signed, by which
  /// it is known which one is in use; empty: none is asked.
  std::string server{};
};

/// What is known of the end of a certificate.
struct certificate_end {
  std::string name;
  std::string place;     ///< The file, or the address of the server that shows it.
  std::int64_t end = 0;  ///< Unix seconds; 0: not known.
  std::string fault;     ///< Why it cannot be used; may be empty.
};

/// What is to be said of certificates at a Unix time in seconds: from three weeks before their end
/// on, that they end, and afterwards that they have.
[[nodiscard]] health::concerns certificate_concerns(const std::vector<certificate_end>& all,
                                                    std::int64_t now);

/// A folder whose disk is to have room.
struct watched_disk {
  std::string name;  ///< As a label: "data".
  std::string what;  ///< For people: "the data directory".
  std::string folder;
  std::string when_short;  ///< What happens when there is little room, as a clause.
  /// Hears at each look what is free on the disk and its size; may be empty.
  std::function<void(std::uint64_t free_bytes, std::uint64_t bytes)> seen{};
};

/// What is to be said of a disk; nothing while there is plenty. All are bytes; `writable` is what
/// is free and what was freed in files and can be used again.
[[nodiscard]] health::concerns disk_concerns(const watched_disk& which, std::uint64_t free_bytes,
                                             std::uint64_t bytes, std::uint64_t writable);

/// What /metrics shows of the machine.
struct machine_probe final : metrics::probe {
  machine_probe() : probe("machine") {}

  /// Shows a disk by what lies on it: "data" is the data directory. `percent` is how full it counts
  /// as.
  void set_disk(const std::string& name, std::uint64_t free_bytes, std::uint64_t bytes,
                std::uint64_t percent) {
    const std::lock_guard lock{mutex_};
    disks_[name] = {free_bytes, bytes, percent};
  }
  /// Shows the days until each certificate ends, below 0 when it has, by what it is for.
  void set_days_left(std::map<std::string, double> days) {
    const std::lock_guard lock{mutex_};
    days_left_ = std::move(days);
  }

 protected:
  void collect(metrics::family_list& out) const override {
    auto free = metrics::gauge_family("argosy_disk_free_bytes",
                                      "What a disk has free for this process, by what lies on it.");
    auto bytes = metrics::gauge_family("argosy_disk_bytes", "The size of a disk.");
    auto used = metrics::gauge_family(
        "argosy_disk_used_percent",
        "How full a disk counts as: of a large one, only the last 2 GiB do; when that of the data "
        "directory or of the log is at 85, new commands are refused.");
    auto days = metrics::gauge_family("argosy_certificate_days_left",
                                      "Days until a certificate ends; below 0: it has ended.");
    const std::lock_guard lock{mutex_};
    for (const auto& [name, disk] : disks_) {
      free.samples.push_back({{{"disk", name}}, static_cast<double>(disk.free_bytes)});
      bytes.samples.push_back({{{"disk", name}}, static_cast<double>(disk.bytes)});
      used.samples.push_back({{{"disk", name}}, static_cast<double>(disk.percent)});
    }
    for (const auto& [name, left] : days_left_)
      days.samples.push_back({{{"certificate", name}}, left});
    for (auto* family : {&free, &bytes, &used, &days}) out.push_back(std::move(*family));
  }

 private:
  struct disk_seen {
    std::uint64_t free_bytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t percent = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, disk_seen> disks_;  ///< Guarded by mutex_, as the next.
  std::map<std::string, double> days_left_;
};

struct machine_watch_config {
  watched_disk own;  ///< That of the data directory, on which `database` lies.
  std::shared_ptr<store::database> database;
  std::vector<watched_disk> disks;  ///< Others.
  settings::nats_settings nats;
  std::vector<watched_certificate> certificates;  ///< Besides those of `nats`.
  /// Whether there is a connection to the nats-server. While there is none, what may be wrong with
  /// its certificate is looked for.
  std::function<bool()> connected;
  /// Further concerns; may be empty. Called on the thread of the watch, every few seconds.
  std::function<health::concerns()> more;
  std::shared_ptr<metrics::board> probes;
};

class machine_watch {
 public:
  explicit machine_watch(machine_watch_config config);
  ~machine_watch();
  machine_watch(const machine_watch&) = delete;
  machine_watch& operator=(const machine_watch&) = delete;

  /// What was found at the last look; any thread may ask.
  [[nodiscard]] health::concerns concerns() const;

 private:
  [[nodiscard]] bool stops() const;
  void run();
  void look();
  void look_at_certificates(bool away);
  [[nodiscard]] health::concerns look_at_disks();
  void tell(const health::concerns& all);

  const machine_watch_config config_;
  concern_log told_;
  std::vector<certificate_end> certificates_;
  boot_time next_certificates_{};
  bool was_away_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  health::concerns found_;  ///< Guarded by mutex_, as the next.
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace argosy
