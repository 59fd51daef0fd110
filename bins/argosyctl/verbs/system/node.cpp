// SPDX-License-Identifier: Apache-2.0
// The verb node release: an operator ends the quarantine of a node.
#include <fmt/format.h>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

struct node_place {
  std::string cluster;
  std::string node;

  [[nodiscard]] std::string id() const { return cluster + "/" + node; }
};

class release_command final : public command {
 public:
  explicit release_command(CLI::App& app) {
    app.footer(
        "argosyctl node release east-1/n7 --reason 'its disk was replaced'\n"
        "argosyctl node release n7 --cluster east-1");
    app.add_option("name", name_, "Name of the node, alone or as CLUSTER/NODE")
        ->required()
        ->type_name("NODE");
    app.add_option("--cluster", cluster_, "Cluster of the node")->type_name("CLUSTER");
    app.add_option("--reason", reason_, "Why, for the log of argosyd")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override;

 private:
  [[nodiscard]] result<node_place> find(client& server) const;

  std::string name_;
  std::string cluster_;
  std::string reason_;
};

/// Finds the node among all, so that an unknown name is answered with the closest one, and a name
/// that several clusters have is refused.
result<node_place> release_command::find(client& server) const {
  const auto slash = name_.find('/');
  const bool with_cluster = slash != std::string::npos;
  argosy::v1::ListNodesRequest request;
  request.set_cluster(with_cluster ? name_.substr(0, slash) : cluster_);
  if (with_cluster && !cluster_.empty() && cluster_ != request.cluster())
    return fail(ec::invalid_argument, fmt::format("node '{}' is not of cluster '{}', which "
                                                  "--cluster names",
                                                  name_, cluster_));
  auto answer = call_pages<argosy::v1::ListNodesResponse>(server, "Query.ListNodes", request);
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& node : answer->nodes())
    plain.push_back(with_cluster ? node.cluster() + "/" + node.name() : node.name());
  const auto picked = pick_named({name_}, plain, "node");
  if (!picked) return fail(picked.error());
  const auto& first = answer->nodes(static_cast<int>(picked->front()));
  if (picked->size() > 1) {
    std::string clusters;
    for (const auto index : *picked)
      clusters += (clusters.empty() ? "" : ", ") + answer->nodes(static_cast<int>(index)).cluster();
    return fail(ec::invalid_argument,
                fmt::format("several clusters have a node '{}': {}; say which one with --cluster",
                            name_, clusters));
  }
  return node_place{first.cluster(), first.name()};
}

result<exit_code> release_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto node = find(**server);
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
  app.footer(
      "argosyctl get nodes -o wide\n"
      "argosyctl node release east-1/n7");
}

}  // namespace argosy::ctl
