// SPDX-License-Identifier: Apache-2.0
// The verb describe job ID…: prints everything that is known about a job.
#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <deque>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/job_lists/told_jobs.hpp"
#include "bins/argosyctl/verbs/listing.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::DescribeJobResponse;

constexpr std::size_t events_shown = 10;
constexpr std::size_t title_width = 12;

class describe_job_command final : public command {
 public:
  explicit describe_job_command(CLI::App& app) {
    app.footer(
        "argosyctl describe job 01k9x2\n"
        "argosyctl describe @last -o yaml");
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->required()
        ->type_name("JOB");
  }
  std::vector<std::string> formats() const override { return {"table", "json", "yaml"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  std::vector<std::string> words_;
};

/// The last events of a job, oldest first.
std::deque<event_text> last_events(const DescribeJobResponse& job) {
  std::deque<event_text> events;
  for (const auto& message : job.history()) {
    auto event = describe_event(message);
    if (!events.empty() && says_again(event, events.back())) continue;
    events.push_back(std::move(event));
    if (events.size() > events_shown) events.pop_front();
  }
  return events;
}

void line(session& s, std::string_view title, const std::string& text) {
  if (text.empty()) return;
  s.out.print_line(s.out.paint(padded(title, title_width), look::strong) + escaped(text));
}

void coloured_line(session& s, std::string_view title, const std::string& ready) {
  s.out.print_line(s.out.paint(padded(title, title_width), look::strong) + ready);
}

std::string when(std::int64_t then, std::int64_t now) {
  return then == 0 ? std::string{}
                   : fmt::format("{} ({} ago)", utc_time(then), human_age(then, now));
}

std::string amounts_text(const argosy::v1::JobSummary& job) {
  std::string text;
  for (const auto& amount : job.requests())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", amount.resource(),
                        human_amount(amount.resource(), amount.amount()));
  return text;
}

template <class Map>
std::string map_text(const Map& map) {
  const std::map<std::string, std::string> sorted(map.begin(), map.end());
  std::string text;
  for (const auto& [key, value] : sorted)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  return text;
}

/// How many jobs of its queue rounds look at before they look at this one.
std::string place_text(std::uint64_t place) {
  if (place == 0) return {};
  if (place == 1) return "the first of its queue";
  return fmt::format("{} job{} of its queue {} before it", place - 1, place == 2 ? "" : "s",
                     place == 2 ? "is" : "are");
}

/// The category of its last failure: "internal/evicted".
std::string category_text(const DescribeJobResponse& job) {
  std::string text;
  for (const auto& message : job.history()) {
    if (!message.has_failed()) continue;
    text = message.failed().failure_category();
    if (!message.failed().failure_subcategory().empty())
      text += "/" + message.failed().failure_subcategory();
  }
  return text;
}

void print_summary(session& s, const DescribeJobResponse& job) {
  const auto& sum = job.summary();
  const auto now = s.now_ns();
  const auto since = sum.changed_ns() == 0
                         ? std::string{}
                         : fmt::format(" for {}", human_age(sum.changed_ns(), now));
  line(s, "Name", sum.name());
  line(s, "Job", sum.job_id());
  line(s, "Queue", sum.queue());
  line(s, "Job set", sum.job_set());
  line(s, "Namespace", sum.name_space());
  line(s, "Owner", sum.owner());
  coloured_line(s, "State", s.out.paint(state_name(sum.state()), state_look(sum.state())) + since);
  line(s, "Place", place_text(job.place_in_queue()));
  line(s, "Reason", sum.reason());
  if (sum.has_exit_code()) line(s, "Exit code", fmt::format("{}", sum.exit_code()));
  line(s, "Category", category_text(job));
  line(s, "Note", sum.note());
  line(s, "Priority",
       fmt::format("{}{}", sum.priority(),
                   sum.priority_class().empty() ? "" : ", class " + sum.priority_class()));
  line(s, "Requests", amounts_text(sum));
  if (!sum.gang().empty())
    line(s, "Gang", fmt::format("{}, {} members", sum.gang(), sum.gang_cardinality()));
  line(s, "Submitted", when(sum.submitted_ns(), now));
  line(s, "Started", when(sum.started_ns(), now));
  // A job that ended before it ran, or without its run ending, ended when its state changed.
  const auto over_ns = is_over(sum.state()) ? sum.changed_ns() : 0;
  line(s, "Finished", when(sum.finished_ns() != 0 ? sum.finished_ns() : over_ns, now));
  line(s, "Cancelled",
       job.details().cancel_user().empty() ? "" : "by " + job.details().cancel_user());
  line(s, "Trace", job.trace_id());
}

void print_spec(session& s, const api::Job& spec) {
  line(s, "Client id", spec.client_id());
  line(s, "Labels", map_text(spec.labels()));
  line(s, "Annotations", map_text(spec.annotations()));
  const auto& pod =
      spec.has_pod_spec() || spec.pod_specs().empty() ? spec.pod_spec() : spec.pod_specs(0);
  line(s, "Selector", map_text(pod.nodeselector()));
  for (const auto& container : pod.containers()) {
    std::string words;
    for (const auto& word : container.command()) words += " " + word;
    for (const auto& word : container.args()) words += " " + word;
    line(s, "Container", fmt::format("{} ({}){}", container.name(), container.image(), words));
  }
}

std::int64_t nanos(const google::protobuf::Timestamp& time) {
  return google::protobuf::util::TimeUtil::TimestampToNanoseconds(time);
}

/// `last` is the number of the last run.
void print_runs(session& s, const api::JobDetails& details, std::uint32_t last) {
  if (details.job_runs().empty()) return;
  table runs{{{"RUN", alignment::right},
              {"STATE"},
              {.title = "CLUSTER", .yields_to = 8, .spare = 2},
              {.title = "NODE", .yields_to = 8, .spare = 1, .shortens = shortening::places},
              {.title = "LEASED", .spare = 3},
              {"STARTED"},
              {"FINISHED"}}};
  const auto clock = [](const google::protobuf::Timestamp& time) {
    return nanos(time) == 0 ? std::string{} : utc_clock(nanos(time));
  };
  // The API has the newest run first; people read from the oldest on, as in the list of events.
  std::vector<const api::JobRunDetails*> in_order;
  for (const auto& run : details.job_runs()) in_order.push_back(&run);
  std::stable_sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) {
    return nanos(a->leased_ts()) < nanos(b->leased_ts());
  });
  const auto count = static_cast<std::uint32_t>(in_order.size());
  auto sequence = std::max(last, count) - count + 1;
  for (const auto* one : in_order) {
    const auto& run = *one;
    auto state = lower_case(api::JobRunState_Name(run.state()));
    for (const std::string_view prefix : {"run_state_", "runs_state_"})
      if (state.starts_with(prefix)) state = state.substr(prefix.size());
    runs.add({number(sequence++), state, run.cluster(), run.node(), clock(run.leased_ts()),
              clock(run.started_ts()), clock(run.finished_ts())});
  }
  s.out.print_line("\n" + s.out.paint("Runs", look::strong));
  show_table(s, runs);
}

