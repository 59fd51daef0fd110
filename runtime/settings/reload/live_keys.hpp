// SPDX-License-Identifier: Apache-2.0
// This file says which keys argosyd takes other values of while it runs, and how those of single
// pools are named.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::settings {

inline constexpr std::string_view pools_key = "scheduling.pools";

/// Whether the key, such as "scheduling.maxNewDecisions", may change while argosyd runs: rounds
/// alone read it, it says for how long ended jobs are kept, the web page alone reads it, or it says
/// by which names the HTTP endpoint may be called.
/// "scheduling.pools" is one of them.
[[nodiscard]] bool is_live(std::string_view path);

/// All of them in the order of files, but for "scheduling.pools", which has keys of its own.
[[nodiscard]] const std::vector<std::string>& live_keys();

/// The keys that a pool may have, in the order of files: "awayPools", "disableAway".
[[nodiscard]] const std::vector<std::string>& pool_keys();

/// A key of one pool.
struct pool_key {
  std::string pool;
  std::string key;
};

/// "scheduling.pools.gpu.disableAway".
[[nodiscard]] std::string name_of_pool_key(const std::string& pool, const std::string& key);

/// The parts of such a name; nothing if it is not below "scheduling.pools". Names of pools may have
/// dots, names of their keys have none. The key need not be one that there is.
[[nodiscard]] std::optional<pool_key> parse_pool_key(std::string_view name);

}  // namespace argosy::settings
