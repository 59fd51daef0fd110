// SPDX-License-Identifier: Apache-2.0
// The plane_probe knows which planes decide together and which of them are not heard, so that it
// can be said before the next loss whether that one will need a person.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/metrics/probe.hpp"
#include "runtime/model/plane.hpp"

namespace argosy::probes {

/// What whoever leads knows of the planes that decide together, itself among them.
struct plane_facts {
  std::vector<model::plane> named{};
  std::vector<model::plane> silent{};  ///< Those that are not heard.

  bool operator==(const plane_facts&) const = default;
};

/// What somebody should look after, as in health::concern.
struct plane_warning {
  bool bad = false;  ///< Nothing is accepted; otherwise the next loss may need a person.
  std::string text;  ///< A sentence without its full stop.
};

/// Nothing if no single loss needs a person.
[[nodiscard]] std::optional<plane_warning> warning_of(const plane_facts& facts);

class plane_probe final : public metrics::probe {
 public:
  plane_probe() : probe("planes") {}

  void set(plane_facts facts);
  /// Nothing while this process does not lead, or does not decide together with others.
  [[nodiscard]] std::optional<plane_facts> facts() const;

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  mutable std::mutex mutex_;
  std::optional<plane_facts> facts_;  ///< Guarded by mutex_.
};

}  // namespace argosy::probes
