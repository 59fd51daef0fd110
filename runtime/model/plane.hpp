// SPDX-License-Identifier: Apache-2.0
// A plane is a process of the control plane with its store.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/model/identifiers.hpp"

namespace argosy::model {

struct plane {
  std::string id;     ///< Random, and made with the store.
  std::string place;  ///< "HOST:DATADIR", for people to read. A place has one plane.

  friend bool operator==(const plane&, const plane&) = default;
};

/// Names one record of the log: another one that stands at its position has another hash.
struct record_name {
  model::epoch epoch{};
  log_position position{};
  std::uint64_t hash = 0;

  friend bool operator==(const record_name&, const record_name&) = default;
};

}  // namespace argosy::model
