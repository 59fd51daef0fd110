// SPDX-License-Identifier: Apache-2.0
// The keys of the configuration, each stated once: its path in files, its kind, its limits, and a
// sentence for people. Settings, SNAP1, the printed configuration and validate() all read this
// table. A default is the member's initial value in config.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/config.hpp"

namespace argosy::scheduling {

enum class key_kind : std::uint8_t {
  heading,     ///< Not a key but a section: the paths of its keys begin with its path.
  structured,  ///< A list of structs, which settings and SNAP1 write in forms of their own.
  flag,        ///< bool.
  whole,       ///< uint64.
  number,      ///< double.
  rate,        ///< double, per second; infinite means no limit, which files write as 0.
  burst,       ///< double with a whole value; infinite means no limit, which files write as 0.
  duration,    ///< uint64, in nanoseconds; files hold whole milliseconds.
  text,        ///< string.
  texts,       ///< List of strings.
  fractions,   ///< One number for each resource named.
  choice,      ///< string: one of the key's names.
  choices,     ///< List of strings: some of the key's names, in their order of importance.
};

/// Who may set a key in files.
enum class key_scope : std::uint8_t {
  section,  ///< The section `scheduling`, for all pools.
  /// The section `scheduling`, and each of its `pools` under the last part of the path.
  pools_too,
  pools_only,  ///< Only the `pools` of that section.
  nobody,      ///< Nobody: the key follows from other keys. Only worlds in SNAP1 hold it.
};

/// The value of a key. Its type depends on the key's kind.
using key_value =
    std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>, fraction_list>;

struct key {
  /// The path in files below `scheduling`, for example "eviction.probability".
  std::string_view path;
  key_kind kind = key_kind::heading;
  std::string_view doc;
  key_value (*read)(const key& self, const config& from) = nullptr;
  result<void> (*write)(const key& self, config& to, const key_value& value) = nullptr;
  /// The names of the choices, in the order in which they are explained.
  std::span<const std::string_view> names = {};
  /// The limits of a number, of each fraction, of a duration in nanoseconds, or of the number of
  /// letters or choices.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// The largest number that the member of a whole number can hold.
  std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  key_scope scope = key_scope::section;
  /// Whether the key is read when the process starts and not only by rounds: the snapshot is built
  /// by it, or jobs are completed by it. Such a key cannot change while the process runs.
  bool at_start = false;

  /// Headings and structured keys have no value.
  [[nodiscard]] bool has_value() const { return read != nullptr; }
  [[nodiscard]] key_value get(const config& from) const { return read(*this, from); }
  /// Sets the key without looking at the limits. Fails with ec::invalid_argument for unknown names.
  result<void> put(config& to, const key_value& value) const { return write(*this, to, value); }
  /// Fails with ec::invalid_argument, whose message says what is wrong without the path: "must be
  /// at least 1s".
  [[nodiscard]] result<void> check(const key_value& value) const;
};

/// All keys, in the order in which files show them.
[[nodiscard]] std::span<const key> all_keys();
/// The key with this path; null if there is none.
[[nodiscard]] const key* find_key(std::string_view path);
/// Whether presets differ in the key.
[[nodiscard]] bool follows_preset(const key& which);

/// The names of the presets, in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> preset_names();

/// Checks each key by itself; the message of ec::invalid_argument names the key. Times may be
/// shorter than files may say.
[[nodiscard]] result<void> check_keys(const config& conf);

}  // namespace argosy::scheduling
