// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "bins/argosyd/init.hpp"
#include "bins/argosyd/options.hpp"
#include "bins/argosyd/server.hpp"
#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/check.hpp"
#include "bins/argosyd/upkeep/recover.hpp"
#include "bins/version.hpp"

int main(int argc, char** argv) {
  using namespace argosy;
  const auto chosen = argosyd::read_options(argc, argv);
  if (!chosen) return chosen.error().code;
  switch (chosen->what) {
    case argosyd::command::serve:
      return argosyd::serve(*chosen);
    case argosyd::command::recover:
      return argosyd::recover_log(*chosen);
    case argosyd::command::check:
      return argosyd::check_store_and_log(*chosen);
    case argosyd::command::backup:
      return argosyd::back_up(*chosen);
    case argosyd::command::config_print:
      std::cout << settings::print_effective(chosen->settings);
      return 0;
    case argosyd::command::config_check:
      std::cout << "the configuration is valid\n";
      return 0;
    case argosyd::command::init:
      return argosyd::init(chosen->init);
    case argosyd::command::version:
      std::cout << "argosyd " << version_text << " (" << commit_text << ")\n";
      return 0;
  }
  return 1;
}
