// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent configure the actor framework.
#pragma once

#include <algorithm>
#include <caf/actor_system_config.hpp>
#include <cstddef>
#include <thread>

namespace argosy {

struct actor_settings : caf::actor_system_config {
  actor_settings() {
    // A caf-application.ini in the working directory must not change anything.
    config_file_path.clear();
    // With the default policy, work stealing, idle workers poll and take 3 % of a core for nothing.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max<std::size_t>(2, std::thread::hardware_concurrency()));
  }
};

}  // namespace argosy
