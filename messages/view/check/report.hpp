// SPDX-License-Identifier: Apache-2.0
// This file declares what a check of the store and the log has found. It is pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/store/table.hpp"

namespace argosy::view {

/// One fault.
struct finding {
  std::string place;  ///< "table NAME", or the log and its generation.
  std::string key;    ///< The key or position of the record, readable for people; may be empty.
  std::string fault;  ///< A sentence without a full stop.
  std::string fix;    ///< What an operator does about it, in a sentence.

  friend bool operator==(const finding&, const finding&) = default;
};

class check_report {
 public:
  /// How many faults of one place are kept; all are counted.
  static constexpr std::size_t told_max = 10;

  void add(finding found);
  /// Adds a fault of the store, whose fix is to make the store anew.
  void add(store::table in, std::string_view key, std::string fault);
  /// Says in a sentence what was looked at.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  [[nodiscard]] const std::vector<finding>& findings() const noexcept { return findings_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }
  /// How many faults there are, with those that are not kept.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::vector<finding> findings_;
  std::vector<std::string> notes_;
  std::map<std::string, std::size_t> by_place_;
  std::size_t count_ = 0;
};

/// A key for people: its text if it is one, otherwise its bytes in hexadecimal digits.
[[nodiscard]] std::string readable_key(std::string_view key);

/// Returns the number and the word that fits, such as "1 job" or "2 jobs".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace argosy::view
