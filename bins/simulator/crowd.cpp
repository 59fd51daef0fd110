// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/crowd.hpp"

#include <algorithm>
#include <utility>

#include "messages/proto/api/job.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/check.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

void set_resource(k8s::io::api::core::v1::ResourceRequirements& of, const std::string& name,
                  const std::string& amount) {
  (*of.mutable_requests())[name].set_string(amount);
  (*of.mutable_limits())[name].set_string(amount);
}

}  // namespace

std::string crowd::queue_of(std::uint64_t number) {
  return "queue" + std::to_string(number);
}

std::string crowd::set_of(std::uint64_t number) {
  return "set" + std::to_string(number);
}

crowd::crowd(surroundings& around, std::uint64_t seed, const crowd_rules& rules)
    : around_(around), chances_(seed), rules_(rules), desk_(around, "a user") {}

void crowd::begin(virtual_time::duration until) {
  for (std::uint64_t i = 0; i < rules_.queues; ++i) make_queue(i);
  around_.time.after(1s, [this, until] { come(until); });
}

void crowd::make_queue(std::uint64_t number) {
  api::Queue queue;
  queue.set_name(queue_of(number));
  queue.set_priority_factor(1.0 + static_cast<double>(number));
  desk_.ask("Submit.CreateQueue", queue, [](const std::string&) {});
}

void crowd::come(virtual_time::duration until) {
  if (around_.time.now() >= until) return;
  const auto what = chances_.below(20);
  if (what == 0)
    cancel_any();
  else if (what == 1)
    reprioritise();
  else if (what == 2 && chances_.one_in(10))
    cancel_set();
  else
    submit();
  const auto hour = std::chrono::nanoseconds{1h};
  // A submission has two jobs on average.
  const auto gap = hour / static_cast<std::int64_t>(rules_.jobs_an_hour) * 2;
  around_.time.after(chances_.around(gap), [this, until] { come(until); });
}

void crowd::submit() {
  const auto number = ++submissions_;
  const auto queue = chances_.below(rules_.queues);
  const auto count = 1 + chances_.below(3);
  const bool is_gang = rules_.gangs && count > 1 && chances_.one_in(4);
  const bool is_endless = chances_.one_in(20);
  const bool never_fits = chances_.one_in(40);
  const bool gives_way = rules_.preemptible && chances_.one_in(4);
  const auto key = "c" + std::to_string(number);
  api::JobSubmitRequest request;
  const auto set = set_of(chances_.below(10));
  request.set_queue(queue_of(queue));
  request.set_job_set_id(set);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto& item = *request.add_job_request_items();
    item.set_namespace_("default");
    item.set_client_id(key + "." + std::to_string(i));
    auto& notes = *item.mutable_annotations();
    // A job without an end is there to be cancelled, and one that is too large for every node to be
    // refused.
    const auto runtime =
        is_endless ? std::chrono::nanoseconds{100h} : 1s + chances_.around(rules_.mean_runtime);
    notes["argosy.io/simRuntime"] = std::to_string(runtime / 1ms) + "ms";
    if (is_gang) {
      notes["armadaproject.io/gangId"] = "gang" + std::to_string(number);
      notes["armadaproject.io/gangCardinality"] = std::to_string(count);
    }
    if (gives_way) item.mutable_pod_spec()->set_priorityclassname("armada-preemptible");
    auto& container = *item.mutable_pod_spec()->add_containers();
    container.set_name("main");
    container.set_image("work");
    container.add_command("true");
    auto& wants = *container.mutable_resources();
    set_resource(wants, "cpu", std::to_string(never_fits ? 1'000 : 1 + chances_.below(4)));
    set_resource(wants, "memory", "1Gi");
  }
  // A preemption ends a job, and so do others of its gang.
  const auto expected = gives_way || is_gang || is_endless || never_fits
                            ? witness::ending::any
                            : witness::ending::succeeds;
  desk_.ask(
      "Submit.SubmitJobs", request,
      [this, key, expected, is_endless,
       where = std::pair{queue_of(queue), set}](const std::string& data) {
        api::JobSubmitResponse got;
        ARGOSY_CHECK(got.ParseFromString(data));
        const bool may_be_cancelled = cancelled_sets_.contains(where);
        for (int i = 0; i < got.job_response_items_size(); ++i) {
          told_.push_back({key, static_cast<std::size_t>(i), got.job_response_items(i).job_id(),
                           may_be_cancelled ? witness::ending::any : expected});
          sets_.push_back(where);
        }
        counts_.accepted += static_cast<std::uint64_t>(got.job_response_items_size());
        std::vector<std::string> jobs;
        for (const auto& item : got.job_response_items()) jobs.push_back(item.job_id());
        if (chances_.one_in(10)) look_up(jobs);
        if (!is_endless) return;
        around_.time.after(chances_.around(rules_.mean_runtime), [this, jobs] { cancel(jobs); });
      });
}

void crowd::cancel_any() {
  if (told_.empty()) return;
  // Mostly it is a young one, which may be anywhere on its way.
  const auto back = 1 + chances_.below(std::min<std::uint64_t>(told_.size(), 30));
  auto& one = told_[told_.size() - back];
  one.expected = witness::ending::any;
  cancel({one.job});
}

void crowd::cancel(const std::vector<std::string>& jobs) {
  api::JobCancelRequest request;
  for (const auto& job : jobs) request.add_job_ids(job);
  ++counts_.cancels;
  desk_.ask("Submit.CancelJobs", request, [](const std::string&) {});
}

void crowd::reprioritise() {
  if (told_.empty()) return;
  api::JobReprioritizeRequest request;
  const auto back = 1 + chances_.below(std::min<std::uint64_t>(told_.size(), 30));
  request.add_job_ids(told_[told_.size() - back].job);
  request.set_new_priority(static_cast<double>(chances_.below(1'000)));
  ++counts_.priorities;
  desk_.ask("Submit.ReprioritizeJobs", request, [](const std::string&) {});
}

void crowd::cancel_set() {
  const auto queue = queue_of(chances_.below(rules_.queues));
  const auto set = set_of(chances_.below(10));
  for (std::size_t i = 0; i < told_.size(); ++i)
    if (sets_[i] == std::pair{queue, set}) told_[i].expected = witness::ending::any;
  api::JobSetCancelRequest request;
  request.set_queue(queue);
  request.set_job_set_id(set);
  ++counts_.cancelled_sets;
  cancelled_sets_.emplace(queue, set);
  desk_.ask("Submit.CancelJobSet", request, [](const std::string&) {});
}

void crowd::look_up(const std::vector<std::string>& jobs) {
  api::JobStatusRequest request;
  for (const auto& job : jobs) request.add_job_ids(job);
  counts_.looked_up += jobs.size();
  desk_.ask("Jobs.GetJobStatus", request, [this, jobs](const std::string& data) {
    api::JobStatusResponse got;
    ARGOSY_CHECK(got.ParseFromString(data));
    for (const auto& job : jobs) {
      const auto at = got.job_states().find(job);
      if (at == got.job_states().end() || at->second == api::UNKNOWN)
        around_.found("job " + job + " was accepted, and whoever asks for it does not find it");
    }
  });
}

}  // namespace argosy::sim
