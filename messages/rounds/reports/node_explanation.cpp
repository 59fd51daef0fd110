// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/node_explanation.hpp"

#include <fmt/format.h>

#include <vector>

#include "messages/rounds/reports/job_explanation.hpp"
#include "messages/rounds/reports/report_words.hpp"
#include "runtime/model/node_trouble.hpp"

namespace argosy::rounds {

namespace {

using obstacles = google::protobuf::RepeatedPtrField<v1::NodeObstacle>;
using rooms = google::protobuf::RepeatedPtrField<v1::NodeRoom>;

v1::NodeObstacle& add(obstacles& out, std::string code, std::string text) {
  auto& to = *out.Add();
  to.set_code(std::move(code));
  to.set_text(std::move(text));
  return to;
}

/// What keeps all jobs away, in more words than the snapshot has, which only says that the node is
/// closed. If nobody knows why, its words are taken.
void add_closures(const node_facts& node, const std::vector<native::node_obstacle>& seen,
                  obstacles& out) {
  const auto& status = node.status;
  if (!node.silence.empty()) add(out, "CLUSTER_SILENT", node.silence);
  if (status.state == "gone") add(out, "NODE_CLOSED", "the node has left its cluster");
  if (!status.cordon.empty())
    add(out, "NODE_CORDONED",
        "the node is " + status.cordon + (status.drain ? "; it is being drained" : ""));
  else if (const auto trouble = model::trouble_of(status.info); !trouble.empty())
    add(out, "NODE_CLOSED", "the node takes no new jobs: " + trouble);
  else if (status.info.unschedulable)
    add(out, "NODE_CLOSED", "its cluster has closed the node to new jobs");
  if (status.state == "quarantined")
    add(out, "NODE_QUARANTINED",
        "the node is quarantined" + (status.why.empty() ? "" : ": " + status.why))
        .set_until_ns(status.quarantined_until_ns);
  if (!out.empty()) return;
  for (const auto& each : seen) add(out, each.code, each.text);
}

void add_room(const std::vector<scheduling::resource_room>& room, rooms& out) {
  for (const auto& each : room) {
    auto& to = *out.Add();
    to.set_resource(each.resource);
    to.set_asked(each.asked);
    to.set_total(each.total);
    to.set_free(each.free);
    for (const auto& [priority, free] : each.at_priority) {
      auto& row = *to.add_at_priority();
      row.set_priority(priority);
      row.set_free(free);
    }
  }
}

bool is_closure(const native::node_obstacle& what) {
  return what.code == "NODE_CLOSED" || what.code == "NODE_QUARANTINED" ||
         what.code == "NODE_OVERFULL";
}

void add_obstacles(const native::job_on_node& answer, const node_facts& node, obstacles& out) {
  if (answer.closed) add_closures(node, {answer.obstacles.front()}, out);
  for (const auto& each : answer.obstacles)
    if (!is_closure(each)) add(out, each.code, each.text);
}

/// What the last round said, as the end of a sentence.
std::string last_word(const native::job_on_node& answer) {
  if (answer.code.empty()) return "; no round has looked at it since it waits";
  return fmt::format("; in round {}: {}", answer.round, answer.why);
}

std::string way_text(const v1::JobOnNode& out) {
  const auto& first = out.obstacles(0).text();
  if (out.obstacles_size() == 1) return first;
  return fmt::format("{}; {} more {} in its way", first,
                     count_of(static_cast<std::uint64_t>(out.obstacles_size()) - 1, "thing"),
                     out.obstacles_size() == 2 ? "stands" : "stand");
}

std::string waiting_verdict(const native::job_on_node& answer, const v1::JobOnNode& out) {
  if (out.fits()) return "nothing about the node stands in its way" + last_word(answer);
  if (out.fits_by_preemption())
    return "the node has room for it only if jobs of lower priority leave" + last_word(answer);
  return way_text(out);
}

std::string elsewhere_verdict(const std::string& run_verdict, const v1::JobOnNode& out) {
  const auto node = fmt::format("; node {} of cluster {} ", out.node(), out.cluster());
  if (out.fits()) return run_verdict + node + "would have room for it now as well";
  if (out.fits_by_preemption())
    return run_verdict + node + "would have room for it only if jobs of lower priority left";
  return run_verdict + node + "could not take it now: " + way_text(out);
}

void judge(const model::job_record& job, const native::job_on_node& answer, const node_facts& node,
           v1::JobOnNode& out) {
  if (!answer.node_known) {
    add(*out.mutable_obstacles(), "NODE_UNKNOWN", "no round knows the node yet");
  } else if (answer.job_known) {
    add_obstacles(answer, node, *out.mutable_obstacles());
    out.set_fits(out.obstacles().empty());
    out.set_fits_by_preemption(answer.fits_by_preemption);
  }
  if (job.live_run() != nullptr) {
    out.set_verdict(elsewhere_verdict(out.verdict(), out));
    out.add_notes(fmt::format("What the nodes were like then says: argosyctl explain {} --round {}",
                              out.job_id(), out.run().round()));
  } else if (answer.job_known || !answer.node_known) {
    out.set_verdict(waiting_verdict(answer, out));
  }
  if (answer.away)
    out.add_notes(
        fmt::format("It could run there only away from its own type of nodes, at priority {}.",
                    answer.priority));
  if (job.header->gang)
    out.add_notes(fmt::format(
        "It is one of {} members of a gang, which start together; this is about it alone.",
        job.header->gang->cardinality));
}

}  // namespace

v1::JobOnNode explanation_of(const model::job_record& job, const native::job_on_node& answer,
                             const node_facts& node) {
  const auto of_job = explanation_of(job, {}, {});
  v1::JobOnNode out;
  out.set_job_id(of_job.job_id());
  out.set_queue(of_job.queue());
  out.set_state(of_job.state());
  out.set_cluster(node.status.cluster);
  out.set_node(node.status.info.name);
  out.set_pool(node.status.pool);
  out.set_verdict(of_job.verdict());
  out.set_priority(answer.priority);
  if (of_job.has_run()) *out.mutable_run() = of_job.run();
  add_room(answer.room, *out.mutable_room());
  const auto* run = job.live_run();
  const bool waits = job.state == model::job_state::queued && !is_kept_back(job.hold);
  out.set_runs_here(run != nullptr && run->cluster.str() == out.cluster() &&
                    run->node.str() == out.node());
  if (waits) {
    out.set_code(answer.code);
    out.set_round(answer.round);
  }
  if ((waits || run != nullptr) && !out.runs_here()) judge(job, answer, node, out);
  return out;
}

v1::NodeExplanation explanation_of(const native::node_answer& answer, const node_facts& node,
                                   const model::queue_name& queue) {
  v1::NodeExplanation out;
  out.set_cluster(node.status.cluster);
  out.set_node(node.status.info.name);
  out.set_pool(node.status.pool);
  out.set_state(node.status.state);
  add_closures(node, answer.closures, *out.mutable_obstacles());
  if (!answer.node_known)
    add(*out.mutable_obstacles(), "NODE_UNKNOWN", "no round knows the node yet");
  add_room(answer.room, *out.mutable_room());
  out.set_waiting(answer.waiting);
  out.set_looked_at(answer.looked_at);
  out.set_could_run(answer.fitting);
  for (const auto& each : answer.jobs) {
    auto& to = *out.add_jobs();
    to.set_job_id(to_string(each.id));
    to.set_queue(each.queue);
    to.set_place_in_queue(each.place);
    to.set_by_preemption(each.by_preemption);
    to.set_code(each.code);
    to.set_why(each.why);
  }
  for (const auto& each : answer.others) {
    auto& to = *out.add_others();
    to.set_jobs(each.jobs);
    to.set_code(each.code);
    to.set_why(each.why);
  }
  const auto of_queue = queue.empty() ? std::string{} : " of queue " + queue;
  const bool one = answer.fitting == 1 || answer.looked_at == 1;
  const auto waiting = answer.waiting == 0 ? "no job" + of_queue + " waits"
                                           : fmt::format("{} of {}{} {} there", answer.fitting,
                                                         count_of(answer.looked_at, "waiting job"),
                                                         of_queue, one ? "fits" : "fit");
  out.set_verdict(out.obstacles().empty()
                      ? waiting
                      : out.obstacles(0).text() + ", so that no job starts there; " + waiting +
                            (answer.waiting == 0 ? "" : " otherwise"));
  return out;
}

}  // namespace argosy::rounds
