// SPDX-License-Identifier: Apache-2.0
// trace JOB | TRACE: the causal tree of a job's submission, through all actors and processes.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "messages/codec/span_codec.hpp"
#include "runtime/trace/span_tree.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t trace_id_size = 32;

class trace_command final : public command {
 public:
  explicit trace_command(CLI::App& app) {
    app.add_option("job", word_, "A job's id or its beginning, @last, or a trace's 32 digits")
        ->required()
        ->type_name("JOB|TRACE");
  }
  std::vector<std::string> formats() const override { return {"tree", "mermaid", "json"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  result<argosy::v1::GetTraceRequest> request(session& s, client& server) const;

  std::string word_;
};

std::vector<trace::finished_span> spans_of(const argosy::v1::GetTraceResponse& answer) {
  std::vector<trace::finished_span> spans;
  for (const auto& from : answer.spans())
    if (auto span = codec::from_wire(from)) spans.push_back(std::move(*span));
  return spans;
}

result<argosy::v1::GetTraceRequest> trace_command::request(session& s, client& server) const {
  argosy::v1::GetTraceRequest out;
  const auto word = lower_case(word_);
  if (word.size() == trace_id_size &&
      word.find_first_not_of("0123456789abcdef") == std::string::npos) {
    out.set_trace_id(word);
    return out;
  }
  auto references = expand_references({word_}, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  if (references->empty()) return fail(ec::invalid_argument, "no job was named");
  auto jobs = resolve_jobs(server, {references->front()});
  if (!jobs) return fail(std::move(jobs.error()));
  out.set_job_id(jobs->front().job_id());
  return out;
}

result<exit_code> trace_command::run(session& s) {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto wanted = request(s, **server);
  if (!wanted) return fail(std::move(wanted.error()));
  auto answer = call<argosy::v1::GetTraceResponse>(**server, "Trace.GetTrace", *wanted);
  if (!answer) return fail(std::move(answer.error()));
  if (s.as == format::json) {
    s.out.print_line(json_of(*answer));
    return exit_code::success;
  }
  if (answer->spans().empty())
    return fail(ec::not_found,
                fmt::format("no span of trace {} is kept any more: the server keeps the newest "
                            "only, and none while tracing is switched off",
                            answer->trace_id()));
  const auto spans = spans_of(*answer);
  if (s.as == format::mermaid) {
    s.out.print(trace::render_sequence(spans));
  } else {
    s.out.print_line(s.out.paint("trace " + escaped(answer->trace_id()), look::strong));
    s.out.print(escaped_lines(trace::render_tree(spans)));
  }
  return exit_code::success;
}

}  // namespace

void define_trace(CLI::App& app, command_set& commands) {
  define_verb<trace_command>(app, commands);
}

}  // namespace argosy::ctl
