// SPDX-License-Identifier: Apache-2.0
// Names and numbers that mean one thing each: a queue's name cannot be passed for a cluster's, nor
// an agent's incarnation for an epoch.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace argosy::model {

template <class Kind>
class typed_name;

template <class Text>
inline constexpr bool is_typed_name = false;
template <class Kind>
inline constexpr bool is_typed_name<typed_name<Kind>> = true;
/// A text that is no name yet.
template <class Text>
concept plain_text =
    !is_typed_name<std::remove_cvref_t<Text>> && std::is_convertible_v<Text, std::string_view>;

/// The name of one kind of thing. It can be read as a text wherever one is wanted, but a text is
/// converted to it only explicitly, and a name of another kind not at all. A literal, which has no
/// kind yet, is a name of the kind that is wanted where it stands.
template <class Kind>
class typed_name {
 public:
  typed_name() = default;
  template <plain_text Text>
  explicit(!std::is_array_v<std::remove_reference_t<Text>> ||
           !std::is_const_v<std::remove_reference_t<Text>>) typed_name(Text&& text)
      : text_(std::forward<Text>(text)) {}

  [[nodiscard]] const std::string& str() const noexcept { return text_; }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  // These lose nothing but the kind.
  operator const std::string&() const noexcept { return text_; }  // NOLINT(google-explicit-*)
  operator std::string_view() const noexcept { return text_; }    // NOLINT(google-explicit-*)

  friend bool operator==(const typed_name&, const typed_name&) = default;
  friend auto operator<=>(const typed_name&, const typed_name&) = default;
  template <plain_text Text>
  friend bool operator==(const typed_name& name, const Text& text) noexcept {
    return name.text_ == std::string_view{text};
  }
  template <plain_text Text>
  friend std::strong_ordering operator<=>(const typed_name& name, const Text& text) noexcept {
    return std::string_view{name.text_} <=> std::string_view{text};
  }
  friend std::string operator+(std::string text, const typed_name& name) {
    return std::move(text += name.text_);
  }
  friend std::string operator+(const typed_name& name, std::string_view text) {
    return std::string{name.text_}.append(text);
  }
  friend std::ostream& operator<<(std::ostream& out, const typed_name& name) {
    return out << name.text_;
  }
  template <class Hash>
  friend Hash AbslHashValue(Hash before, const typed_name& name) {
    return Hash::combine(std::move(before), name.text_);
  }

 private:
  std::string text_;
};

using queue_name = typed_name<struct queue_kind>;
using cluster_name = typed_name<struct cluster_kind>;
using node_name = typed_name<struct node_kind>;
/// The name of a node among those of all clusters: "cluster/node".
using node_path = typed_name<struct node_path_kind>;
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

template <class Kind>
struct std::hash<argosy::model::typed_name<Kind>> {
  std::size_t operator()(const argosy::model::typed_name<Kind>& name) const noexcept {
    return std::hash<std::string>{}(name.str());
  }
};
