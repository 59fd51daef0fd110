// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/traces.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace argosy::witness {

std::vector<process_trace> parse_trace(std::string_view text) {
  std::vector<process_trace> out;
  // What stands behind the last newline was cut short.
  std::istringstream lines{std::string{text.substr(0, text.rfind('\n') + 1)}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    process_trace now;
    std::string what;
    if (!(words >> now.run >> now.token >> what >> now.first_ns)) continue;
    auto at = std::ranges::find_if(out, [&](const process_trace& known) {
      return known.run == now.run && known.token == now.token;
    });
    if (at == out.end()) {
      now.last_ns = now.first_ns;
      at = out.insert(at, now);
    }
    at->last_ns = std::max(at->last_ns, now.first_ns);
    at->ended = at->ended || what == "end";
  }
  return out;
}

traces read_traces(const std::filesystem::path& folder) {
  traces out;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    std::ifstream file{entry.path()};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    out.emplace(entry.path().filename().string(), parse_trace(text));
  }
  return out;
}

}  // namespace argosy::witness
