// SPDX-License-Identifier: Apache-2.0
// The verb version: prints the version of this program, and of the server if there is one.
#include "bins/argosyctl/verbs/system/version.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/version.hpp"

namespace argosy::ctl {

namespace {

class version_command final : public command {
 public:
  explicit version_command(CLI::App& app) {
    app.footer(
        "argosyctl version\n"
        "argosyctl version --client -o json");
    app.add_flag("--client", client_only_, "Do not ask the server");
  }
  std::vector<std::string> formats() const override { return {"table", "json"}; }
  result<exit_code> run(session& s) override;

 private:
  bool client_only_ = false;
};

result<argosy::v1::GetVersionResponse> ask(session& s) {
  auto server = s.server_soon();
  if (!server) return fail(std::move(server.error()));
  return call<argosy::v1::GetVersionResponse>(**server, "Query.GetVersion",
                                              argosy::v1::GetVersionRequest{});
}

result<exit_code> version_command::run(session& s) {
  result<argosy::v1::GetVersionResponse> server = fail(ec::none, "");
  if (!client_only_) server = ask(s);
  if (s.as == format::json) {
    s.out.print_line(fmt::format(R"({{"client":{{"version":{},"commit":{}}}{}}})",
                                 json_string(program_version()), json_string(commit_text),
                                 server ? ",\"server\":" + json_of(*server) : ""));
    return exit_code::success;
  }
  s.out.print_line(version_line());
  if (server)
    s.out.print_line(escaped(fmt::format(
        "server {} {} · epoch {} · position {} · up {}", server->version(), server->commit(),
        server->epoch(), server->position(), human_age(server->started_ns(), s.now_ns()))));
  else if (!client_only_)
    s.out.notice("no answer from a server: " + server.error().detail);
  return exit_code::success;
}

}  // namespace

std::string program_version() {
  return version_text;
}

std::string version_line() {
  return fmt::format("argosyctl {} {}", version_text, commit_text);
}

void define_version(CLI::App& app, command_set& commands) {
  define_verb<version_command>(app, commands);
}

}  // namespace argosy::ctl
