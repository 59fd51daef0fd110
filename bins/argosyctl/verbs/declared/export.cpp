// SPDX-License-Identifier: Apache-2.0
// The verb export: prints what can be declared of a server as one file.
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/declared/declared.hpp"

namespace argosy::ctl {

namespace {

class export_command final : public command {
 public:
  explicit export_command(CLI::App& app) {
    app.description(
        "Print the queues and retry policies of the server as one file, which apply and diff take. "
        "What changes by itself, such as jobs and cordons of nodes, is not in it.");
    app.footer(
        "argosyctl export > argosy.yaml\n"
        "argosyctl export | argosyctl --context other apply -f - --dry-run");
  }
  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    const auto there = read_server_settings(**server);
    if (!there) return fail(there.error());
    bool first = true;
    const auto print = [&](const std::string& document) {
      s.out.print((first ? "" : "---\n") + document);
      first = false;
    };
    for (const auto& [name, policy] : there->policies) print(document_of(policy));
    for (const auto& [name, queue] : there->queues) print(document_of(queue));
    if (first) s.out.notice("the server has no queues and no retry policies");
    return exit_code::success;
  }
};

}  // namespace

void define_export(CLI::App& app, command_set& commands) {
  define_verb<export_command>(app, commands);
}

}  // namespace argosy::ctl
