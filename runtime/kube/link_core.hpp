// SPDX-License-Identifier: Apache-2.0
// Decides whether an API server answers. Watches say nothing of that: they stay silent for minutes
// in a quiet cluster, and a server without its store goes on to send bookmarks. So the server is
// asked whether it is ready whenever nothing was heard of it for a while. Pure: times are
// CLOCK_BOOTTIME, given by the caller.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/clock.hpp"

namespace argosy::kube {

struct link_rules {
  /// Nothing was answered for so long: the server is asked.
  boot_time probe_after = std::chrono::seconds{2};
  /// How long the answer may take.
  boot_time probe_within = std::chrono::seconds{6};
  /// Nothing was answered for so long: the server is away.
  boot_time silence_max = std::chrono::seconds{8};
};

struct link_step {
  bool probe = false;  ///< The server has to be asked, and probed() be told what came of it.
  /// Set once when the server is away: since when nothing is known of the cluster.
  std::optional<boot_time> lost{};
  bool back = false;  ///< True once when it answers again.
};

class link_core {
 public:
  link_core(const link_rules& rules, boot_time now) : rules_(rules), heard_(now) {}

  /// Some request was answered. That ends no absence: a link on which one request in ten is
  /// answered, or each after a minute, is none on which jobs can be begun.
  void heard(boot_time now);
  /// The probe was answered, or not: `why` says so as the end of a clause for people.
  void probed(bool is_ready, std::string why, boot_time now);
  /// The server answers, but cannot be used: it is away from the next tick on, until a probe is
  /// answered.
  void expel(std::string why);

  [[nodiscard]] link_step tick(boot_time now);
  [[nodiscard]] boot_time next_due() const;

  [[nodiscard]] bool is_away() const noexcept { return away_; }
  /// When it answered last.
  [[nodiscard]] boot_time heard_at() const noexcept { return heard_; }
  /// What became of the last probe that failed, as the end of a clause: "does not answer".
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  [[nodiscard]] boot_time lost_at() const;

  link_rules rules_;
  boot_time heard_;
  std::optional<boot_time> asked_;  ///< When the probe that is under way was sent.
  boot_time probe_due_{};
  bool failed_ = false;  ///< A probe has failed since the server was heard.
  bool expelled_ = false;
  bool away_ = false;
  bool ready_ = false;  ///< A probe was answered while the server was away.
  std::string why_;
};

}  // namespace argosy::kube
