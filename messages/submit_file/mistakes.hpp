// SPDX-License-Identifier: Apache-2.0
// This file declares the two lists of what is found in one file: the mistakes for which it is
// refused, and remarks about values that are accepted and surely not meant. Both are short, however
// large the file is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

/// Puts the place in the file before the error of an outcome that has none.
[[nodiscard]] result<void> told_at(const yaml::node& where, result<void> outcome);

/// Collects mistakes until there are enough of them.
class mistake_list {
 public:
  static constexpr std::size_t mistakes_max = 20;

  explicit mistake_list(std::string file_name) : file_(std::move(file_name)) {}

  /// Adds a mistake, whose text begins with its place in the file, unless it is there already: a
  /// value that is repeated has its mistake in one place only.
  void add(const error& mistake);
  /// Adds the error of an outcome that is one. Returns whether the outcome was good.
  bool note(const result<void>& outcome);

  [[nodiscard]] bool empty() const noexcept { return mistakes_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return mistakes_.size(); }
  /// The mistake that was added last. There must be one.
  [[nodiscard]] error latest() const { return {code_, mistakes_.back().text}; }
  /// Whether it is time to stop looking for more.
  [[nodiscard]] bool full() const noexcept { return mistakes_.size() >= mistakes_max; }

  /// All mistakes as one error, a line each, in the order of the file. There must be one.
  [[nodiscard]] failure to_failure() const;

 private:
  struct mistake {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string text;
  };

  std::string file_;
  std::vector<mistake> mistakes_;
  ec code_ = ec::invalid_argument;
};

/// Collects remarks. Equal ones are told once, with the first place and their number.
class remark_list {
 public:
  static constexpr std::size_t remarks_max = 20;

  void add(const yaml::node& where, std::string_view text);

  /// The remarks as lines "FILE:LINE:COLUMN: text", in the order of the file.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct remark {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string place;
    std::string text;
    std::size_t times = 0;
  };

  std::vector<remark> remarks_;
};

}  // namespace argosy::submit_file
