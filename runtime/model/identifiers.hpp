// SPDX-License-Identifier: Apache-2.0
// Names and numbers that mean one thing each: a queue's name cannot be passed for a cluster's, nor
// an agent's incarnation for an epoch.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace argosy::model {

/// The name of one kind of thing. A text is converted to it only explicitly.
template <class Kind>
class typed_name {
 public:
  typed_name() = default;
  explicit typed_name(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& str() const noexcept { return text_; }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }

  friend auto operator<=>(const typed_name&, const typed_name&) = default;

 private:
  std::string text_;
};

using queue_name = typed_name<struct queue_kind>;
using cluster_name = typed_name<struct cluster_kind>;
using node_name = typed_name<struct node_kind>;
using pool_name = typed_name<struct pool_kind>;
using gang_name = typed_name<struct gang_kind>;

/// A number of one kind. They are compared with one another only.
template <class Kind, class Raw = std::uint64_t>
struct typed_number {
  Raw value = 0;

  [[nodiscard]] constexpr typed_number next() const noexcept { return {value + 1}; }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return value == 0; }
  friend std::string to_string(typed_number number) { return std::to_string(number.value); }

  friend auto operator<=>(const typed_number&, const typed_number&) = default;
};

/// The number of a record in the log; 0 stands before the first.
using log_position = typed_number<struct log_position_kind>;

/// The position so many records farther on, or back.
constexpr log_position operator+(log_position at, std::uint64_t records) noexcept {
  return {at.value + records};
}
constexpr log_position operator-(log_position at, std::uint64_t records) noexcept {
  return {at.value - records};
}
/// How many records `from` has to go to get there.
constexpr std::uint64_t operator-(log_position to, log_position from) noexcept {
  return to.value - from.value;
}
constexpr log_position& operator++(log_position& at) noexcept {
  ++at.value;
  return at;
}
constexpr log_position& operator--(log_position& at) noexcept {
  --at.value;
  return at;
}

/// The number of a stream that the log was in; see eventlog::event_log::choose().
using log_generation = typed_number<struct log_generation_kind, std::uint32_t>;
/// The number of a leadership; 0 means that nobody leads.
using epoch = typed_number<struct epoch_kind>;
/// It tells two claims of one epoch apart; 0 where it is not known.
using claim_nonce = typed_number<struct claim_nonce_kind>;
/// One life of the agent of a cluster, see cluster_info::incarnation.
using incarnation = typed_number<struct incarnation_kind>;
/// A random number of an agent's process; 0 where it is not known.
using agent_process = typed_number<struct agent_process_kind>;
/// The number of a timer of an actor. The tick of any timer but the last one does nothing.
using timer_generation = typed_number<struct timer_generation_kind>;

}  // namespace argosy::model
