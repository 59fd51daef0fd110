// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/system/job_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "runtime/trace/render_text.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::DescribeJobResponse;
using trace::finished_span;

std::string value_of(const finished_span& span, std::string_view key) {
  for (const auto& [known, value] : span.attributes)
    if (known == key) return value;
  return {};
}

std::string with(std::string text, const std::string& detail, std::string_view between = ": ") {
  return detail.empty() ? text : text.append(between).append(detail);
}

std::string took(std::int64_t from_ns, std::int64_t to_ns) {
  return story_duration(to_ns - from_ns);
}

/// Tells the events of the history one after the other, remembering what their words refer to.
class teller {
 public:
  teller(const DescribeJobResponse& job, const std::vector<finished_span>& spans) : job_(job) {
    for (const auto& span : spans)
      if (span.name == "lease" && value_of(span, "job") == job.summary().job_id())
        leases_[span.start_nanos] = &span;
  }

  void tell(const event_text& event) {
    const auto at = event.created_ns;
    if (event.name == "submitted") {
      add(at, with("submitted", job_.summary().owner(), " by "));
    } else if (event.name == "queued") {
      waits_since_ = at;
      add(at, fmt::format("accepted, and waiting in queue '{}'", job_.summary().queue()));
    } else if (event.name == "leased") {
      add(at, leased_words(event));
    } else if (event.name == "pending") {
      add(at, with("the cluster is about to start it", event.detail));
    } else if (event.name == "running") {
      runs_since_ = at;
      add(at, with("started", event.detail));
    } else {
      tell_end(event);
    }
  }

  std::vector<story_step> take() { return std::move(steps_); }

  void add(std::int64_t at_ns, std::string words, look as = look::plain) {
    steps_.push_back({at_ns, std::move(words), as});
  }

 private:
  /// The words for a lease. The round that gave it ended a moment before the event; it is the last
  /// one before that.
  std::string leased_words(const event_text& event) {
    std::string words = "leased " + event.detail;
    constexpr std::int64_t slack_ns = 1'000'000'000;
    auto after = leases_.upper_bound(event.created_ns + slack_ns);
    if (after != leases_.begin()) {
      const auto& lease = *std::prev(after)->second;
      words = fmt::format("round #{} gave it room", value_of(lease, "round"));
      words = with(words, value_of(lease, "node"), " on ");
    }
    if (waits_since_ != 0)
      words += fmt::format("; it had waited {}", took(waits_since_, event.created_ns));
    return words;
  }

  void tell_end(const event_text& event) {
    const auto at = event.created_ns;
    const auto ran =
        runs_since_ == 0 ? std::string{} : fmt::format(" after running {}", took(runs_since_, at));
    if (event.name == "succeeded") {
      add(at, "succeeded" + ran, event.as);
    } else if (event.state == api::JobState::FAILED || event.state == api::JobState::REJECTED) {
      add(at, with("FAILED" + ran, event.detail), event.as);
    } else if (event.state == api::JobState::QUEUED) {
      add(at,
          with(event.name == "failed" ? "FAILED" + ran + ", to be tried again"
                                      : "came back and waits again",
               event.detail),
          event.as);
      waits_since_ = at;
    } else {
      auto name = event.name;
      std::replace(name.begin(), name.end(), '_', ' ');
      add(at, with(name + (event.state ? ran : std::string{}), event.detail, " "), event.as);
    }
    if (event.state) runs_since_ = 0;
  }

  const DescribeJobResponse& job_;
  std::map<std::int64_t, const finished_span*> leases_;
  std::vector<story_step> steps_;
  std::int64_t waits_since_ = 0;
  std::int64_t runs_since_ = 0;
};

/// Adds the submission as the client saw it.
void add_client(const std::vector<finished_span>& spans, teller& story) {
  for (const auto& span : spans) {
    if (span.process != "argosyctl") continue;
    story.add(span.start_nanos, fmt::format("'{}' sent it to the server", span.name));
    story.add(span.end_nanos(),
              fmt::format("'{}' had the server's answer after {}{}", span.name,
                          story_duration(span.duration_nanos), span.failed ? ": FAILED" : ""),
              span.failed ? look::bad : look::plain);
    return;
  }
}

/// Adds the present state.
void add_present(const DescribeJobResponse& job, std::int64_t now_ns, teller& story) {
  const auto& sum = job.summary();
  if (is_over(sum.state())) return;
  if (job.round() != 0)
    story.add(job.round_ns(),
              with(fmt::format("round #{} looked at it and did not place it", job.round()),
                   job.reason_lines().empty() ? sum.reason() : job.reason_lines(0)),
              look::warning);
  const auto since = sum.changed_ns() == 0
                         ? std::string{}
                         : fmt::format(" for {}", human_age(sum.changed_ns(), now_ns));
  story.add(now_ns, fmt::format("now: {}{}", state_name(sum.state()), since), look::strong);
}

}  // namespace

std::string story_duration(std::int64_t nanos) {
  constexpr std::int64_t two_minutes = 120'000'000'000;
  return nanos < two_minutes ? trace::duration_text(std::max<std::int64_t>(0, nanos))
                             : human_duration(std::chrono::nanoseconds{nanos});
}

std::vector<story_step> story_of(const DescribeJobResponse& job,
                                 const std::vector<finished_span>& spans, std::int64_t now_ns) {
  teller story{job, spans};
  event_text before;
  for (const auto& message : job.history()) {
    auto event = describe_event(message);
    if (!says_again(event, before)) story.tell(event);
    before = std::move(event);
  }
  add_client(spans, story);
  add_present(job, now_ns, story);
  auto steps = story.take();
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  return steps;
}

}  // namespace argosy::ctl
