// SPDX-License-Identifier: Apache-2.0
// This file declares the targets, which are functions that take arbitrary bytes. One source serves
// two programs: the tests, which change the seeds of each target at random (suite/), and
// libFuzzer (libfuzzer/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/result.hpp"

namespace argosy::fuzz {

/// What inputs consist of, so that changes of them often have a meaning.
enum class form : std::uint8_t {
  bytes,
  text,
  wire,  ///< A message of protobuf.
};

struct target {
  std::string name;
  form what = form::bytes;
  /// So many bytes before the input say which decoder takes it, or how.
  std::size_t choice_bytes = 0;
  /// Takes an input, which may be refused, and says whether it was taken. An exception, a crash and
  /// a broken promise are findings.
  std::function<bool(std::string_view)> take;
  std::function<std::vector<std::string>()> seeds;
  /// How many inputs the suite makes, some second of a processor.
  std::size_t inputs = 2'000;
  /// How many bytes of memory an input may take besides 400 for each of its own bytes.
  std::size_t memory_max = std::size_t{1} << 20;
};

/// All targets in the order of their names.
[[nodiscard]] std::vector<const target*> targets();

/// Makes a target known when the program begins.
class registered {
 public:
  explicit registered(target what);
};

/// Ends the program if a promise is broken, which `what` names.
void require(bool holds, std::string_view what);

/// Requires that a refusal says why. Always false.
bool refused(const error& why);

/// The choice and the rest of an input.
struct chosen {
  std::size_t which = 0;
  std::string_view rest{};
};
[[nodiscard]] chosen choose(std::string_view input, std::size_t count);
/// An input with its choice before it.
[[nodiscard]] std::string with_choice(std::size_t which, std::string_view rest);

/// The files in a folder of the tree, such as "config/examples", whose names end so.
[[nodiscard]] std::vector<std::string> files_in(const std::string& folder, std::string_view ending);
/// A file of the tree.
[[nodiscard]] std::string file_at(const std::string& path);

/// Requires that what was decoded is the same after it was encoded and decoded again. Maps have no
/// order in bytes, so that these are compared in the order of their values.
template <class Value, class Decode, class Encode>
bool comes_back(std::string_view input, Decode&& decode, Encode&& encode) {
  const result<Value> first = decode(input);
  if (!first) return refused(first.error());
  std::string once = encode(*first);
  const result<Value> second = decode(std::string_view{once});
  require(second.has_value(), "what was encoded does not decode");
  std::string again = encode(*second);
  std::sort(once.begin(), once.end());
  std::sort(again.begin(), again.end());
  require(once == again, "what was encoded decodes to something else");
  return true;
}

}  // namespace argosy::fuzz
