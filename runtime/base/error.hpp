// SPDX-License-Identifier: Apache-2.0
// The one error type of the product: a code that callers branch on, and a sentence for a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace argosy {

/// What kind of thing went wrong. A code exists only where some caller reacts differently to it.
enum class ec : std::uint8_t {
  none = 0,
  invalid_argument,  ///< The input is wrong; the sender must change it.
  not_found,         ///< The named thing does not exist.
  already_exists,    ///< The named thing exists and must not.
  conflict,       ///< Another state or body than the caller assumed (ids, versions, incarnations).
  denied,         ///< Not authenticated, or not permitted.
  unreachable,    ///< No connection to the peer.
  no_responders,  ///< Connected, but nobody serves the subject.
  timeout,        ///< No answer in time; whether it took effect is unknown.
  too_large,      ///< Over a limit on size or count.
  overloaded,     ///< Shed; try again later.
  out_of_space,   ///< Disk, map or stream is full.
  corrupt,        ///< Stored or received bytes do not make sense.
  fenced,         ///< A higher epoch leads; this process must stop leading.
  cancelled,      ///< The caller, or a shutdown, gave up.
  unavailable,    ///< Not now: starting, recovering or stopping.
  internal,       ///< A defect of ours or a failure of the machine.
};

/// The code's name as it stands in logs and messages, for example "not_found".
[[nodiscard]] std::string_view to_string(ec code) noexcept;

/// The code of a name that to_string() gave; ec::internal for any other.
[[nodiscard]] ec parse_ec(std::string_view name) noexcept;

/// A code with one sentence that names the place and, where there is one, the fix.
struct error {
  ec code = ec::internal;
  std::string detail;

  friend bool operator==(const error&, const error&) = default;
};

/// "not_found: queue 'a' does not exist".
[[nodiscard]] std::string to_string(const error& err);

}  // namespace argosy
