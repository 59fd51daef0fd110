// SPDX-License-Identifier: Apache-2.0
// This file declares the numbers of a part as others read them: families of samples for /metrics,
// and figures for whoever asks one actor what it does.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace argosy::metrics {

/// A counter only grows while the process lives; a gauge goes up and down; a histogram counts
/// values by their size.
enum class family_kind : std::uint8_t { counter, gauge, histogram };

/// Names and values of labels. Both must come from closed lists: each combination is a time series.
using label_list = std::vector<std::pair<std::string, std::string>>;

struct sample {
  label_list labels;
  double value = 0;  ///< For a histogram, how many values there were.
  /// For a histogram, bounds, and how many values were not above each.
  std::vector<std::pair<double, std::uint64_t>> at_most{};
  double sum = 0;  ///< For a histogram, the sum of all values.
};

struct family {
  std::string name;
  std::string help;
  family_kind kind = family_kind::counter;
  std::vector<sample> samples;
};
using family_list = std::vector<family>;

/// Returns a family of gauges that has no sample yet.
[[nodiscard]] inline family gauge_family(std::string name, std::string help) {
  return {std::move(name), std::move(help), family_kind::gauge, {}};
}

/// One thing that an actor says of itself, such as {"appends_waiting", 3}.
struct figure {
  std::string name;
  std::variant<double, std::string> value;

  friend bool operator==(const figure&, const figure&) = default;
};
using figure_list = std::vector<figure>;

}  // namespace argosy::metrics
