// SPDX-License-Identifier: Apache-2.0
// The verb node release: an operator ends the quarantine of a node.
#include <fmt/format.h>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/system/cordon.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

class release_command final : public command {
 public:
  explicit release_command(CLI::App& app) {
    app.footer(
        "argosyctl node release east-1/n7 --reason 'its disk was replaced'\n"
        "argosyctl node release n7 --cluster east-1");
    name_.add_options(app);
    app.add_option("--reason", reason_, "Why, for the log of argosyd")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "nodes"; }
  result<exit_code> run(session& s) override;

 private:
  node_name_option name_;
  std::string reason_;
};

result<exit_code> release_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto node = name_.find(**server);
  if (!node) return fail(node.error());
  argosy::v1::ReleaseNodeRequest request;
  request.set_cluster(node->cluster);
  request.set_node(node->node);
  request.set_reason(reason_);
  const auto done =
      call<argosy::v1::ReleaseNodeResponse>(**server, "ClusterService.ReleaseNode", request);
  if (!done) return fail(done.error());
  s.out.print_line("node/" + escaped(node->id()) + (s.as == format::name ? "" : " released"));
  return exit_code::success;
}

}  // namespace

void define_node(CLI::App& app, command_set& commands) {
  auto* release = app.add_subcommand("release", "End the quarantine of a node now.");
  release->group("Verbs");
  release->allow_extras();
  commands.bind<release_command>(*release);
  define_node_cordons(app, commands);
  app.footer(
      "argosyctl get nodes -o wide\n"
      "argosyctl node drain east-1/n7 --reason 'its disk is replaced'\n"
      "argosyctl node release east-1/n7");
}

}  // namespace argosy::ctl
