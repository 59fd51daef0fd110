// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/event_text.hpp"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/time_util.h>

#include <array>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

using api::EventMessage;
using api::JobState;

/// The place of a run: "a on b"; either part may be missing.
std::string place(const std::string& cluster, const std::string& node) {
  if (node.empty()) return cluster;
  return cluster.empty() ? node : fmt::format("{} on {}", node, cluster);
}

std::string failure_detail(const api::JobFailedEvent& failed) {
  auto text = failed.reason();
  for (const auto& status : failed.container_statuses())
    if (status.exitcode() != 0 && text.find("exit") == std::string::npos)
      text += fmt::format("{}container {} exited with {}", text.empty() ? "" : "; ", status.name(),
                          status.exitcode());
  if (!failed.failure_category().empty())
    text +=
        fmt::format("{}[{}{}{}]", text.empty() ? "" : " ", failed.failure_category(),
                    failed.failure_subcategory().empty() ? "" : "/", failed.failure_subcategory());
  return text;
}

template <class Event>
event_text basics(const Event& event) {
  event_text text;
  text.job_id = event.job_id();
  text.queue = event.queue();
  text.job_set = event.job_set_id();
  text.created_ns = google::protobuf::util::TimeUtil::TimestampToNanoseconds(event.created());
  return text;
}

template <class Event>
event_text made(const Event& event, std::optional<JobState> state, std::string detail = {},
                look as = look::plain) {
  auto text = basics(event);
  text.state = state;
  text.detail = std::move(detail);
  text.as = as;
  return text;
}

std::string by(const std::string& requestor, const std::string& reason) {
  auto text = requestor.empty() ? std::string{} : "by " + requestor;
  if (!reason.empty()) text += (text.empty() ? "" : ": ") + reason;
  return text;
}

event_text failed_text(const api::JobFailedEvent& e) {
  if (e.retryable())
    return made(e, JobState::QUEUED, failure_detail(e) + "; it is tried again", look::warning);
  const auto state = e.cause() == api::Cause::Rejected ? JobState::REJECTED : JobState::FAILED;
  return made(e, state, failure_detail(e), look::bad);
}

event_text content(const EventMessage& m) {
  switch (m.events_case()) {
    case EventMessage::kSubmitted:
      return made(m.submitted(), JobState::QUEUED);
    case EventMessage::kQueued:
      return made(m.queued(), JobState::QUEUED);
    case EventMessage::kLeased:
      return made(m.leased(), JobState::LEASED, "to " + m.leased().cluster_id());
    case EventMessage::kLeaseReturned:
      return made(m.lease_returned(), JobState::QUEUED, m.lease_returned().reason(), look::warning);
    case EventMessage::kLeaseExpired:
      return made(m.lease_expired(), JobState::QUEUED, "the cluster fell silent", look::warning);
    case EventMessage::kPending:
      return made(m.pending(), JobState::PENDING, place(m.pending().cluster_id(), ""));
    case EventMessage::kRunning:
      return made(m.running(), JobState::RUNNING,
                  place(m.running().cluster_id(), m.running().node_name()));
    case EventMessage::kFailed:
      return failed_text(m.failed());
    case EventMessage::kSucceeded:
      return made(m.succeeded(), JobState::SUCCEEDED,
                  place(m.succeeded().cluster_id(), m.succeeded().node_name()), look::good);
    case EventMessage::kReprioritizing:
      return made(m.reprioritizing(), {}, fmt::format("to {}", m.reprioritizing().new_priority()));
    case EventMessage::kReprioritized:
      return made(m.reprioritized(), {}, fmt::format("to {}", m.reprioritized().new_priority()));
    case EventMessage::kCancelling:
      return made(m.cancelling(), {}, by(m.cancelling().requestor(), m.cancelling().reason()));
    case EventMessage::kCancelled:
      return made(m.cancelled(), JobState::CANCELLED,
                  by(m.cancelled().requestor(), m.cancelled().reason()), look::warning);
    case EventMessage::kPreempting:
      return made(m.preempting(), {}, by(m.preempting().requestor(), m.preempting().reason()));
    case EventMessage::kPreempted:
      return made(m.preempted(), JobState::PREEMPTED, m.preempted().reason(), look::warning);
    case EventMessage::kUtilisation:
      return made(m.utilisation(), {});
    case EventMessage::kIngressInfo:
      return made(m.ingress_info(), {});
    case EventMessage::EVENTS_NOT_SET:
      break;
  }
  return {};
}

}  // namespace

event_text describe_event(const EventMessage& event) {
  auto text = content(event);
  const auto* oneof = EventMessage::descriptor()->FindOneofByName("events");
  const auto* field = event.GetReflection()->GetOneofFieldDescriptor(event, oneof);
  text.name = field == nullptr ? "unknown" : field->name();
  return text;
}

bool says_again(const event_text& event, const event_text& before) {
  return event.name == "failed" && before.name == "preempted" && event.job_id == before.job_id;
}

std::string state_name(JobState state) {
  return lower_case(api::JobState_Name(state));
}

look state_look(JobState state) {
  switch (state) {
    case JobState::SUCCEEDED:
      return look::good;
    case JobState::FAILED:
    case JobState::REJECTED:
      return look::bad;
    case JobState::CANCELLED:
    case JobState::PREEMPTED:
      return look::warning;
    case JobState::RUNNING:
      return look::strong;
    default:
      return look::plain;
  }
}

bool is_over(JobState state) {
  return state == JobState::SUCCEEDED || state == JobState::FAILED ||
         state == JobState::PREEMPTED || state == JobState::CANCELLED ||
         state == JobState::REJECTED;
}

result<JobState> parse_state(const std::string& name) {
  // No listed job is in one of the two other states.
  JobState state{};
  const bool known = api::JobState_Parse(upper_case(name), &state);
  if (known && state != JobState::UNKNOWN && state != JobState::SUBMITTED) return state;
  return fail(ec::invalid_argument,
              fmt::format("'{}' is not a state; the states are queued, leased, pending, running, "
                          "succeeded, failed, preempted, cancelled and rejected",
                          name));
}

}  // namespace argosy::ctl
