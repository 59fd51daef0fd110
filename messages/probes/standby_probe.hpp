// SPDX-License-Identifier: Apache-2.0
// The standby_probe knows which control plane processes wait for the lead. They say so themselves
// when they ask who leads, and each shows itself, so that it is seen when nobody leads. One that
// was not heard for some seconds has gone.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/metrics/probe.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/model/plane.hpp"

namespace argosy::probes {

/// One that waits.
struct standby {
  std::string holder;   ///< Its host and process.
  std::string problem;  ///< Why it could not take over now; empty: it could.
  /// The last record of the log that its store has; nothing: it does not follow the log.
  std::optional<model::log_position> applied{};
  model::plane plane{};
};

class standby_probe final : public metrics::probe {
 public:
  /// They ask every quarter of a second, and give an answer a second.
  static constexpr std::chrono::seconds silence_max{5};
  /// How many are kept; there are one or two.
  static constexpr std::size_t standbys_max = 20;

  /// The clock must outlive the probe.
  explicit standby_probe(const clock_source& clock) : probe("standby"), clock_(clock) {}

  void heard(standby one);
  /// It waits no more, since it leads.
  void left(const std::string& plane);
  /// Those that wait now.
  [[nodiscard]] std::vector<standby> all() const;

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  const clock_source& clock_;
  struct known_standby {
    standby last;
    boot_time heard_at{};
  };

  mutable std::mutex mutex_;
  std::map<std::string, known_standby> known_;  ///< By data directory; guarded by mutex_.
};

}  // namespace argosy::probes
