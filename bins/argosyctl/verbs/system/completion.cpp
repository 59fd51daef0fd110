// SPDX-License-Identifier: Apache-2.0
// The verb completion bash: prints the script for the shell.
#include "bins/argosyctl/complete/completion.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

class bash_command final : public command {
 public:
  explicit bash_command(CLI::App& app) { app.footer("source <(argosyctl completion bash)"); }
  result<exit_code> run(session& s) override {
    s.out.print(bash_script());
    return exit_code::success;
  }
};

}  // namespace

void define_completion(CLI::App& app, command_set& commands) {
  auto* bash = app.add_subcommand("bash", "For bash: source <(argosyctl completion bash)");
  bash->allow_extras();
  commands.bind<bash_command>(*bash);
  app.footer("source <(argosyctl completion bash)");
}

}  // namespace argosy::ctl
