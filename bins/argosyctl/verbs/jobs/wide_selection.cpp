// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/wide_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <set>
#include <string_view>
#include <utility>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/pages.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/jobs/operation_call.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"
#include "google/protobuf/empty.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"

namespace argosy::ctl {

using argosy::v1::JobSummary;

namespace {

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::find(list, value) != list.end();
}

std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const auto& list : lists)
    for (std::size_t at = 0; at <= list.size();) {
      const auto end = std::min(list.find(',', at), list.size());
      if (end > at) out.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  return out;
}

template <class Request>
void set_classes(const std::vector<std::string>& classes, Request& out) {
  out.mutable_priorityclasses()->Assign(classes.begin(), classes.end());
}

result<std::vector<std::string>> all_queues(client& server) {
  const auto queues = call_pages<argosy::v1::ListQueuesResponse>(server, "Query.ListQueues",
                                                                 argosy::v1::ListQueuesRequest{});
  if (!queues) return fail(queues.error());
  std::vector<std::string> out;
  for (const auto& queue : queues->queues()) out.push_back(queue.queue().name());
  return out;
}

}  // namespace

std::string jobs_text(const job_roll& jobs) {
  std::set<std::string> queues;
  for (const auto& job : jobs.jobs()) queues.insert(jobs.sets()[job.set].first);
  const auto count = jobs.jobs().size();
  auto text = fmt::format("{} job{}", count, count == 1 ? "" : "s");
  if (queues.size() > 1) text += fmt::format(" of {} queues", queues.size());
  return text;
}

void wide_selection::add_options(CLI::App& app) {
  const auto list = [&app](const char* name, std::vector<std::string>& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
  };
  app.add_option("--cluster,-e", cluster_, "All jobs that run on this cluster, or its node --node")
      ->type_name("CLUSTER");
  app.add_option("--executor", cluster_)->group("");
  app.add_option("--node", node_, "All jobs that run on this node, alone or as CLUSTER/NODE")
      ->type_name("NODE");
  if (how_ == ending::cancel) {
    list("--state", states_, "With a queue alone: only jobs in these states, separated by commas")
        ->type_name("STATE");
    list("-s,--job-states", states_, "")->group("");
  }
  list("--priority-class", classes_,
       "With a queue, cluster or node: only jobs of these classes, separated by commas")
      ->type_name("CLASS");
  list("-p,--priority-classes", classes_, "")->group("");
  app.add_flag("-a,--all-priority-classes", all_classes_)->group("");
  list("--pool", pools_, "With a queue or cluster: only jobs that run in these pools")
      ->type_name("POOL");
  list("--pools", pools_, "")->group("");
  list("--queues", queues_, "")->group("");
  app.add_flag("-y,--yes", yes_, "Do not ask, however many jobs a queue, cluster or node has");
}

/// Takes "executor NAME", "node NAME" or "queues NAME…" from the words.
result<void> wide_selection::read_kind(std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto& kind = words.front();
  const bool of_queues = kind == "queue" || kind == "queues";
  const bool of_cluster = kind == "executor" || kind == "cluster";
  const bool of_node = kind == "node";
  if (!of_queues && !of_cluster && !of_node) return {};
  if (of_queues) {
    queues_.insert(queues_.end(), words.begin() + 1, words.end());
    of_ = extent::queues;
  } else {
    auto& name = of_node ? node_ : cluster_;
    if (words.size() != 2 || (of_cluster && !cluster_.empty()) || (of_node && !node_.empty()))
      return fail(ec::invalid_argument, fmt::format("name one {} behind '{}'", kind, kind));
    name = words.back();
  }
  words.clear();
  kind_was_named_ = true;
  return {};
}

result<void> wide_selection::settle(job_selection& jobs) {
  if (auto read = read_kind(jobs.words); !read) return read;
  if (!node_.empty())
    of_ = extent::node;
  else if (!cluster_.empty())
    of_ = extent::cluster;
  else if (jobs.is_queue() && !kind_was_named_)
    of_ = extent::queues;
  if (!is_given()) return check_flags();
  if (!jobs.words.empty() || !jobs.job_set().empty())
    return fail(ec::invalid_argument,
                "name either jobs or a job set, or all of a queue, a cluster or a node");
  if (!jobs.queue().empty()) {
    if (kind_was_named_ && of_ != extent::queues)
      queues_ = split({jobs.queue()});
    else
      queues_.push_back(jobs.queue());
  }
  if (of_ == extent::queues && queues_.empty()) return fail(ec::invalid_argument, "name the queue");
  for (const auto& name : states_) {
    const auto state = parse_state(name);
    if (!state) return fail(ec::invalid_argument, "--state: " + state.error().detail);
    if (is_over(*state))
      return fail(ec::invalid_argument, fmt::format("--state: jobs that are {} have ended", name));
    wanted_states_.push_back(*state);
  }
  return check_flags();
}

result<void> wide_selection::check_flags() const {
  if (!is_given() && (!classes_.empty() || !pools_.empty() || !states_.empty()))
    return fail(ec::invalid_argument,
                "--state, --priority-class and --pool go with a queue, a cluster or a node");
  if (of_ != extent::queues && !states_.empty())
    return fail(ec::invalid_argument, "--state goes with a queue alone; what is on a cluster runs");
  if (of_ == extent::node && !pools_.empty())
    return fail(ec::invalid_argument, "--pool does not go with --node");
  if (all_classes_ && !classes_.empty())
    return fail(ec::invalid_argument, "name priority classes or all of them, not both");
  return {};
}

