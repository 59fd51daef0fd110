// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "bins/argosy-agent/agent.hpp"
#include "bins/argosy-agent/options.hpp"
#include "bins/shared/ending.hpp"

int main(int argc, char** argv) {
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
      std::cout << "the configuration is valid\n";
      return 0;
  }
  return failure_code;
}
