// SPDX-License-Identifier: Apache-2.0
// The verbs get nodes, clusters and pools print what there is to run on, and what of it is taken.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/last_events.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "runtime/base/text.hpp"

namespace argosy::ctl {

namespace {

look cluster_look(const std::string& state) {
  if (state == "connected" || state == "ready") return look::good;
  const bool known =
      state == "cordoned" || state == "silent" || state == "away" || state == "unready";
  return known ? look::warning : look::bad;
}

class named_command : public list_command {
 public:
  named_command(CLI::App& app, const char* type) : list_command(app) {
    takes_printed(app.add_option("names", names_, "Only those with these names"), lower_case(type))
        ->type_name(type);
  }

 protected:
  /// Adds through `add` the items whose name in `wanted` was asked for. `unique` has the names by
  /// which they are printed and told apart. `describe` adds more to the last item if it is to be
  /// described.
  template <class Items, class Add, class Describe>
  result<listing> picked(const Items& all, const std::string& kind,
                         const std::vector<std::string>& wanted,
                         const std::vector<std::string>& unique, listing items, Add add,
                         Describe describe) {
    auto chosen = pick_named(names_, wanted, kind);
    if (!chosen) return fail(std::move(chosen.error()));
    for (const auto index : *chosen) {
      const auto& item = all[static_cast<int>(index)];
      items.rows.add(add(item));
      items.names.push_back(kind + "/" + unique[index]);
      items.json.push_back(json_of(item));
      if (!describes() || names_.empty()) continue;
      if (auto done = describe(item, items); !done) return fail(std::move(done.error()));
    }
    items.bare = names_.size() == 1 && items.json.size() == 1;
    return items;
  }

