// SPDX-License-Identifier: Apache-2.0
// A record of the audit trail: a call of the API that changed something, or was to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/model/identifiers.hpp"

namespace argosy::model {

/// What became of a call besides "ok" and the names of errors.
namespace call_outcome {
inline constexpr std::string_view ok = "ok";
/// The process ended before the call was answered, so that nobody knows what became of it.
inline constexpr std::string_view unanswered = "unanswered";
/// The record stands for calls that were only counted.
inline constexpr std::string_view left_out = "left_out";
}  // namespace call_outcome

/// The event and the record of the view. Its time is when the call was answered.
struct call_recorded {
  std::uint64_t number = 0;  ///< One higher than that of the record before.
  std::string user{};        ///< Who called; empty: several callers.
  /// How the caller showed who he is, as access::scheme has it: "basic".
  std::string proof{};
  std::string via{};     ///< The transport: "nats", "grpc" or "rest".
  std::string peer{};    ///< The address of the other end; empty: the transport has none.
  std::string method{};  ///< "Service.Method"; empty: calls that were left out.
  std::string outcome{};
  std::string detail{};  ///< The sentence of the error, or what was not done.
  // What the request names; empty or 0 where it names nothing.
  model::queue_name queue{};
  std::string job_set{};
  model::cluster_name cluster{};
  model::node_name node{};
  std::uint64_t jobs = 0;
  std::string summary{};       ///< What else matters of the request, in a few words.
  std::uint64_t left_out = 0;  ///< How many calls were left out.

  friend bool operator==(const call_recorded&, const call_recorded&) = default;
};

}  // namespace argosy::model
