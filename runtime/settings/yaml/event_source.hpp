// SPDX-License-Identifier: Apache-2.0
// This file declares event_source, which gives libyaml's events one at a time and puts its errors
// into words. Only the sources of the parser include it.
#pragma once

#include <yaml.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::yaml {

/// A place in a text. Line and column count from 1.
struct place {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Makes an error that reads "FILE:LINE:COLUMN: message".
[[nodiscard]] failure fail_in(const std::string& file, place where, std::string_view message);

class event_source {
 public:
  /// Both arguments must outlive it.
  event_source(std::string_view text, const std::string& file);
  ~event_source();
  event_source(const event_source&) = delete;
  event_source& operator=(const event_source&) = delete;

  /// Reads the next event. event() returns it until next() is called again.
  result<void> next();
  [[nodiscard]] const yaml_event_t& event() const noexcept { return event_; }
  [[nodiscard]] place where() const noexcept;

 private:
  void drop();
  [[nodiscard]] failure explain() const;
  [[nodiscard]] bool is_indenting_tab(place where) const;

  std::string_view text_;
  const std::string& file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool held_ = false;
};

}  // namespace argosy::yaml
