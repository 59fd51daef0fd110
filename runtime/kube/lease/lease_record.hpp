// SPDX-License-Identifier: Apache-2.0
// A Lease object of coordination.k8s.io/v1, by which processes agree who of them acts. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::kube {

struct lease_record {
  std::string holder{};                   ///< Empty: nobody holds it.
  std::chrono::milliseconds duration{0};  ///< How long others have to wait; 0 if it says nothing.
  std::int64_t transitions = 0;           ///< How often another holder took it.
  std::string released_by{};              ///< Who gave it up; empty if it was not given up.
  std::string uid{};                      ///< Which object of the name it is.
  std::string version{};                  ///< Changes with every change of the object.
  nlohmann::json object = nlohmann::json::object();  ///< All of it, with what others added.
};

/// Reads the object of an answer; ec::corrupt if it is none.
[[nodiscard]] result<lease_record> read_lease(std::string_view body);

/// What is written into the object.
struct lease_claim {
  std::string holder{};
  std::chrono::milliseconds duration{0};
  std::int64_t transitions = 0;
  std::string released_by{};
  bool acquires = false;  ///< The time of taking it is written as well.
};

/// The request that makes the object. `wall` is written for people; nobody reads it again.
[[nodiscard]] request create_lease(const std::string& name_space, const std::string& name,
                                   const lease_claim& claim, wall_time wall);
/// The request that changes the object, unless somebody has changed it since it was read.
[[nodiscard]] request update_lease(const std::string& name_space, const std::string& name,
                                   const lease_record& from, const lease_claim& claim,
                                   wall_time wall);
[[nodiscard]] request get_lease(const std::string& name_space, const std::string& name);

}  // namespace argosy::kube
