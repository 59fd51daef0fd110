// SPDX-License-Identifier: Apache-2.0
// The verb explain: says why a job waits, runs where it runs, or lost its place, now or in a round
// of the past.
#include <chrono>
#include <string>
#include <vector>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/job_lists/explanation_text.hpp"
#include "bins/argosyctl/verbs/job_lists/told_jobs.hpp"
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
  std::vector<std::string> words_;
  std::uint64_t round_ = 0;
  std::string at_;
};

result<exit_code> explain_command::run(session& s) {
  argosy::v1::ExplainJobRequest request;
  const auto at = moment_of(at_, "--at", s.now_ns());
  if (!at) return fail(at.error());
  request.set_round(round_);
  request.set_at_ns(*at);
  if (round_ != 0 || *at != 0) {
    if (s.flags.timeout.empty()) s.timeout = past_timeout;
    s.out.status("the server decides the round again…");
  }
  return tell_of_jobs<JobExplanation>(s, words_, "Explain.ExplainJob", request,
                                      [&](const auto& what, bool set_off) {
                                        if (set_off) s.out.print_line("");
                                        for (const auto& line : explanation_lines(what, s.now_ns()))
                                          s.out.print_line(escaped(line));
                                      });
}

}  // namespace

void define_explain(CLI::App& app, command_set& commands) {
  define_verb<explain_command>(app, commands);
}

}  // namespace argosy::ctl
