// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/status_json.hpp"

#include <cmath>
#include <sstream>
#include <utility>
#include <variant>

#include "runtime/logging/line.hpp"

namespace argosy::health {

namespace {

void write(std::ostream& out, double value) {
  // JSON has neither infinity nor "not a number".
  if (std::isfinite(value))
    out << value;
  else
    out << "null";
}

void write(std::ostream& out, const std::string& value) {
  out << logging::json_text(value);
}

void write(std::ostream& out, const metrics::figure_list& figures) {
  out << '{';
  for (const auto* mark = ""; const auto& figure : figures) {
    out << std::exchange(mark, ",") << logging::json_text(figure.name) << ':';
    std::visit([&](const auto& value) { write(out, value); }, figure.value);
  }
  out << '}';
}

}  // namespace

std::string status_json(const std::vector<metrics::part_status>& parts) {
  std::ostringstream out;
  constexpr int exact_digits = 17;
  out.precision(exact_digits);
  out << "{\"parts\":[";
  for (const auto* mark = "\n"; const auto& item : parts) {
    out << std::exchange(mark, ",\n") << "{\"part\":" << logging::json_text(item.part)
        << ",\"actors\":" << item.actors << ",\"silent\":" << item.silent << ",\"answers\":[";
    for (const auto* comma = ""; const auto& answer : item.answers) {
      out << std::exchange(comma, ",");
      write(out, answer);
    }
    out << "]}";
  }
  out << "\n]}\n";
  return std::move(out).str();
}

}  // namespace argosy::health
