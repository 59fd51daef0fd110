// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/server_limits.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <vector>

#include "runtime/access/server_lines.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/base/text.hpp"

namespace argosy::access {

namespace {

/// A connection takes some 50 KB of the server, and a process of ours has one or two.
constexpr int connections_max = 8'192;
/// No process of ours has more than 30; whoever steals a key shall not fill the server's memory.
constexpr int subscriptions_max = 200;

struct limit {
  std::string_view name;
  std::string_view short_name;  ///< Another name by which a nats-server knows it.
  std::string line;
};

std::vector<limit> limits() {
  return {{"max_connections", "max_conn", connections_line()},
          {"max_subscriptions", "max_subs",
           "max_subscriptions: " + std::to_string(subscriptions_max) + "  # of one connection\n"},
          {"max_pending", "", std::string{max_pending_line}}};
}

/// Lines that older versions wrote, as they stand in the file. They are no limits of today, or have
/// other values.
constexpr std::array<std::string_view, 4> older_lines{
    "max_subscriptions: 1000  # of one connection",
    "max_pending: 536870912  # Until then he holds nobody up.",
    "max_pending: 536870912  # Until then who does not read holds nobody up.",
    "write_deadline: \"4s\"  # Whoever does not read is closed."};

constexpr std::string_view store_begin = "jetstream { store_dir: ";
constexpr std::string_view store_end = " }";

/// The key with which a line begins, in lower case.
std::string key_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return lower_case(line.substr(0, line.find_first_of(" \t:=\"'{#")));
}

struct looked_at {
  std::vector<std::string> kept;            ///< The lines without those of older versions.
  std::vector<std::string> older;           ///< The keys and values of those.
  std::set<std::string, std::less<>> keys;  ///< Those of the lines that are kept.
  bool includes_others = false;             ///< A limit may stand in another file.

  [[nodiscard]] bool has_older(const limit& one) const {
    return std::ranges::any_of(older, [&](const auto& line) { return line.starts_with(one.name); });
  }
};

looked_at look_at(std::string_view conf) {
  looked_at out;
  std::istringstream in{std::string{conf}};
  for (std::string line; std::getline(in, line);) {
    if (std::ranges::find(older_lines, line) != older_lines.end()) {
      out.older.push_back(line.substr(0, line.find("  #")));
      continue;
    }
    if (line.starts_with(store_begin) && line.ends_with(store_end) &&
        line.find("max_file") == std::string::npos) {
      out.older.emplace_back("no max_file_store");
      line.insert(line.size() - store_end.size(), store_bound);
    }
    auto key = key_of(line);
    out.includes_others =
        out.includes_others || (key == "include" && line.find(accounts_file) == std::string::npos);
    if (!key.empty()) out.keys.insert(std::move(key));
    out.kept.push_back(std::move(line));
  }
  return out;
}

/// The limits that the configuration has not, unless it may have them elsewhere.
std::vector<limit> missing_of(const looked_at& conf) {
  auto out = limits();
  std::erase_if(out, [&](const limit& one) {
    return !conf.has_older(one) && (conf.includes_others || conf.keys.contains(one.name) ||
                                    conf.keys.contains(one.short_name));
  });
  return out;
}

}  // namespace

std::string connections_line() {
  return "max_connections: " + std::to_string(connections_max) + "\n";
}

std::string limit_lines() {
  std::string out;
  for (const auto& one : limits()) out += one.line;
  return out;
}

std::string older_limits(std::string_view conf) {
  const auto found = look_at(conf);
  auto parts = found.older;
  for (const auto& one : missing_of(found))
    if (!found.has_older(one)) parts.push_back("no " + std::string{one.name});
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::optional<std::string> with_limits(std::string_view conf) {
  const auto found = look_at(conf);
  const auto missing = missing_of(found);
  if (missing.empty() && found.older.empty()) return std::nullopt;
  std::string out;
  bool added = false;
  const auto add = [&] {
    if (!added)
      for (const auto& one : missing) out += one.line;
    added = true;
  };
  for (const auto& line : found.kept) {
    // They stand before the blocks, as in a file that is written today.
    if (line.starts_with("jetstream")) add();
    out += line + "\n";
  }
  add();
  return out;
}

}  // namespace argosy::access
