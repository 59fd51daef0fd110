// SPDX-License-Identifier: Apache-2.0
// The verb drain of nodes and clusters. The server drains; this begins it and tells how far it is.
#include <fmt/format.h>

#include <thread>

#include "bins/argosyctl/client/client.hpp"
#include "bins/argosyctl/verbs/system/cordon.hpp"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/base/duration.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::Operation;

/// "3 of 17 runs left", or "1 run left" if it has found no others.
std::string left_text(const Operation& drain) {
  const auto left = drain.total() - drain.done();
  return drain.done() == 0 ? fmt::format("{} run{} left", left, left == 1 ? "" : "s")
                           : fmt::format("{} of {} runs left", left, drain.total());
}

/// How the drain stands now.
result<Operation> operation_of(client& server, const std::string& id) {
  argosy::v1::ListOperationsRequest request;
  request.set_id(id);
  auto page = call<argosy::v1::ListOperationsResponse>(server, "Query.ListOperations", request);
  if (!page) return fail(std::move(page.error()));
  if (page->operations().empty())
    return fail(ec::not_found, "the server does not know operation " + id + " any more");
  return page->operations(0);
}

template <class Name>
class drain_command final : public command {
 public:
  explicit drain_command(CLI::App& app) {
    const auto example = fmt::format(fmt::runtime(Name::example), "drain");
    app.footer(example + " --reason 'a new kernel' --timeout 30m\n" + example +
               " --deadline 2h --detach\n" + example + " --stop");
    name_.add_options(app);
    app.add_option("--reason", reason_, "Why, for all who look")->type_name("TEXT");
    auto* const keep =
        app.add_flag("--no-preempt", no_preempt_, "End no run early, at least until the deadline");
    auto* const deadline =
        app.add_option("--deadline", deadline_,
                       "After this time preempt whatever still runs there, of any priority class")
            ->type_name("DURATION");
    auto* const detach =
        app.add_flag("--detach", detach_, "Do not wait; the server goes on with the drain");
    app.add_flag("--stop", stop_, "End a drain that goes on; the cordon stays")
        ->excludes(keep)
        ->excludes(deadline)
        ->excludes(detach);
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return Name::completes; }
  bool waits() const override { return !detach_ && !stop_; }
  std::string_view timeout_help() const override {
    return "Longest time to wait, with exit code 124 after it, while the drain goes on; without it "
           "there is no limit. A request has 30s";
  }
  result<exit_code> run(session& s) override;

 private:
  result<exit_code> stop(session& s, client& server, const cordon_target& what) const;
  result<exit_code> follow(session& s, client& server, const cordon_target& what,
                           Operation drain) const;

  Name name_;
  std::string reason_;
  std::string deadline_;
  bool no_preempt_ = false;
  bool detach_ = false;
  bool stop_ = false;
};

template <class Name>
result<exit_code> drain_command<Name>::run(session& s) {
  argosy::v1::DrainRequest request;
  if (!deadline_.empty()) {
    const auto span = parse_duration(deadline_);
    if (!span) return fail(ec::invalid_argument, "--deadline: " + span.error().detail);
    if (*span <= std::chrono::nanoseconds{0})
      return fail(ec::invalid_argument, "--deadline must be longer than nothing, such as 2h");
    request.set_deadline_after_ns(std::chrono::nanoseconds{*span}.count());
  }
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto what = name_.find(**server);
  if (!what) return fail(what.error());
  if (stop_) return stop(s, **server, *what);
  request.set_cluster(what->cluster);
  request.set_node(what->node);
  request.set_reason(reason_);
  request.set_keep_runs(no_preempt_);
  auto begun = call<argosy::v1::DrainResponse>(**server, "ClusterService.Drain", request);
  if (!begun) return fail(std::move(begun.error()));
  const auto& drain = begun->operation();
  if (begun->joined())
    s.out.notice(fmt::format("{}: a drain by {} goes on already; this joins it", what->text(),
                             escaped(drain.by())));
  if (!detach_) return follow(s, **server, *what, drain);
  s.out.print_line(s.as == format::name ? "operation/" + drain.id()
                                        : fmt::format("{} is draining, {}: operation/{}",
                                                      what->text(), left_text(drain), drain.id()));
  return exit_code::success;
}

template <class Name>
result<exit_code> drain_command<Name>::stop(session& s, client& server,
                                            const cordon_target& what) const {
  argosy::v1::StopDrainRequest request;
  request.set_cluster(what.cluster);
  request.set_node(what.node);
  const auto done =
      call<argosy::v1::StopDrainResponse>(server, "ClusterService.StopDrain", request);
  if (!done) return fail(done.error());
  s.out.print_line(s.as == format::name
                       ? what.text()
                       : fmt::format("the drain of {} is stopped, {}; it stays cordoned",
                                     what.text(), left_text(done->operation())));
  return exit_code::success;
}

template <class Name>
result<exit_code> drain_command<Name>::follow(session& s, client& server, const cordon_target& what,
                                              Operation drain) const {
  const auto deadline = s.deadline();
  auto answered = std::chrono::steady_clock::now();
  std::string said;
  while (true) {
    if (drain.state() == "done") {
      s.out.print_line(what.text() + (s.as == format::name ? "" : " drained"));
      return exit_code::success;
    }
    if (drain.state() != "running") {
      s.out.notice(fmt::format("the drain of {} was {}: {}", what.text(), escaped(drain.state()),
                               escaped(drain.detail())));
      return exit_code::conflict;
    }
    if (const auto left = left_text(drain); left != said) {
      s.out.notice(fmt::format("{}: {}", what.text(), left));
      said = left;
    }
    const bool late = deadline && std::chrono::steady_clock::now() >= *deadline;
    if (late || s.should_stop()) {
      s.out.notice(
          fmt::format("the server goes on draining {}; the same command waits for it "
                      "again, --stop or uncordon ends it",
                      what.text()));
      return late ? exit_code::timed_out : exit_code::interrupted;
    }
    std::this_thread::sleep_for(s.refresh_period);
    auto now = operation_of(server, drain.id());
    if (now) {
      drain = std::move(*now);
      answered = std::chrono::steady_clock::now();
    } else if (may_recover(now.error().code) &&
               std::chrono::steady_clock::now() - answered < s.patience()) {
      s.out.status("the server is away; waiting for it…");
    } else {
      return fail(std::move(now.error()));
    }
  }
}

}  // namespace

void define_node_drain(CLI::App& node, command_set& commands) {
  define_part<drain_command<named_node>>(
      node, commands, "drain",
      "Have the server cordon a node, preempt what may be, and wait until nothing runs there.");
}

void define_cluster_drain(CLI::App& cluster, command_set& commands) {
  define_part<drain_command<named_cluster>>(
      cluster, commands, "drain",
      "Have the server cordon a cluster, preempt what may be, and wait until nothing runs there.");
}

}  // namespace argosy::ctl
