// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent configure the actor framework.
#pragma once

#include <algorithm>
#include <caf/actor_system_config.hpp>
#include <caf/thread_hook.hpp>
#include <cstddef>
#include <thread>

#include "bins/shared/crash_page.hpp"

namespace argosy {

/// Lets a crash by an overflow of the stack be noted on every thread.
struct crash_hook final : caf::thread_hook {
  void init(caf::actor_system&) override {}
  void thread_started() override { prepare_thread_for_crash(); }
  void thread_terminates() override {}
};

struct actor_settings : caf::actor_system_config {
  actor_settings() {
    // A caf-application.ini in the working directory must not change anything.
    config_file_path.clear();
    // With the default policy, work stealing, idle workers poll and take 3 % of a core for nothing.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max<std::size_t>(2, std::thread::hardware_concurrency()));
    add_thread_hook<crash_hook>();
  }
};

}  // namespace argosy
