// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/job_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"

namespace argosy::ctl {

using argosy::v1::JobSummary;

void job_filter::add_options(CLI::App& app) {
  app.add_option("ids", words_, "Ids or their beginnings, @last, or - for stdin")->type_name("JOB");
  app.add_option("-q,--queue", queue_, "Only jobs of this queue")->type_name("QUEUE");
  app.add_option("--jobset", job_set_, "Only jobs of this job set")->type_name("SET");
  app.add_option("--state", states_, "Only jobs in these states, separated by commas")
      ->type_name("STATE")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--active", active_, "Only jobs that have not ended");
  app.add_option("--where", where_,
                 "Only jobs that meet all of these conditions, such as 'age>2h cpu>=8 "
                 "-reason:*memory*'; see 'argosyctl help conditions'")
      ->type_name("TEXT");
  app.add_option("-l,--label", labels_, "Only jobs with this label; a name alone takes any value")
      ->type_name("K=V")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--annotation", annotations_, "Only jobs with this annotation")
      ->type_name("K=V")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--name", name_, "Only jobs of this name; one of an array is NAME[3]")
      ->type_name("NAME");
  app.add_option("--owner", owner_, "Only jobs of this user; 'me' is yourself")->type_name("USER");
  app.add_option("--cluster", at_.cluster, "Only jobs whose last run is or was on this cluster")
      ->type_name("CLUSTER");
  app.add_option("--node", at_.node, "Only jobs whose last run is or was on this node")
      ->type_name("NODE");
  app.add_option("--pool", at_.pool, "Only jobs whose last run is or was in this pool")
      ->type_name("POOL");
  app.add_option("--limit", limit_, "At most so many jobs")->type_name("N");
}

result<void> job_filter::check() {
  request_.Clear();
  for (const auto& name : states_) {
    auto state = parse_state(name);
    if (!state) return fail(ec::invalid_argument, "--state: " + state.error().detail);
    request_.add_states(*state);
  }
  request_.set_queue(queue_);
  request_.set_job_set(job_set_);
  request_.set_active_only(active_);
  request_.set_limit(limit_);
  return make_search();
}

void job_filter::add_condition(const char* field, const std::string& value,
                               const std::string& key) {
  if (value.empty()) return;
  auto& out = *search_.add_conditions();
  out.set_field(field);
  out.set_key(key);
  out.add_values(value);
}

result<void> job_filter::make_search() {
  search_.Clear();
  if (is_search() && !words_.empty())
    return fail(ec::invalid_argument,
                "jobs are named, or found by --where and the like; leave one of both out");
  search_.set_where(where_);
  if (owner_ == "me") search_.set_where(where_ + " owner:me");
  search_.set_ascending(true);
  search_.set_limit(limit_);
  add_condition("queue", queue_);
  add_condition("jobSet", job_set_);
  if (owner_ != "me") add_condition("owner", owner_);
  add_condition("name", name_);
  add_condition("cluster", at_.cluster);
  // A node is shown as CLUSTER/NODE, and may be named so.
  const auto slash = at_.node.find('/');
  if (slash != std::string::npos) add_condition("cluster", at_.node.substr(0, slash));
  add_condition("node", slash == std::string::npos ? at_.node : at_.node.substr(slash + 1));
  add_condition("pool", at_.pool);
  for (const auto* tags : {&labels_, &annotations_})
    for (const auto& tag : *tags) {
      const auto sign = tag.find('=');
      auto& out = *search_.add_conditions();
      out.set_field(tags == &labels_ ? "label" : "annotation");
      out.set_key(tag.substr(0, sign));
      out.set_match(sign == std::string::npos ? "exists" : "exact");
      if (sign != std::string::npos) out.add_values(tag.substr(sign + 1));
    }
  if (request_.states_size() == 0 && !active_) return {};
  auto& states = *search_.add_conditions();
  states.set_field("state");
  states.set_match("anyOf");
  for (const auto state : request_.states())
    if (!(active_ && is_over(static_cast<api::JobState>(state))))
      states.add_values(api::JobState_Name(static_cast<api::JobState>(state)));
  if (request_.states_size() == 0)
    for (const auto* name : {"QUEUED", "LEASED", "PENDING", "RUNNING"}) states.add_values(name);
  if (states.values_size() == 0)
    return fail(ec::invalid_argument, "--active and --state leave no state");
  return {};
}

result<void> job_filter::read_names(session& s) {
  if (words_.empty()) return {};
  auto references = expand_references(words_, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  references_ = std::move(*references);
  return {};
}

bool job_filter::passes(const JobSummary& job) const {
  const auto& states = request_.states();
  return (queue_.empty() || job.queue() == queue_) &&
         (job_set_.empty() || job.job_set() == job_set_) && !(active_ && is_over(job.state())) &&
         (states.empty() || std::find(states.begin(), states.end(), job.state()) != states.end());
}

bool job_filter::passes(const argosy::v1::JobSetSummary& set) const {
  if (!job_set_.empty() && set.job_set() != job_set_) return false;
  return std::any_of(
      set.jobs_by_state().begin(), set.jobs_by_state().end(), [&](const auto& entry) {
        api::JobState state{};
        if (entry.second == 0 || !api::JobState_Parse(entry.first, &state)) return false;
        const auto& states = request_.states();
        return !(active_ && is_over(state)) &&
               (states.empty() || std::find(states.begin(), states.end(), state) != states.end());
      });
}

result<void> job_filter::for_each(client& server, const job_visitor& use) const {
  if (is_search()) return for_each_found(server, search_, use);
  if (words_.empty()) return for_each_listed(server, request_, use);
  std::uint32_t count = 0;
  bool stopped = false;
  auto done = for_each_resolved(server, references_, [&](JobSummary& job) {
    if (!passes(job)) return true;
    stopped = !use(job);
    return !stopped && (limit_ == 0 || ++count < limit_);
  });
  // To reach the limit is no interruption.
  if (!done && done.error().code == ec::cancelled && !stopped && limit_ != 0 && count == limit_)
    return {};
  return done;
}

result<void> job_filter::check_names(client& server) const {
  if (auto known = check_queue(server, queue_); !known) return known;
  // Not everybody may ask for places, and several clusters may have a node of this name.
  const auto is_unknown = [](const auto& found) {
    return !found && found.error().code == ec::not_found;
  };
  if (auto known = check_cluster(server, at_.cluster); is_unknown(known)) return known;
  if (!at_.node.empty())
    if (auto place = find_node(server, at_.node, at_.cluster); is_unknown(place))
      return fail(std::move(place.error()));
  if (!at_.pool.empty())
    if (auto known = check_pools(server, {at_.pool}); is_unknown(known)) return known;
  return {};
}

std::string job_filter::nothing_text() const {
  std::string text = "there are no jobs";
  if (!words_.empty()) text += " among those named";
  if (!queue_.empty()) text += fmt::format(" of queue '{}'", queue_);
  if (!job_set_.empty()) text += fmt::format(" in job set '{}'", job_set_);
  if (owner_ == "me")
    text += " of yours";
  else if (!owner_.empty())
    text += fmt::format(" of user '{}'", owner_);
  if (active_) text += " that have not ended";
  if (is_search(false)) text += " that meet the conditions";
  if (!states_.empty()) text += fmt::format(" in state {}", fmt::join(states_, " or "));
  return text;
}

}  // namespace argosy::ctl
