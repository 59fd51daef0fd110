// SPDX-License-Identifier: Apache-2.0
// The format of the small files in a run's folder: "name=value" items, each ended by a zero byte,
// closed by the item "end=". Values may hold anything but zero bytes, which neither arguments nor
// environments can hold either, so nothing needs escaping. Written and read by the process backend
// and argosy-shim.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::backends {

/// The items of a file. Names may repeat, and their order is kept.
class field_list {
 public:
  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, std::int64_t value);

  /// The first value of the name.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;
  /// The first value of the name as a decimal number; nothing if it is none.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;

  /// Fails with ec::invalid_argument, naming the item that has a zero byte.
  [[nodiscard]] result<std::string> encode() const;
  /// Fails with ec::corrupt for anything that encode() would not write, also for a file that was
  /// cut short.
  [[nodiscard]] static result<field_list> decode(std::string_view bytes);

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

}  // namespace argosy::backends