  std::vector<std::string> names_;
};

class get_nodes_command final : public named_command {
 public:
  explicit get_nodes_command(CLI::App& app) : named_command(app, "NODE") {
    app.footer(
        "argosyctl get nodes --cluster east -o wide\n"
        "argosyctl node release east/n7    # end a quarantine now");
    app.add_option("--cluster", cluster_, "Only nodes of this cluster")->type_name("CLUSTER");
  }
  std::string_view completes() const override { return "nodes"; }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::string cluster_;
};

std::string taint_text(const argosy::v1::NodeSummary& node) {
  std::string text;
  for (const auto& taint : node.taints())
    text += fmt::format("{}{}{}{}:{}", text.empty() ? "" : ",", taint.key(),
                        taint.value().empty() ? "" : "=", taint.value(), taint.effect());
  return text;
}

std::string label_text(const argosy::v1::NodeSummary& node) {
  const std::map<std::string, std::string> sorted(node.labels().begin(), node.labels().end());
  std::string text;
  for (const auto& [key, value] : sorted) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

/// "draining, 3 of 17 runs left".
std::string drain_text(const argosy::v1::Operation& drain) {
  return fmt::format("draining, {} of {} runs left", drain.total() - drain.done(), drain.total());
}

/// A cordoned node whose runs are to end, with how many of them are left if it is drained alone.
cell state_of(const argosy::v1::NodeSummary& node) {
  if (!node.has_drain() || node.state() != "cordoned")
    return {node.state(), cluster_look(node.state())};
  return {node.drain().node().empty() ? "draining" : drain_text(node.drain()), look::warning};
}

cell state_of(const argosy::v1::ClusterSummary& cluster) {
  if (cluster.cordon().empty()) return {cluster.state(), cluster_look(cluster.state())};
  const auto more = cluster.has_drain() ? drain_text(cluster.drain()) : "cordoned";
  return {cluster.state() + ", " + more, look::warning};
}

std::string reason_text(const argosy::v1::NodeSummary& node, std::int64_t now_ns) {
  if (node.quarantined_until_ns() == 0) return node.reason();
  const auto rest =
      std::chrono::nanoseconds{std::max<std::int64_t>(0, node.quarantined_until_ns() - now_ns)};
  return fmt::format("{}; for {} more", node.reason(),
                     human_duration(std::chrono::ceil<std::chrono::seconds>(rest)));
}

std::string reason_text(const argosy::v1::ClusterSummary& cluster) {
  const auto& told = cluster.trouble().empty() ? cluster.cordon() : cluster.trouble();
  return told.empty() ? cluster.lacks() : told;
}

result<listing> get_nodes_command::fetch(session& s, client& server) {
  argosy::v1::ListNodesRequest request;
  request.set_cluster(cluster_);
  auto answer = call_pages<argosy::v1::ListNodesResponse>(server, "Query.ListNodes", request);
  if (!answer) return fail(std::move(answer.error()));
  std::sort(answer->mutable_nodes()->begin(), answer->mutable_nodes()->end(),
            [](const auto& a, const auto& b) {
              return a.cluster() != b.cluster() ? natural_less(a.cluster(), b.cluster())
                                                : natural_less(a.name(), b.name());
            });
  std::vector<std::string> plain;
  std::vector<std::string> unique;
  const bool with_cluster = !names_.empty() && names_.front().find('/') != std::string::npos;
  for (const auto& node : answer->nodes()) {
    unique.push_back(node.cluster() + "/" + node.name());
    plain.push_back(with_cluster ? unique.back() : node.name());
  }
  listing items{{{.title = "NODE", .yields_to = 12},
                 {.title = "CLUSTER", .yields_to = 8, .spare = 2},
                 {.title = "POOL", .yields_to = 8, .spare = 3},
                 {"STATE"},
                 {.title = "RUNS", .align = alignment::right, .spare = 1},
                 {"CPU", alignment::right},
                 {"MEMORY", alignment::right},
                 {"OTHER", alignment::left, true},
                 {"TAINTS", alignment::left, true},
                 {"LABELS", alignment::left, true},
                 {"REASON", alignment::left, true}}};
  return picked(
      answer->nodes(), "node", plain, unique, std::move(items),
      [now = s.now_ns()](const argosy::v1::NodeSummary& node) -> std::vector<cell> {
        return {node.name(),
                node.cluster(),
                node.pool(),
                state_of(node),
                number(node.runs()),
                used_of("cpu", node.used(), node.total()),
                used_of("memory", node.used(), node.total()),
                other_amounts(node.total()),
                taint_text(node),
                label_text(node),
                reason_text(node, now)};
      },
      [&](const argosy::v1::NodeSummary& node, listing& to) {
        return add_last_events(s, server, node.cluster(), node.name(), to);
      });
}

class get_clusters_command final : public named_command {
 public:
  explicit get_clusters_command(CLI::App& app) : named_command(app, "CLUSTER") {
    app.footer("argosyctl get clusters -w");
  }
  std::string_view completes() const override { return "clusters"; }

 protected:
  result<listing> fetch(session& s, client& server) override;
};

result<listing> get_clusters_command::fetch(session& s, client& server) {
  auto answer = call<argosy::v1::ListClustersResponse>(server, "Query.ListClusters",
                                                       argosy::v1::ListClustersRequest{});
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& cluster : answer->clusters()) plain.push_back(cluster.name());
  listing items{{{.title = "CLUSTER", .yields_to = 8},
                 {.title = "POOL", .yields_to = 8, .spare = 3},
                 {.title = "BACKEND", .spare = 4},
                 {"STATE"},
                 {.title = "NODES", .align = alignment::right, .spare = 1},
                 {.title = "RUNS", .align = alignment::right, .spare = 2},
                 {.title = "HEARD", .align = alignment::right, .ticks = true},
                 {"INCARNATION", alignment::right, true},
                 {"VERSION", alignment::left, true},
                 {"REASON", alignment::left, true}}};
  const auto now = s.now_ns();
  return picked(
      answer->clusters(), "cluster", plain, plain, std::move(items),
      [&](const argosy::v1::ClusterSummary& c) -> std::vector<cell> {
        return {c.name(),
                c.pool(),
                c.backend(),
                state_of(c),
                number(c.nodes()),
                number(c.runs()),
                {human_age(c.last_heard_ns(), now), static_cast<double>(now - c.last_heard_ns())},
                number(c.incarnation()),
                c.agent_version(),
                reason_text(c)};
      },
      [&](const argosy::v1::ClusterSummary& c, listing& to) {
        return add_last_events(s, server, c.name(), {}, to);
      });
}

class get_pools_command final : public named_command {
 public:
  explicit get_pools_command(CLI::App& app) : named_command(app, "POOL") {
    app.footer("argosyctl get pools -o wide");
  }
  std::string_view completes() const override { return "pools"; }

