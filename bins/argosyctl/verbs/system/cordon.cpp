// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/system/cordon.hpp"

#include <fmt/format.h>

#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

result<void> set_cordon(client& server, const cordon_target& what, bool on,
                        const std::string& reason) {
  if (what.node.empty()) {
    argosy::v1::CordonClusterRequest request;
    request.set_name(what.cluster);
    request.set_cordoned(on);
    request.set_reason(reason);
    const auto done =
        call<argosy::v1::CordonClusterResponse>(server, "ClusterService.CordonCluster", request);
    return done ? result<void>{} : fail(done.error());
  }
  argosy::v1::CordonNodeRequest request;
  request.set_cluster(what.cluster);
  request.set_node(what.node);
  request.set_cordoned(on);
  request.set_reason(reason);
  const auto done =
      call<argosy::v1::CordonNodeResponse>(server, "ClusterService.CordonNode", request);
  return done ? result<void>{} : fail(done.error());
}

template <class Name, bool On>
class cordon_command final : public command {
 public:
  explicit cordon_command(CLI::App& app) {
    const auto example = fmt::format(fmt::runtime(Name::example), On ? "cordon" : "uncordon");
    app.footer(On ? example + " --reason 'its fan is loud'" : example);
    name_.add_options(app);
    if (On) app.add_option("--reason", reason_, "Why, for all who look")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return Name::completes; }
  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    const auto what = name_.find(**server);
    if (!what) return fail(what.error());
    if (auto done = set_cordon(**server, *what, On, reason_); !done) return fail(done.error());
    s.out.print_line(what->text() + (s.as == format::name ? "" : On ? " cordoned" : " uncordoned"));
    return exit_code::success;
  }

 private:
  Name name_;
  std::string reason_;
};

}  // namespace

void define_node_cordons(CLI::App& node, command_set& commands) {
  define_part<cordon_command<named_node, true>>(
      node, commands, "cordon", "Give a node no new work; what runs there goes on.");
  define_part<cordon_command<named_node, false>>(node, commands, "uncordon",
                                                 "Give a node new work again, and end its drain.");
  define_node_drain(node, commands);
}

void define_cluster_cordons(CLI::App& cluster, command_set& commands) {
  define_part<cordon_command<named_cluster, true>>(
      cluster, commands, "cordon", "Give a cluster no new work; what runs there goes on.");
  define_part<cordon_command<named_cluster, false>>(
      cluster, commands, "uncordon", "Give a cluster new work again, and end its drain.");
  define_cluster_drain(cluster, commands);
}

}  // namespace argosy::ctl
