// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "bins/argosy-agent/agent.hpp"
#include "bins/argosy-agent/options.hpp"
#include "bins/shared/config_warnings.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/standard_files.hpp"

/// jemalloc reads its options from this variable before main() begins. Two arenas, which give
/// memory back after a second, keep an agent with 5,000 pods 4 to 8 MiB smaller than what is
/// usual for jemalloc; an agent has few threads that allocate at the same time.
extern "C" const char* const malloc_conf = "narenas:2,dirty_decay_ms:1000";

namespace {

/// Does what was chosen and returns the exit code.
int carry_out(int argc, char** argv) {
  using namespace argosy;
  const auto chosen = agent::read_options(argc, argv);
  if (!chosen) return chosen.error().code;
  switch (chosen->what) {
    case agent::command::serve:
      return agent::serve(*chosen);
    case agent::command::config_print:
      std::cout << settings::print_effective(chosen->settings);
      return 0;
    case agent::command::config_check:
      print_check(chosen->settings);
      return 0;
  }
  return failure_code;
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  return argosy::after_output("argosy-agent", carry_out(argc, argv));
}
