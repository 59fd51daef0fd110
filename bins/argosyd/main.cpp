// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "bins/argosyd/diagnostics.hpp"
#include "bins/argosyd/init/init.hpp"
#include "bins/argosyd/init/nats_rights.hpp"
#include "bins/argosyd/options.hpp"
#include "bins/argosyd/server.hpp"
#include "bins/argosyd/upkeep/backup.hpp"
#include "bins/argosyd/upkeep/check.hpp"
#include "bins/argosyd/upkeep/recover.hpp"
#include "bins/shared/config_warnings.hpp"
#include "bins/shared/ending.hpp"
#include "bins/shared/standard_files.hpp"
#include "bins/version.hpp"
#include "runtime/access/password.hpp"

/// jemalloc reads its options from this variable before main() begins. With these, a thread of its
/// own gives memory back that nobody has used for half a second, also when nothing else happens:
/// what callers make argosyd take for a moment is not to stay.
extern "C" const char* const malloc_conf = "background_thread:true,dirty_decay_ms:500";

namespace {

/// The password is the first line of standard input.
int hash_password() {
  std::string password;
  std::getline(std::cin, password);
  // std::cin takes a file that cannot be read for an empty one.
  if (std::ferror(stdin) != 0) {
    std::cerr << "argosyd: cannot read stdin: " << std::strerror(errno) << '\n';
    return 2;
  }
  const auto hash = argosy::access::hash_password(password);
  if (!hash) {
    std::cerr << "argosyd: " << hash.error().detail << '\n';
    return 2;
  }
  std::cout << *hash << '\n';
  return 0;
}

/// Does what was chosen and returns the exit code. `made` is what is there now, whether or not that
/// can be told.
int carry_out(int argc, char** argv, std::string& made) {
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
      made = "the backup was made";
      return argosyd::back_up(*chosen);
    case argosyd::command::config_print:
      std::cout << settings::print_effective(chosen->settings);
      return 0;
    case argosyd::command::config_check:
      if (const auto exports = argosyd::diagnostics::check_environment(); !exports) {
        std::cerr << "argosyd: " << exports.error().detail << '\n';
        return 2;
      }
      print_check(chosen->settings, argosyd::warnings_of_rights(chosen->settings.value.nats));
      return 0;
    case argosyd::command::init:
      made = "the files were written";
      return argosyd::init(chosen->init);
    case argosyd::command::hash_password:
      return hash_password();
    case argosyd::command::version:
      std::cout << std::string{"argosyd "} + version_text + " (" + commit_text + ")\n";
      return 0;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  argosy::open_standard_files();
  std::string made;
  const int code = carry_out(argc, argv, made);
  return argosy::after_output("argosyd", code, made);
}
