// SPDX-License-Identifier: Apache-2.0
// The keys of the configuration, each stated once: where it stands in files, what it is, what it
// may be, and a sentence for people. Settings, SNAP1, the printed configuration and validate() all
// go by this table; a default is the member's initial value in config.hpp.
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
  heading,     ///< No key: a section, which the paths of its keys begin with.
  structured,  ///< Lists of structs; settings and SNAP1 write them in forms of their own.
  flag,        ///< bool.
  whole,       ///< uint64.
  number,      ///< double.
  rate,        ///< double, a second; infinite for no limit, which files write as 0.
  burst,       ///< double, of whole things; infinite for no limit, which files write as 0.
  duration,    ///< uint64, in nanoseconds; files hold whole milliseconds.
  text,        ///< string.
  texts,       ///< List of strings.
  fractions,   ///< Numbers by resource.
  choice,      ///< string: one of the key's names.
  choices,     ///< List of strings: some of the key's names, in their order of importance.
};

/// Who may set a key in files.
enum class key_scope : std::uint8_t {
  section,     ///< The section `scheduling`, for all pools.
  pools_too,   ///< The same, and each of its `pools` for itself, by the last part of the path.
  pools_only,  ///< Its `pools` alone.
  nobody,      ///< It follows from other keys; worlds in SNAP1 hold it.
};

/// The type depends on the key's kind.
using key_value =
    std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>, fraction_list>;

struct key {
  /// As in files, below `scheduling`: "eviction.probability".
  std::string_view path;
  key_kind kind = key_kind::heading;
  std::string_view doc;
  key_value (*read)(const key& self, const config& from) = nullptr;
  result<void> (*write)(const key& self, config& to, const key_value& value) = nullptr;
  /// Of choices, in the order in which they are explained.
  std::span<const std::string_view> names = {};
  /// Limits of a number, of each of the fractions, of a duration in nanoseconds, or of how many
  /// letters or choices there are.
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// What a whole number's member can hold.
  std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  key_scope scope = key_scope::section;

  /// Headings and structured keys have no value.
  [[nodiscard]] bool has_value() const { return read != nullptr; }
  [[nodiscard]] key_value get(const config& from) const { return read(*this, from); }
  /// Does not look at the limits. ec::invalid_argument for names that there are not.
  result<void> put(config& to, const key_value& value) const { return write(*this, to, value); }
  /// ec::invalid_argument says what is wrong, without the path: "must be at least 1s".
  [[nodiscard]] result<void> check(const key_value& value) const;
};

/// In the order in which files show them.
[[nodiscard]] std::span<const key> all_keys();
/// Null if there is none.
[[nodiscard]] const key* find_key(std::string_view path);
/// Whether presets differ in it.
[[nodiscard]] bool follows_preset(const key& which);

/// The names of the presets, in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> preset_names();

/// Each key by itself; ec::invalid_argument names it. Times may be shorter than files may say.
[[nodiscard]] result<void> check_keys(const config& conf);

}  // namespace argosy::scheduling
