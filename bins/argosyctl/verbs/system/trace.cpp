// SPDX-License-Identifier: Apache-2.0
// The verb trace JOB: prints the job's own story. With --all, or for a TRACE, it prints the tree of
// all messages that its submission caused, through all actors and processes.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/system/job_story.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "runtime/trace/export/chrome_trace.hpp"
#include "runtime/trace/span_tree.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t trace_id_size = 32;
/// How many jobs one call tells the stories of.
constexpr std::size_t stories_max = 10;

class trace_command final : public command {
 public:
  explicit trace_command(CLI::App& app) {
    app.footer(
        "argosyctl trace 01k9x2\n"
        "argosyctl trace @last --all\n"
        "argosyctl trace 01k9x2 -o mermaid\n"
        "argosyctl trace 01k9x2 -o perfetto > job.json");
    app.add_option("job", word_, "A job's id or its beginning, @last, or a trace's 32 digits")
        ->required()
        ->type_name("JOB|TRACE");
    app.add_flag("--all", all_,
                 "All messages between the actors of all processes that the submission caused, "
                 "those of other jobs among them; the same as -o tree");
  }
  std::vector<std::string> formats() const override {
    return {"table", "tree", "mermaid", "perfetto", "json"};
  }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  bool tells_story(const session& s) const { return s.as == format::table && !all_; }
  result<std::vector<argosy::v1::GetTraceRequest>> requests(session& s, client& server) const;
  result<exit_code> tell(session& s, client& server,
                         const argosy::v1::GetTraceRequest& wanted) const;
  result<exit_code> tell_story(session& s, client& server, const std::string& job_id,
                               const std::vector<trace::finished_span>& spans) const;

  std::string word_;
  bool all_ = false;
};

std::vector<trace::finished_span> spans_of(const argosy::v1::GetTraceResponse& answer) {
  std::vector<trace::finished_span> spans;
  for (const auto& from : answer.spans())
    if (auto span = codec::from_wire(from)) spans.push_back(std::move(*span));
  return spans;
}

/// Cuts the lines so that they fit the terminal.
std::string cut_lines(const std::string& text, std::size_t width) {
  if (width == 0) return text;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    out += cut_to_width(std::string_view{text}.substr(begin, end - begin), width) + '\n';
    begin = end + 1;
  }
  return out;
}

/// The requests for what the word means: a trace, or the jobs of which as many are told as the
/// format has room for.
result<std::vector<argosy::v1::GetTraceRequest>> trace_command::requests(session& s,
                                                                         client& server) const {
  std::vector<argosy::v1::GetTraceRequest> out;
  const auto word = lower_case(word_);
  if (word.size() == trace_id_size &&
      word.find_first_not_of("0123456789abcdef") == std::string::npos) {
    out.emplace_back().set_trace_id(word);
    return out;
  }
  auto references = expand_references({word_}, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  if (references->empty()) return fail(ec::invalid_argument, "no job was named");
  const auto named = references->size();
  references->resize(std::min(named, tells_story(s) ? stories_max : 1));
  auto jobs = resolve_jobs(server, *references);
  if (!jobs) return fail(std::move(jobs.error()));
  for (const auto& job : *jobs) out.emplace_back().set_job_id(job.job_id());
  if (out.size() < named)
    s.out.notice(fmt::format(
        "{} jobs were named, of which {} told here; name others by their ids: "
        "argosyctl get jobs {}",
        named, out.size() == 1 ? "the first is" : fmt::format("the first {} are", out.size()),
        word_));
  return out;
}

result<exit_code> trace_command::tell_story(session& s, client& server, const std::string& job_id,
                                            const std::vector<trace::finished_span>& spans) const {
  argosy::v1::DescribeJobRequest request;
  request.set_job_id(job_id);
  auto job = call<argosy::v1::DescribeJobResponse>(server, "Query.DescribeJob", request);
  if (!job) return fail(std::move(job.error()));
  const auto& sum = job->summary();
  s.out.print_line(fmt::format("job/{} {}", job_id,
                               s.out.paint(state_name(sum.state()), state_look(sum.state()))));
  table steps{{{"TIME"}, numbers("LATER"), {.title = "WHAT HAPPENED", .yields_to = 20}}};
  std::int64_t before = 0;
  for (const auto& step : story_of(*job, spans, s.now_ns())) {
    const auto later = before == 0 ? std::string{} : story_duration(step.at_ns - before);
    steps.add({utc_clock(step.at_ns), later, cell{step.words, step.as}});
    before = step.at_ns;
  }
  show_table(s, steps);
  if (!job->history_hidden().empty())
    s.out.notice("its events are not shown: " + escaped(job->history_hidden()));
  return exit_code::success;
}

result<exit_code> trace_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto wanted = requests(s, **server);
  if (!wanted) return fail(std::move(wanted.error()));
  for (const auto& one : *wanted) {
    if (&one != &wanted->front()) s.out.print_line("");
    auto told = tell(s, **server, one);
    if (!told || s.is_interrupted()) return told;
  }
  return exit_code::success;
}

result<exit_code> trace_command::tell(session& s, client& server,
                                      const argosy::v1::GetTraceRequest& wanted) const {
  auto answer = call<argosy::v1::GetTraceResponse>(server, "Trace.GetTrace", wanted);
  if (!answer) return fail(std::move(answer.error()));
  if (s.as == format::json) {
    s.out.print_line(json_of(*answer));
    return exit_code::success;
  }
  const auto spans = spans_of(*answer);
  if (tells_story(s) && !wanted.job_id().empty())
    return tell_story(s, server, wanted.job_id(), spans);
  if (spans.empty())
    return fail(ec::not_found,
                fmt::format("no span of trace {} is kept any more: the server keeps the newest "
                            "only, and none while tracing is switched off",
                            answer->trace_id()));
  if (s.as == format::perfetto)
    s.out.print(trace::render_chrome_trace(spans));
  else if (s.as == format::mermaid)
    s.out.print(trace::render_sequence(spans));
  else
    s.out.print(cut_lines(escaped_lines(trace::render_tree(spans)), s.out.where().width));
  return exit_code::success;
}

}  // namespace

void define_trace(CLI::App& app, command_set& commands) {
  define_verb<trace_command>(app, commands);
}

}  // namespace argosy::ctl
