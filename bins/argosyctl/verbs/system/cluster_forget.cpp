// SPDX-License-Identifier: Apache-2.0
// The verb cluster forget: an operator says that a cluster is gone for good.
#include <fmt/format.h>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/system/cordon.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

class forget_command final : public command {
 public:
  explicit forget_command(CLI::App& app) {
    app.footer("argosyctl cluster forget east-1 --reason 'the site has burnt down' --yes");
    takes_printed(app.add_option("name", name_, "Name of the cluster"), "cluster")
        ->required()
        ->type_name("CLUSTER");
    app.add_option("--reason", reason_, "Why, for the log")->type_name("TEXT");
    app.add_flag("--yes", yes_, "Its machines are off for good, or run nothing any more");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "clusters"; }
  result<exit_code> run(session& s) override;

 private:
  std::string name_;
  std::string reason_;
  bool yes_ = false;
};

result<exit_code> forget_command::run(session& s) {
  if (!yes_)
    return fail(ec::invalid_argument,
                fmt::format("if machines of cluster '{}' still run jobs, these would run twice; "
                            "make sure that they do not, and repeat this with --yes",
                            name_));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  argosy::v1::ForgetClusterRequest request;
  request.set_name(name_);
  request.set_reason(reason_);
  auto done =
      call<argosy::v1::ForgetClusterResponse>(**server, "ClusterService.ForgetCluster", request);
  if (!done) return fail(std::move(done.error()));
  if (s.as == format::name)
    s.out.print_line("cluster/" + escaped(name_));
  else
    s.out.print_line(fmt::format("cluster/{} forgotten, {} {} as stopped", escaped(name_),
                                 done->runs(), done->runs() == 1 ? "run counts" : "runs count"));
  return exit_code::success;
}

}  // namespace

void define_cluster(CLI::App& app, command_set& commands) {
  auto* forget = app.add_subcommand("forget", "Count the runs of a lost cluster as stopped.");
  forget->group("Verbs");
  forget->allow_extras();
  commands.bind<forget_command>(*forget);
  define_cluster_cordons(app, commands);
  app.footer(
      "argosyctl get clusters\n"
      "argosyctl cluster cordon east-1 --reason 'the power is cut at noon'\n"
      "argosyctl cluster forget east-1 --yes");
}

}  // namespace argosy::ctl
