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
        "Print the queues and retry policies of the server as one file, which apply and diff take, "
        "and what was set of pools and settings through the API. What the configuration file of "
        "argosyd says is not in it, nor what changes by itself, such as jobs and cordons of "
        "nodes.");
    app.footer(
        "argosyctl export > argosy.yaml\n"
        "argosyctl export | argosyctl --context other apply -f - --dry-run");
  }
  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    const auto there = read_server_settings(**server, true);
    if (!there) return fail(there.error());
    bool first = true;
    const auto print = [&](const std::string& document) {
      s.out.print((first ? "" : "---\n") + document);
      first = false;
    };
    for (const auto& [name, policy] : there->policies) print(document_of(policy));
    for (const auto& [name, queue] : there->queues) print(document_of(queue));
    if (!there->settings.empty()) print(document_of_settings(there->settings));
    for (const auto& [name, keys] : there->pools) print(document_of_pool(name, keys));
    if (first)
      s.out.notice("the server has no queues and no retry policies, and nothing was set on it");
    return exit_code::success;
  }
};

}  // namespace

void define_export(CLI::App& app, command_set& commands) {
  define_verb<export_command>(app, commands);
}

}  // namespace argosy::ctl
