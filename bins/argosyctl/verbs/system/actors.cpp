// SPDX-License-Identifier: Apache-2.0
// The verb actors, and below it graph, which prints of which actors the server consists, and which
// messages flow between them.
#include <fmt/format.h>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/oncall/oncall.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "runtime/trace/flow_graph.hpp"

namespace argosy::ctl {

namespace {

class graph_command final : public command {
 public:
  explicit graph_command(CLI::App& app) {
    app.footer(
        "argosyctl actors graph\n"
        "argosyctl actors graph -o dot | dot -Tsvg > actors.svg");
  }
  std::vector<std::string> formats() const override {
    return {"table", "wide", "mermaid", "dot", "json"};
  }
  result<exit_code> run(session& s) override;
};

std::string micros(std::uint64_t nanos, std::uint64_t messages) {
  if (messages == 0) return {};
  return fmt::format("{:.1f} us", static_cast<double>(nanos) / static_cast<double>(messages) / 1e3);
}

listing actor_listing(const argosy::v1::GetGraphResponse& graph) {
  const auto right = alignment::right;
  listing out{{{"ACTOR"},
               {.title = "INSTANCES", .align = right, .spare = 2},
               {.title = "MESSAGES", .align = right, .spare = 1},
               {"WAITING", right},
               {"PROCESSING", right},
               {.title = "DEEPEST", .align = right, .spare = 3}}};
  for (const auto& actor : graph.actors())
    out.rows.add({actor.name(), number(actor.instances()), number(actor.messages()),
                  cell{micros(actor.waiting_ns(), actor.messages()),
                       static_cast<double>(actor.waiting_ns())},
                  cell{micros(actor.processing_ns(), actor.messages()),
                       static_cast<double>(actor.processing_ns())},
                  number(actor.mailbox_depth_max())});
  return out;
}

std::vector<trace::flow_edge> flow_edges(const argosy::v1::GetGraphResponse& graph) {
  std::vector<trace::flow_edge> edges;
  for (const auto& flow : graph.flows()) {
    auto& edge = edges.emplace_back();
    edge.from = flow.from();
    edge.to = flow.to();
    edge.message = flow.message();
    edge.sent = flow.count();
    edge.handled = flow.count();
  }
  return edges;
}

/// Shortens the name of a message, since names of types that have no shorter name can be very long.
std::string shortened(const std::string& message) {
  return cut_to_width(escaped(message), 60);
}

table flow_table(const argosy::v1::GetGraphResponse& graph) {
  table out{{{.title = "FROM", .yields_to = 12},
             {.title = "TO", .yields_to = 12},
             {.title = "MESSAGE", .yields_to = 12},
             {"COUNT", alignment::right}}};
  for (const auto& flow : graph.flows())
    out.add({flow.from().empty() ? "outside" : flow.from(), flow.to(), shortened(flow.message()),
             number(flow.count())});
  return out;
}

result<exit_code> graph_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto graph =
      call<argosy::v1::GetGraphResponse>(**server, "Trace.GetGraph", argosy::v1::GetGraphRequest{});
  if (!graph) return fail(std::move(graph.error()));
  switch (s.as) {
    case format::mermaid:
      s.out.print(trace::render_flow_mermaid(flow_edges(*graph)));
      break;
    case format::dot:
      s.out.print(trace::render_flow_dot(flow_edges(*graph)));
      break;
    case format::json:
      s.out.print_line(json_of(*graph));
      break;
    default: {
      auto actors = actor_listing(*graph);
      if (auto sorted = settle_listing(s, actors); !sorted) return fail(std::move(sorted.error()));
      show_table(s, actors.rows);
      s.out.print_line("");
      show_table(s, flow_table(*graph));
    }
  }
  return exit_code::success;
}

}  // namespace

void define_actors(CLI::App& app, command_set& commands) {
  auto* graph = app.add_subcommand("graph", "Actor types and the messages between them.");
  graph->allow_extras();
  commands.bind<graph_command>(*graph);
  define_actors_top(app, commands);
  app.footer(
      "argosyctl actors graph\n"
      "argosyctl actors top");
}

}  // namespace argosy::ctl
