// SPDX-License-Identifier: Apache-2.0
// The verb completion SHELL: prints the script for the shell.
#include "bins/argosyctl/complete/completion.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

struct shell {
  const char* name;
  const char* summary;
  const char* example;
  std::string (*script)();
};

constexpr shell bash{"bash", "For bash: source <(argosyctl completion bash)",
                     "source <(argosyctl completion bash)", bash_script};
constexpr shell zsh{"zsh", "For zsh: source <(argosyctl completion zsh)",
                    "source <(argosyctl completion zsh)", zsh_script};
constexpr shell fish{"fish", "For fish: argosyctl completion fish | source",
                     "argosyctl completion fish | source", fish_script};

template <const shell& Shell>
class script_command final : public command {
 public:
  explicit script_command(CLI::App& app) { app.footer(Shell.example); }
  result<exit_code> run(session& s) override {
    s.out.print(Shell.script());
    return exit_code::success;
  }
};

template <const shell& Shell>
void add(CLI::App& app, command_set& commands) {
  auto* made = app.add_subcommand(Shell.name, Shell.summary);
  made->allow_extras();
  commands.bind<script_command<Shell>>(*made);
}

}  // namespace

void define_completion(CLI::App& app, command_set& commands) {
  add<bash>(app, commands);
  add<zsh>(app, commands);
  add<fish>(app, commands);
  app.footer(bash.example);
}

}  // namespace argosy::ctl
