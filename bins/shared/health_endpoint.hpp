// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent start to serve metrics and health.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/result.hpp"
#include "runtime/health/health_server.hpp"

namespace argosy {

/// Starts the endpoint; returns nothing when `config.listen` is "off". With port 0 it takes the
/// port that `port_file` names, as long as that is free. It writes its port into the file, so that
/// whoever collects the metrics finds them again after a restart. An error says what to set.
[[nodiscard]] result<std::unique_ptr<health::server>> serve_health(
    health::server_config config, const std::filesystem::path& port_file);

}  // namespace argosy
