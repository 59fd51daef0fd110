// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent begin to serve metrics and health.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/result.hpp"
#include "runtime/health/health_server.hpp"

namespace argosy {

/// Starts the endpoint; nothing when `config.listen` is "off". With port 0 it takes the port that
/// `port_file` names, as long as that is free, and writes the one that it has into the file, so
/// that whoever collects the metrics finds them again after a restart. The error says what to set.
[[nodiscard]] result<std::unique_ptr<health::server>> serve_health(
    health::server_config config, const std::filesystem::path& port_file);

}  // namespace argosy
