// SPDX-License-Identifier: Apache-2.0
// Turns argosy-agent's settings into the configurations of its parts.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/access/order_key.hpp"
#include "runtime/backends/backend.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/nats/settings.hpp"
#include "runtime/ledger/agent/executor_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/settings/agent_settings.hpp"

namespace argosy::agent {

using backend_maker =
    std::function<result<std::unique_ptr<backends::backend>>(backends::event_sink)>;

/// Until when this process may act, where it is one of several replicas; null where it is not.
using act_limit = std::function<boot_time()>;

/// Holds what a backend needs besides its settings.
struct backend_ground {
  std::filesystem::path runs;  ///< The folder of the runs.
  /// The id of the control plane that the agent belongs to; empty for none.
  std::string control_plane{};
  act_limit limit{};
  std::shared_ptr<metrics::board> probes;
};

/// The shim is looked for beside this program. Only backend kubernetes has replicas.
[[nodiscard]] result<backend_maker> make_backend_maker(const settings::agent_settings& from,
                                                       const backend_ground& ground);
[[nodiscard]] ledger::executor_config executor_rules(const settings::agent_settings& from);

/// Whose orders are obeyed; nothing if the credentials name no key, which the log then says.
[[nodiscard]] result<std::optional<access::order_checker>> make_order_checker(
    const settings::agent_settings& settings);

}  // namespace argosy::agent
