// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/system/cordon.hpp"

#include <fmt/format.h>

#include <thread>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

/// A node, or the whole cluster if no node is named.
struct cordon_target {
  std::string cluster;
  std::string node{};

  [[nodiscard]] std::string text() const {
    return node.empty() ? "cluster/" + escaped(cluster) : "node/" + escaped(cluster + "/" + node);
  }
};

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

/// Ends the runs there that may be ended for others.
result<void> preempt(client& server, const cordon_target& what) {
  const auto queues = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                                 argosy::v1::ListQueuesRequest{});
  if (!queues) return fail(queues.error());
  if (what.node.empty()) {
    api::ExecutorPreemptRequest request;
    request.set_name(what.cluster);
    for (const auto& queue : queues->queues()) request.add_queues(queue.queue().name());
    const auto done = call<google::protobuf::Empty>(server, "Executor.PreemptOnExecutor", request);
    return done ? result<void>{} : fail(done.error());
  }
  api::NodePreemptRequest request;
  request.set_name(what.node);
  request.set_executor(what.cluster);
  for (const auto& queue : queues->queues()) request.add_queues(queue.queue().name());
  const auto done = call<google::protobuf::Empty>(server, "Node.PreemptOnNode", request);
  return done ? result<void>{} : fail(done.error());
}

/// How many runs are left there.
result<std::uint64_t> runs_on(client& server, const cordon_target& what) {
  argosy::v1::ListNodesRequest request;
  request.set_cluster(what.cluster);
  const auto nodes = call_pages<argosy::v1::ListNodesResponse>(server, "Query.ListNodes", request);
  if (!nodes) return fail(nodes.error());
  std::uint64_t runs = 0;
  for (const auto& node : nodes->nodes())
    if (what.node.empty() || node.name() == what.node) runs += node.runs();
  return runs;
}

std::string runs_text(std::uint64_t runs) {
  return fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
}

/// Names a node among all nodes.
class named_node {
 public:
  static constexpr const char* example = "argosyctl node {} east-1/n7";
  void add_options(CLI::App& app) { name_.add_options(app); }
  [[nodiscard]] result<cordon_target> find(client& server) const {
    auto node = name_.find(server);
    if (!node) return fail(std::move(node.error()));
    return cordon_target{node->cluster, node->node};
  }

 private:
  node_name_option name_;
};

/// Names a cluster, of which the server knows whether it exists.
class named_cluster {
 public:
  static constexpr const char* example = "argosyctl cluster {} east-1";
  void add_options(CLI::App& app) {
    app.add_option("name", name_, "Name of the cluster")->required()->type_name("CLUSTER");
  }
  [[nodiscard]] result<cordon_target> find(client&) const { return cordon_target{name_}; }

 private:
  std::string name_;
};

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

template <class Name>
class drain_command final : public command {
 public:
  explicit drain_command(CLI::App& app) {
    app.footer(fmt::format(fmt::runtime(Name::example), "drain") +
               " --reason 'a new kernel' --timeout 30m");
    name_.add_options(app);
    app.add_option("--reason", reason_, "Why, for all who look")->type_name("TEXT");
    app.add_flag("--no-preempt", no_preempt_, "End no run early; wait until all have ended");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  bool waits() const override { return true; }
  std::string_view timeout_help() const override { return waiting_timeout_help; }
  result<exit_code> run(session& s) override;

 private:
  result<exit_code> wait(session& s, client& server, const cordon_target& what) const;

  Name name_;
  std::string reason_;
  bool no_preempt_ = false;
};

template <class Name>
result<exit_code> drain_command<Name>::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto what = name_.find(**server);
  if (!what) return fail(what.error());
  if (auto done = set_cordon(**server, *what, true, reason_); !done) return fail(done.error());
  if (!no_preempt_)
    if (auto done = preempt(**server, *what); !done) return fail(done.error());
  return wait(s, **server, *what);
}

template <class Name>
result<exit_code> drain_command<Name>::wait(session& s, client& server,
                                            const cordon_target& what) const {
  const auto deadline = s.deadline();
  std::optional<std::uint64_t> said;
  while (true) {
    const auto runs = runs_on(server, what);
    if (!runs) return fail(runs.error());
    if (*runs == 0) {
      s.out.print_line(what.text() + (s.as == format::name ? "" : " drained"));
      return exit_code::success;
    }
    if (said != *runs) s.out.notice(fmt::format("{}: {} left", what.text(), runs_text(*runs)));
    said = *runs;
    const bool late = deadline && std::chrono::steady_clock::now() >= *deadline;
    if (late || s.should_stop()) {
      s.out.notice(fmt::format(
          "{} stays cordoned with {}; the same command goes on waiting, and uncordon takes it back",
          what.text(), runs_text(*runs)));
      return late ? exit_code::timed_out : exit_code::interrupted;
    }
    std::this_thread::sleep_for(s.refresh_period);
  }
}

}  // namespace

void define_node_cordons(CLI::App& node, command_set& commands) {
  define_part<cordon_command<named_node, true>>(
      node, commands, "cordon", "Give a node no new work; what runs there goes on.");
  define_part<cordon_command<named_node, false>>(node, commands, "uncordon",
                                                 "Give a node new work again.");
  define_part<drain_command<named_node>>(
      node, commands, "drain",
      "Cordon a node, preempt what may be, and wait until nothing runs there.");
}

void define_cluster_cordons(CLI::App& cluster, command_set& commands) {
  define_part<cordon_command<named_cluster, true>>(
      cluster, commands, "cordon", "Give a cluster no new work; what runs there goes on.");
  define_part<cordon_command<named_cluster, false>>(cluster, commands, "uncordon",
                                                    "Give a cluster new work again.");
  define_part<drain_command<named_cluster>>(
      cluster, commands, "drain",
      "Cordon a cluster, preempt what may be, and wait until nothing runs there.");
}

}  // namespace argosy::ctl
