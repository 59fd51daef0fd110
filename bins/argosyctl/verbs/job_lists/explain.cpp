// SPDX-License-Identifier: Apache-2.0
// The verb explain: says why a job waits, runs where it runs, or lost its place, now or in a round
// of the past; what one node is to it; how often which cause has kept it; and what a node could
// run.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/job_lists/explanation_text.hpp"
#include "bins/argosyctl/verbs/job_lists/told_jobs.hpp"
#include "bins/argosyctl/verbs/moment.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/argosyctl/verbs/system/node_place.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "runtime/base/whole_number.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobExplanation;
using argosy::v1::JobHistory;
using argosy::v1::JobOnNode;
using argosy::v1::NodeExplanation;

/// The server may have to read much of its log to decide rounds of the past again.
constexpr std::chrono::minutes past_timeout{2};

class explain_command final : public command {
 public:
  explicit explain_command(CLI::App& app);
  std::vector<std::string> formats() const override { return {"table", "json", "yaml"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  [[nodiscard]] result<void> check() const;
  result<exit_code> tell_of_node(session& s) const;
  template <class Response, class Request>
  result<exit_code> tell(session& s, const char* method, const Request& request,
                         std::vector<std::string> (*lines)(const Response&, std::int64_t)) const;

  std::vector<std::string> words_;
  std::uint64_t round_ = 0;
  std::string mark_;
  std::string at_;
  CLI::Option* node_option_ = nullptr;
  std::string node_;
  std::string cluster_;
  bool reverse_ = false;
  std::string queue_;
  std::uint32_t limit_ = 0;
  bool history_ = false;
  std::uint32_t rounds_ = 0;
};

explain_command::explain_command(CLI::App& app) {
  app.footer(
      "argosyctl explain 01k9x2\n"
      "argosyctl explain 01k9x2 --round 184233     # what that round made of it\n"
      "argosyctl explain 01k9x2 --at 2h            # the last round two hours ago\n"
      "argosyctl explain 01k9x2 --node east/n7     # why it does not run there\n"
      "argosyctl explain 01k9x2 --history          # how often which cause has kept it\n"
      "argosyctl explain --reverse --node east/n7 -q team-a    # what could run there\n"
      "argosyctl explain @last -o json");
  app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
      ->type_name("JOB");
  auto* round = app.add_option("--round", round_, "The round of this number instead of the last");
  // CLI11 takes the largest number for one that is larger.
  round->type_name("N")->check([](const std::string& text) {
    const auto number = whole_number<std::int64_t>(text);
    return number && *number >= 1 ? std::string{} : "'" + text + "' is no number of a round";
  });
  app.add_option("--mark", mark_,
                 "With --round: refuse the round unless it is the one that the answer with this "
                 "`mark` named, as after a restore")
      ->type_name("MARK")
      ->needs(round);
  auto* at =
      app.add_option("--at", at_, "The last round before this moment, or before so long ago: 2h");
  at->type_name("TIME")->excludes(round);
  auto* node = app.add_option("--node", node_,
                              "Say what stands in the job's way on this node, alone or as "
                              "CLUSTER/NODE");
  node_option_ = node;
  node->type_name("NODE")->excludes(round)->excludes(at);
  app.add_option("--cluster", cluster_, "Cluster of the node")->type_name("CLUSTER")->needs(node);
  auto* reverse =
      app.add_flag("--reverse", reverse_, "Say of the node which waiting jobs it could run");
  reverse->needs(node);
  app.add_option("-q,--queue", queue_, "With --reverse: look only at the jobs of this queue")
      ->type_name("QUEUE")
      ->needs(reverse);
  app.add_option("--limit", limit_,
                 "With --reverse: name so many jobs at most; 20 if it is not given")
      ->type_name("N")
      ->check(CLI::Range(1U, 1'000U))
      ->needs(reverse);
  auto* history = app.add_flag("--history", history_,
                               "Say how often which cause has kept the job since it was submitted");
  history->excludes(round)->excludes(at)->excludes(node);
  app.add_option("--rounds", rounds_,
                 "With --history: decide so many rounds again, the last; 1000 if it is not given")
      ->type_name("N")
      ->check(CLI::Range(1U, 20'000U))
      ->needs(history);
}

result<void> explain_command::check() const {
  if (node_option_->count() > 0 && node_.empty())
    return fail(ec::invalid_argument, "--node needs the name of a node; see: argosyctl get nodes");
  if (reverse_ && !words_.empty())
    return fail(ec::invalid_argument,
                "--reverse is about all waiting jobs; leave out the job, or --reverse");
  if (!reverse_ && words_.empty())
    return fail(ec::invalid_argument,
                "name a job, as in: argosyctl explain @last, or a node, as in: argosyctl explain "
                "--reverse --node NODE");
  return {};
}

template <class Response, class Request>
result<exit_code> explain_command::tell(session& s, const char* method, const Request& request,
                                        std::vector<std::string> (*lines)(const Response&,
                                                                          std::int64_t)) const {
  const auto show = [&](const auto& what, bool set_off) {
    if (set_off) s.out.print_line("");
    for (const auto& line : lines(what, s.now_ns())) s.out.print_line(escaped(line));
  };
  const bool past = history_ || round_ != 0 || !at_.empty();
  return tell_of_jobs<Response>(s, words_, method, request, show,
                                past ? repeatable::slow : repeatable::yes);
}

result<exit_code> explain_command::tell_of_node(session& s) const {
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto place = find_node(**server, node_, cluster_);
  if (!place) return fail(place.error());
  if (!reverse_) {
    argosy::v1::ExplainJobOnNodeRequest request;
    request.set_cluster(place->cluster);
    request.set_node(place->node);
    return tell<JobOnNode>(s, "Explain.ExplainJobOnNode", request, node_lines);
  }
  if (auto there = check_queue(**server, queue_); !there) return fail(there.error());
  argosy::v1::ExplainNodeRequest request;
  request.set_cluster(place->cluster);
  request.set_node(place->node);
  request.set_queue(queue_);
  request.set_limit(limit_);
  const auto answer = call<NodeExplanation>(**server, "Explain.ExplainNode", request);
  if (!answer) return fail(answer.error());
  object_printer objects{s, true};
  if (objects.prints_objects()) {
    objects.print(with_readable_fields(json_of(*answer)));
    objects.finish();
  } else {
    for (const auto& line : node_lines(*answer, s.now_ns())) s.out.print_line(escaped(line));
  }
  return exit_code::success;
}

result<exit_code> explain_command::run(session& s) {
  if (auto right = check(); !right) return fail(right.error());
  if (!node_.empty()) return tell_of_node(s);
  argosy::v1::ExplainJobRequest request;
  const auto at = moment_of(at_, "--at", s.now_ns());
  if (!at) return fail(at.error());
  request.set_round(round_);
  request.set_mark(mark_);
  request.set_at_ns(*at);
  if (history_ || round_ != 0 || *at != 0) {
    if (s.flags.timeout.empty()) s.timeout = past_timeout;
    s.out.status(history_ ? "the server decides the rounds again…"
                          : "the server decides the round again…");
  }
  if (!history_) return tell<JobExplanation>(s, "Explain.ExplainJob", request, explanation_lines);
  argosy::v1::ExplainJobHistoryRequest all;
  all.set_rounds_max(rounds_);
  return tell<JobHistory>(s, "Explain.ExplainJobHistory", all, history_lines);
}

}  // namespace

void define_explain(CLI::App& app, command_set& commands) {
  define_verb<explain_command>(app, commands);
}

}  // namespace argosy::ctl