 protected:
  result<listing> fetch(session& s, client& server) override;
};

using amounts = google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>;

/// What can be used: all of it but what is on clusters that nobody hears.
amounts without(amounts left, const amounts& silent) {
  for (auto& item : left)
    for (const auto& gone : silent)
      if (gone.resource() == item.resource()) item.set_amount(item.amount() - gone.amount());
  return left;
}

result<listing> get_pools_command::fetch(session&, client& server) {
  auto answer = call<argosy::v1::ListPoolsResponse>(server, "Query.ListPools",
                                                    argosy::v1::ListPoolsRequest{});
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& pool : answer->pools()) plain.push_back(pool.name());
  listing items{{{.title = "POOL", .yields_to = 8},
                 {.title = "CLUSTERS", .align = alignment::right, .spare = 2},
                 {.title = "NODES", .align = alignment::right, .spare = 1},
                 {"SILENT", alignment::right},
                 {"CPU", alignment::right},
                 {"MEMORY", alignment::right},
                 {"OTHER", alignment::left, true},
                 {"CLOSED", alignment::left, true}}};
  return picked(
      answer->pools(), "pool", plain, plain, std::move(items),
      [](const argosy::v1::PoolSummary& pool) -> std::vector<cell> {
        const auto used = without(pool.used(), pool.silent_used());
        const auto total = without(pool.total(), pool.silent_total());
        return {pool.name(),
                number(pool.clusters()),
                number(pool.nodes()),
                number(pool.silent_nodes(), pool.silent_nodes() == 0 ? look::plain : look::warning),
                used_of("cpu", used, total),
                used_of("memory", used, total),
                other_amounts(total),
                closed_text(pool.closed_nodes(), pool.nodes())};
      },
      [](const auto&, listing&) { return result<void>{}; });
}

}  // namespace

void define_describe_clusters(CLI::App& describe, command_set& commands) {
  auto& node = add_kind(
      describe, "node",
      "A node: what is taken of it, its taints and labels, and what happened there lately.",
      {"nodes", "n"});
  commands.bind<get_nodes_command>(node);
  node.footer(
      "argosyctl describe node east-1/n7\n"
      "argosyctl get jobs --node n7");
  auto& cluster = add_kind(describe, "cluster",
                           "A cluster, whether it is there, and what happened there lately.",
                           {"clusters", "executors", "executor", "c"});
  commands.bind<get_clusters_command>(cluster);
  cluster.footer("argosyctl describe cluster east-1");
  auto& pool = add_kind(describe, "pool", "A pool of nodes, with what is taken of it.", {"pools"});
  commands.bind<get_pools_command>(pool);
  pool.footer("argosyctl describe pool gpu");
}

void define_get_clusters(CLI::App& get, command_set& commands) {
  commands.bind<get_nodes_command>(
      add_kind(get, "nodes", "Nodes with what is taken of them.", {"node", "n"}));
  commands.bind<get_clusters_command>(add_kind(get, "clusters",
                                               "Clusters, and whether they are there.",
                                               {"cluster", "executors", "executor", "c"}));
  commands.bind<get_pools_command>(add_kind(
      get, "pools", "Pools of nodes, with what is taken of those that are not silent.", {"pool"}));
}

}  // namespace argosy::ctl