void print_placement(session& s, const DescribeJobResponse& job) {
  if (job.reason_lines().empty()) return;
  s.out.print_line("");
  std::string title = "Not placed because";
  if (job.summary().state() != api::JobState::QUEUED)
    title = job.summary().gang().empty() || job.summary().cluster_silent() ? "Out of contact"
                                                                           : "Its gang";
  else if (job.round() != 0)
    title = fmt::format("Not placed in round #{}, {} ago, because", job.round(),
                        human_age(job.round_ns(), s.now_ns()));
  s.out.print_line(s.out.paint(title, look::strong));
  for (const auto& reason : job.reason_lines()) s.out.print_line("  " + escaped(reason));
}

void print_events(session& s, const std::deque<event_text>& events) {
  if (events.empty()) return;
  table rows{{{"TIME"}, {"EVENT"}, {"DETAIL", alignment::left, false, 10}}};
  for (const auto& event : events)
    rows.add({utc_clock(event.created_ns), cell{event.name, event.as}, event.detail});
  s.out.print_line("\n" + s.out.paint("Last events", look::strong));
  show_table(s, rows);
}

/// The line between two jobs.
std::string rule(const session& s) {
  constexpr std::size_t rule_size = 72;
  const auto width = s.out.where().width;
  return std::string(width == 0 ? rule_size : std::min(rule_size, width), '-');
}

void print_job(session& s, const DescribeJobResponse& job, bool set_off) {
  if (set_off) s.out.print_line("\n" + s.out.paint(rule(s), look::faint) + "\n");
  print_summary(s, job);
  print_spec(s, job.details().job_spec());
  print_runs(s, job.details(), job.summary().run());
  print_placement(s, job);
  print_events(s, last_events(job));
  if (!job.history_hidden().empty())
    s.out.print_line("\nIts events are not shown: " + escaped(job.history_hidden()));
}

result<exit_code> describe_job_command::run(session& s) {
  return tell_of_jobs<DescribeJobResponse>(
      s, words_, "Query.DescribeJob", argosy::v1::DescribeJobRequest{},
      [&](const auto& job, bool set_off) { print_job(s, job, set_off); });
}

}  // namespace

void define_describe(CLI::App& app, command_set& commands) {
  commands.bind<describe_job_command>(
      add_kind(app, "job", "A job: specification, runs, events, and why it waits.", {"jobs", "j"}));
  define_describe_job_sets(app, commands);
  define_describe_queues(app, commands);
  define_describe_clusters(app, commands);
  define_describe_policies(app, commands);
  define_describe_operations(app, commands);
  define_describe_rounds(app, commands);
  app.footer(
      "argosyctl describe job 01k9x2\n"
      "argosyctl describe queue team-a");
}

}  // namespace argosy::ctl
