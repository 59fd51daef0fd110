// SPDX-License-Identifier: Apache-2.0
// The verb explain: says why a job waits, runs where it runs, or lost its place, now or in a round
// of the past.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/readable.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/job_lists/explanation_text.hpp"
#include "bins/argosyctl/verbs/moment.hpp"
#include "messages/proto/argosy/explain.pb.h"

namespace argosy::ctl {

namespace {

using argosy::v1::JobExplanation;

/// The server may have to read much of its log to decide a round of the past again.
constexpr std::chrono::minutes past_timeout{2};

class explain_command final : public command {
 public:
  explicit explain_command(CLI::App& app) {
    app.footer(
        "argosyctl explain 01k9x2\n"
        "argosyctl explain 01k9x2 --round 184233     # what that round made of it\n"
        "argosyctl explain 01k9x2 --at 2h            # the last round two hours ago\n"
        "argosyctl explain @last -o json");
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->required()
        ->type_name("JOB");
    auto* round = app.add_option("--round", round_, "The round of this number instead of the last");
    round->type_name("N")->check(CLI::PositiveNumber);
    app.add_option("--at", at_, "The last round before this moment, or before so long ago: 2h")
        ->type_name("TIME")
        ->excludes(round);
  }
  std::vector<std::string> formats() const override { return {"table", "json", "yaml"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  void print(session& s, const JobExplanation& what);
  void print_end(session& s) const;

  std::vector<std::string> words_;
  std::uint64_t round_ = 0;
  std::string at_;
  bool bare_ = false;  ///< One job was named, so that its JSON is the object itself.
  std::size_t printed_ = 0;
};

void explain_command::print(session& s, const JobExplanation& what) {
  const bool first = printed_++ == 0;
  if (s.as == format::json) {
    if (!bare_) s.out.print(first ? "{\"items\":[" : ",\n");
    s.out.print(with_readable_fields(json_of(what)));
  } else if (s.as == format::yaml) {
    const auto object = with_readable_fields(json_of(what));
    if (!bare_ && first) s.out.print("items:\n");
    s.out.print(bare_ ? yaml_of(object) : yaml_item_of(object));
  } else {
    if (!first) s.out.print_line("");
    for (const auto& line : explanation_lines(what, s.now_ns())) s.out.print_line(escaped(line));
  }
  s.out.flush();
}

void explain_command::print_end(session& s) const {
  if (s.as == format::json) s.out.print(bare_ ? "\n" : printed_ == 0 ? "{\"items\":[]}\n" : "]}\n");
  if (s.as == format::yaml && printed_ == 0) s.out.print("items: []\n");
}

result<exit_code> explain_command::run(session& s) {
  argosy::v1::ExplainJobRequest request;
  const auto at = moment_of(at_, "--at", s.now_ns());
  if (!at) return fail(at.error());
  request.set_round(round_);
  request.set_at_ns(*at);
  const bool past = round_ != 0 || *at != 0;
  if (past && s.flags.timeout.empty()) s.timeout = past_timeout;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto references = expand_references(words_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  bare_ = references->size() == 1;
  std::optional<error> wrong;
  auto done = for_each_resolved(**server, *references, [&](argosy::v1::JobSummary& job) {
    request.set_job_id(job.job_id());
    if (past) s.out.status("the server decides the round again…");
    auto answer = call<JobExplanation>(**server, "Explain.ExplainJob", request);
    s.out.status("");
    if (!answer) {
      wrong = std::move(answer.error());
      return false;
    }
    print(s, *answer);
    return !s.is_interrupted() && s.out.good();
  });
  if (wrong) return fail(std::move(*wrong));
  if (!done) return fail(std::move(done.error()));
  print_end(s);
  return exit_code::success;
}

}  // namespace

void define_explain(CLI::App& app, command_set& commands) {
  define_verb<explain_command>(app, commands);
}

}  // namespace argosy::ctl
