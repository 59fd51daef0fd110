// SPDX-License-Identifier: Apache-2.0
// This file declares what an agent stands on before its actors begin: its data directory with the
// store, and the connection to the nats-server.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/model/node.hpp"
#include "runtime/settings/agent_settings.hpp"
#include "runtime/store/data_dir.hpp"
#include "runtime/store/database.hpp"
#include "runtime/trace/finished_span.hpp"

namespace argosy::agent {

/// The seams on which the actors stand.
struct ground {
  std::optional<store::data_dir> dir;
  std::filesystem::path runs;
  std::shared_ptr<store::database> database;
  std::string url;
  std::shared_ptr<bus::connection> connection;

  result<void> open(const settings::agent_settings& settings);
  /// Tries until there is a server. Returns false if the process is to stop instead.
  result<bool> connect(const settings::agent_settings& settings);
};

/// Notes in the data directory which backend the agent has, and the name of its cluster. Fails with
/// ec::conflict while `open` runs were begun by another backend, since this one would take them for
/// lost and they may live, or under another name, since nobody would hear of them any more.
[[nodiscard]] result<void> note_owner(const std::filesystem::path& data_dir,
                                      const model::cluster_info& cluster, std::ptrdiff_t open);

/// Sends spans of this process to the control plane. Spans that do not arrive are lost.
void ship_spans(bus::connection& connection, const std::string& cluster,
                const std::vector<trace::finished_span>& spans);

/// An agent that is told nothing takes what this user has for the server, such as one that
/// `argosyd --dev` brought along. They are settings from then on, and hidden from runs as such.
void take_kept_credentials(settings::nats_settings& nats);

}  // namespace argosy::agent
