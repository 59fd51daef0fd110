// SPDX-License-Identifier: Apache-2.0
// The settings file of a simulated control plane, in which operators change how rounds decide.
#pragma once

#include <cstdint>
#include <memory>

#include "messages/native/settings.hpp"

namespace argosy::sim {

/// What the file says now.
class settings_file {
 public:
  /// Gives rounds other rules.
  void edit() { ++version_; }
  /// Its version counts from 1.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] native::round_settings_ptr rounds() const;

 private:
  std::uint64_t version_ = 1;
};

/// What a process takes from the file, which outlives it.
[[nodiscard]] std::shared_ptr<native::settings_source> read_settings(const settings_file& from);

}  // namespace argosy::sim