/// Finds the node or cluster among those that the server knows.
result<void> wide_selection::find_place(client& server) {
  if (of_ == extent::cluster) return check_cluster(server, cluster_);
  if (of_ != extent::node) return {};
  auto place = find_node(server, node_, cluster_);
  if (!place) return fail(std::move(place.error()));
  cluster_ = std::move(place->cluster);
  node_ = std::move(place->node);
  return {};
}

bool wide_selection::passes(const JobSummary& job) const {
  return (classes_.empty() || contains(classes_, job.priority_class())) &&
         (pools_.empty() ||
          (job.state() != api::JobState::QUEUED && contains(pools_, job.pool()))) &&
         (of_ == extent::queues || job.cluster() == cluster_) &&
         (of_ != extent::node || job.node() == node_);
}

result<void> wide_selection::list(client& server, const std::string& queue, job_roll& found,
                                  filters& unseen) const {
  argosy::v1::ListJobsRequest request;
  request.set_queue(queue);
  request.set_active_only(true);
  for (const auto state : wanted_states_) request.add_states(state);
  if (of_ != extent::queues || how_ == ending::preempt)
    for (const auto state : {api::JobState::LEASED, api::JobState::PENDING, api::JobState::RUNNING})
      request.add_states(state);
  return for_each_listed(server, request, [&](JobSummary& job) {
    if (!passes(job)) return true;
    found.add(job);
    std::erase(unseen.pools, job.pool());
    std::erase(unseen.classes, job.priority_class());
    return true;
  });
}

result<job_roll> wide_selection::find(client& server) {
  if (auto known = find_place(server); !known) return fail(std::move(known.error()));
  job_roll found;
  filters unseen{pools_, classes_};
  for (const auto& queue : queues_) {
    const auto before = found.jobs().size();
    if (auto listed = list(server, queue, found, unseen); !listed)
      return fail(std::move(listed.error()));
    if (found.jobs().size() == before)
      if (auto known = check_queue(server, queue); !known) return fail(std::move(known.error()));
  }
  if (queues_.empty())
    if (auto listed = list(server, {}, found, unseen); !listed)
      return fail(std::move(listed.error()));
  // Jobs may still be of a pool or a class that is gone; where there are none, its name may be
  // misspelt.
  if (auto known = check_pools(server, unseen.pools); !known) return fail(std::move(known.error()));
  if (auto known = check_classes(server, unseen.classes); !known)
    return fail(std::move(known.error()));
  return found;
}

result<bool> wide_selection::confirm(session& s, const job_roll& jobs) const {
  const std::string_view verb = how_ == ending::cancel ? "cancel" : "preempt";
  if (yes_ || jobs.jobs().size() <= 1) return true;
  if (!s.out.where().in_is_terminal) {
    if (kind_was_named_) return true;
    return fail(ec::invalid_argument,
                fmt::format("this would {} {}; say --yes if that is meant, or --dry-run to see "
                            "how many they are",
                            verb, jobs_text(jobs)));
  }
  return s.is_agreed(fmt::format("{} {}", verb, jobs_text(jobs)));
}

template <class OnQueue, class OnExecutor, class OnNode>
result<exit_code> wide_selection::send_as(session& s, client& server) const {
  using google::protobuf::Empty;
  const std::string verb = how_ == ending::cancel ? "Cancel" : "Preempt";
  const auto exit_of = [](const result<Empty>& done) -> result<exit_code> {
    if (done) return exit_code::success;
    return fail(done.error());
  };
  if (of_ == extent::queues) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      OnQueue request;
      request.set_name(queues_[i]);
      set_classes(classes_, request);
      request.mutable_pools()->Assign(pools_.begin(), pools_.end());
      if constexpr (requires { request.add_jobstates(api::JobState::QUEUED); }) {
        for (const auto state : wanted_states_) request.add_jobstates(state);
        if (wanted_states_.empty())
          for (const auto state : {api::JobState::QUEUED, api::JobState::LEASED,
                                   api::JobState::PENDING, api::JobState::RUNNING})
            request.add_jobstates(state);
      }
      const auto done =
          call_operation<Empty>(s, server, "QueueService." + verb + "OnQueue", request);
      if (!done && i == 0) return fail(done.error());
      if (!done) {
        s.out.error_line(fmt::format("queue '{}': {}", queues_[i], done.error().detail));
        return exit_code::partial;
      }
    }
    return exit_code::success;
  }
  // An empty list would mean no queue at all.
  auto queues = queues_.empty() ? all_queues(server) : result<std::vector<std::string>>{queues_};
  if (!queues) return fail(std::move(queues.error()));
  if (of_ == extent::cluster) {
    OnExecutor request;
    request.set_name(cluster_);
    request.mutable_queues()->Assign(queues->begin(), queues->end());
    set_classes(classes_, request);
    request.mutable_pools()->Assign(pools_.begin(), pools_.end());
    return exit_of(call_operation<Empty>(s, server, "Executor." + verb + "OnExecutor", request));
  }
  OnNode request;
  request.set_name(node_);
  request.set_executor(cluster_);
  request.mutable_queues()->Assign(queues->begin(), queues->end());
  set_classes(classes_, request);
  return exit_of(call_operation<Empty>(s, server, "Node." + verb + "OnNode", request));
}

result<exit_code> wide_selection::send(session& s, client& server) const {
  return how_ == ending::cancel
             ? send_as<api::QueueCancelRequest, api::ExecutorCancelRequest, api::NodeCancelRequest>(
                   s, server)
             : send_as<api::QueuePreemptRequest, api::ExecutorPreemptRequest,
                       api::NodePreemptRequest>(s, server);
}

std::string wide_selection::list_again() const {
  return "argosyctl get jobs" + (queues_.size() == 1 ? " -q " + queues_.front() : std::string{}) +
         " --active";
}

}  // namespace argosy::ctl
