// SPDX-License-Identifier: Apache-2.0
// These methods of the service Explain say what one node is to a job, and which waiting jobs a node
// could run.
#include <algorithm>
#include <memory>
#include <utility>

#include "actors/api/gateway_services.hpp"
#include "actors/api/summaries.hpp"
#include "actors/api/waiting.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/rounds/reports/node_explanation.hpp"

namespace argosy::actors {

namespace {

/// So many jobs are named if nobody says how many, and at most.
constexpr std::uint32_t named_default = 20;
constexpr std::uint32_t named_max = 1'000;

/// Hands what the CLUSTER knows of the node to `then`, or answers the call with ec::not_found.
template <class Then>
void with_node(gateway_services& gateway, const call& caller, const std::string& cluster,
               const std::string& node, Then then) {
  if (cluster.empty() || node.empty()) {
    caller.fail(ec::invalid_argument, "the request has to name a cluster and a node of it");
    return;
  }
  gateway.with_cluster(
      caller, cluster,
      [&gateway, caller, node, then = std::move(then)](const cluster_actor& handle) {
        gateway.ask(caller, handle, then, atom::status_v, model::node_name{node});
      });
}

rounds::node_facts facts_of(const gateway_services& gateway, const native::node_status& status) {
  return {status,
          silence_of(status.cluster, *gateway.config.contacts, gateway.config.clock->boot())};
}

void reply_on_node(gateway_services& gateway, const call& caller, const model::job_record& job,
                   const native::node_status& status, const native::job_on_node& answer) {
  auto out = std::make_shared<v1::JobOnNode>(
      rounds::explanation_of(job, answer, facts_of(gateway, status)));
  if (!out->verdict().empty()) {
    caller.reply(*out);
    return;
  }
  ask_why_unheard_of(gateway, caller, *job.header, [caller, out](std::string why) {
    out->set_verdict(std::move(why));
    caller.reply(*out);
  });
}

void explain_job_on_node(gateway_services& gateway, const call& caller,
                         const v1::ExplainJobOnNodeRequest& request) {
  auto question = std::make_shared<native::job_on_node_question>();
  question->cluster = model::cluster_name{request.cluster()};
  question->node = model::node_name{request.node()};
  gateway.with_job(
      caller, request.job_id(), false, [&gateway, caller, question](const model::job_record& job) {
        question->job = job.header->id;
        with_node(gateway, caller, question->cluster, question->node,
                  [&gateway, caller, question, job](const native::node_status& status) {
                    gateway.ask(
                        caller, gateway.config.explainer,
                        [&gateway, caller, job, status](const native::job_on_node_ptr& answer) {
                          reply_on_node(gateway, caller, job, status, *answer);
                        },
                        atom::explain_v, native::job_on_node_question_ptr{question});
                  });
      });
}

void ask_node(gateway_services& gateway, const call& caller,
              const native::node_question_ptr& question) {
  with_node(gateway, caller, question->cluster, question->node,
            [&gateway, caller, question](const native::node_status& status) {
              gateway.ask(
                  caller, gateway.config.explainer,
                  [&gateway, caller, question, status](const native::node_answer_ptr& answer) {
                    caller.reply(rounds::explanation_of(*answer, facts_of(gateway, status),
                                                        question->queue));
                  },
                  atom::explain_v, question);
            });
}

void explain_node(gateway_services& gateway, const call& caller,
                  const v1::ExplainNodeRequest& request) {
  auto made = std::make_shared<native::node_question>();
  made->cluster = model::cluster_name{request.cluster()};
  made->node = model::node_name{request.node()};
  made->queue = model::queue_name{request.queue()};
  made->named = request.limit() == 0 ? named_default : std::min(request.limit(), named_max);
  const native::node_question_ptr question = std::move(made);
  if (question->queue.empty()) {
    ask_node(gateway, caller, question);
    return;
  }
  gateway.with_queue(caller, question->queue, [&gateway, caller, question](const queue_actor&) {
    ask_node(gateway, caller, question);
  });
}

}  // namespace

void add_node_explanations(method_table& table) {
  table["Explain.ExplainJobOnNode"] = decoded<v1::ExplainJobOnNodeRequest>(explain_job_on_node);
  table["Explain.ExplainNode"] = decoded<v1::ExplainNodeRequest>(explain_node);
}

}  // namespace argosy::actors
