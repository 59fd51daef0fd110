// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/explanation_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bins/argosyctl/output/human.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::HistorySpan;
using argosy::v1::JobExplanation;
using argosy::v1::JobHistory;
using argosy::v1::JobOnNode;
using argosy::v1::NodeExplanation;
using argosy::v1::NodeObstacle;
using argosy::v1::NodeRoom;
using argosy::v1::PoolExplanation;
using argosy::v1::QueueStanding;
using lines = std::vector<std::string>;

std::string ago(std::int64_t then_ns, std::int64_t now_ns) {
  return human_age(then_ns, now_ns) + " ago";
}

void tell_past(const JobExplanation& what, std::int64_t now_ns, lines& out) {
  const auto& past = what.past();
  out.push_back(fmt::format("In round {} of pool {}, at {} ({}):", past.number(), past.pool(),
                            utc_time(past.time_ns()), ago(past.time_ns(), now_ns)));
  if (!past.same_decisions())
    out.emplace_back(
        "  The round could not be decided again just as it was, so that details may differ.");
}

/// "uses 31.0% of the pool, of a fair share of 25.0%, and asks for 60.0%".
std::string standing_text(const QueueStanding& queue) {
  return fmt::format("uses {} of the pool, of a fair share of {}, and asks for {}",
                     human_share(queue.actual_share()), human_share(queue.fair_share()),
                     human_share(queue.demand_share()));
}

void tell_queue(const PoolExplanation& pool, lines& out) {
  out.push_back(fmt::format("  queue {} {}", pool.queue().queue(), standing_text(pool.queue())));
  if (pool.before().empty()) return;
  std::vector<std::string> names;
  for (const auto& queue : pool.before())
    names.push_back(fmt::format("{} ({} of {})", queue.queue(), human_share(queue.actual_share()),
                                human_share(queue.fair_share())));
  out.push_back(fmt::format("  {} fair share: {}",
                            names.size() == 1 ? "this queue goes first, with less of its"
                                              : "these queues go first, with less of their",
                            fmt::join(names, ", ")));
}

void tell_stop(const argosy::v1::QueueStop& stop, lines& out) {
  out.push_back(fmt::format("  of its queue, {} job{} not started: {}", stop.jobs(),
                            stop.jobs() == 1 ? " was" : "s were", stop.sentence()));
  auto left = stop.jobs();
  for (const auto& kind : stop.kinds()) {
    left -= std::min(left, kind.jobs());
    out.push_back(fmt::format("    {} of them ask{} for {}", kind.jobs(),
                              kind.jobs() == 1 ? "s" : "", kind.asks()));
  }
  if (stop.kinds_size() > 0 && left > 0) out.push_back(fmt::format("    and {} more", left));
}

void tell_pool(const PoolExplanation& pool, std::int64_t now_ns, lines& out) {
  auto head = "Pool " + pool.pool();
  if (pool.round() != 0)
    head += fmt::format(", round {}, {}{}", pool.round(), ago(pool.round_ns(), now_ns),
                        pool.code().empty() ? "" : " (" + pool.code() + ")");
  if (pool.never()) head += ": it can never run here";
  out.push_back(head);
  const auto prefix = "pool " + pool.pool() + ": ";
  const auto& text = pool.text();
  if (pool.nodes().empty())
    out.push_back("  " + (text.starts_with(prefix) ? text.substr(prefix.size()) : text));
  for (const auto& cause : pool.nodes()) out.push_back("  " + cause.why());
  if (pool.has_queue()) tell_queue(pool, out);
  for (const auto& stop : pool.stops()) tell_stop(stop, out);
  for (const auto& remedy : pool.remedies()) out.push_back("  it could help to " + remedy);
}

void tell_place(const JobExplanation& what, lines& out) {
  if (what.place_in_queue() == 0) return;
  if (what.place_in_queue() == 1) {
    out.emplace_back("It is the first of its queue.");
    return;
  }
  out.push_back(fmt::format("It has place {} in its queue. Before it:", what.place_in_queue()));
  for (const auto& other : what.ahead())
    out.push_back(fmt::format("  {}  {}", other.job_id(), other.why()));
  const auto told = static_cast<std::uint64_t>(what.ahead_size()) + 1;
  if (what.place_in_queue() > told)
    out.push_back(fmt::format("  and {} more", what.place_in_queue() - told));
}

/// So many spans are shown, the last ones.
constexpr int spans_max = 20;

std::string rounds_text(std::uint64_t number) {
  return fmt::format("{} round{}", number, number == 1 ? "" : "s");
}

std::string pool_text(const std::string& pool) {
  return pool.empty() ? "" : " of pool " + pool;
}

std::string span_text(const HistorySpan& span, std::int64_t now_ns) {
  const auto from = human_age(span.first_ns(), now_ns);
  const auto to = human_age(span.last_ns(), now_ns);
  const auto numbers = span.first_round() == span.last_round()
                           ? fmt::format("round {}", span.first_round())
                           : fmt::format("rounds {} to {}", span.first_round(), span.last_round());
  return fmt::format("  {}{}, {} ago: {}, {}", numbers, pool_text(span.pool()),
                     from == to ? from : from + " to " + to, rounds_text(span.rounds()),
                     span.why());
}

/// An amount in cores, bytes or pieces, as lists of nodes show it.
std::string amount(const std::string& resource, double units) {
  const bool in_thousandths = model::unit_of(resource) == model::resource_unit::milli;
  return human_amount(resource, std::llround(units * (in_thousandths ? 1e3 : 1)));
}

/// "cpu: asks for 4, 2 free of 8 (at priority 20000: 2, at 30000: 4)".
std::string room_text(const NodeRoom& room) {
  const auto& name = room.resource();
  std::vector<std::string> rows;
  for (const auto& row : room.at_priority())
    rows.push_back(fmt::format("at {}{}: {}", rows.empty() ? "priority " : "", row.priority(),
                               amount(name, row.free())));
  return fmt::format("  {}: {}{} free of {}{}", name,
                     room.asked() > 0 ? "asks for " + amount(name, room.asked()) + ", " : "",
                     amount(name, room.free()), amount(name, room.total()),
                     rows.empty() ? "" : fmt::format(" ({})", fmt::join(rows, ", ")));
}

std::string obstacle_text(const NodeObstacle& what, std::int64_t now_ns) {
  return fmt::format(
      "  {} ({}{})", what.text(), what.code(),
      what.until_ns() <= now_ns ? "" : ", for " + human_age(now_ns, what.until_ns()) + " more");
}

std::string many(std::uint64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> explanation_lines(const JobExplanation& what, std::int64_t now_ns) {
  lines out;
  if (what.has_past()) tell_past(what, now_ns, out);
  // A past round is told as of its own time.
  const auto as_of = what.has_past() ? what.past().time_ns() : now_ns;
  out.push_back(fmt::format("Job {} of queue {} {} {}{}", what.job_id(), what.queue(),
                            what.has_past() ? "was" : "is", what.state(),
                            what.changed_ns() == 0 || what.changed_ns() > as_of
                                ? ""
                                : " for " + human_age(what.changed_ns(), as_of)));
  if (!what.verdict().empty()) out.push_back("  " + what.verdict());
  for (const auto& pool : what.pools()) tell_pool(pool, now_ns, out);
  tell_place(what, out);
  for (const auto& note : what.notes()) out.push_back(note);
  return out;
}

std::vector<std::string> history_lines(const JobHistory& what, std::int64_t now_ns) {
  std::vector<std::string> out;
  out.push_back(fmt::format("Job {} of queue {} is {}, submitted {} ago", what.job_id(),
                            what.queue(), what.state(), human_age(what.submitted_ns(), now_ns)));
  if (what.rounds_since() == 0) {
    out.emplace_back("  no round has taken place since, or the records are not kept any more");
    return out;
  }
  out.push_back(fmt::format("  {} of the {} since then {} decided again", what.rounds_decided(),
                            rounds_text(what.rounds_since()),
                            what.rounds_decided() == 1 ? "was" : "were"));
  for (const auto& cause : what.causes())
    out.push_back(fmt::format("  {}{}: {} ({})", rounds_text(cause.rounds()),
                              pool_text(cause.pool()), cause.why(), cause.code()));
  if (what.spans_size() > 1) out.emplace_back("One after the other:");
  const auto left_out = std::max(0, what.spans_size() - spans_max);
  if (left_out > 0) out.push_back(fmt::format("  ({} earlier are left out)", left_out));
  if (what.spans_size() > 1)
    for (int i = left_out; i < what.spans_size(); ++i)
      out.push_back(span_text(what.spans(i), now_ns));
  if (what.rounds_differing() > 0)
    out.push_back(
        fmt::format("{} could not be decided again just as they were, so that details may differ.",
                    rounds_text(what.rounds_differing())));
  if (!what.stopped().empty()) out.push_back(what.stopped());
  return out;
}

std::vector<std::string> node_lines(const JobOnNode& what, std::int64_t now_ns) {
  lines out;
  out.push_back(
      fmt::format("Job {} of queue {} is {}; node {} of cluster {} (pool {}):", what.job_id(),
                  what.queue(), what.state(), what.node(), what.cluster(), what.pool()));
  out.push_back("  " + what.verdict());
  if (!what.obstacles().empty()) out.emplace_back("In its way there:");
  for (const auto& each : what.obstacles()) out.push_back(obstacle_text(each, now_ns));
  if (!what.room().empty())
    out.push_back(what.priority() == 0
                      ? "Resources:"
                      : fmt::format("Resources; its priority is {}:", what.priority()));
  for (const auto& each : what.room()) out.push_back(room_text(each));
  for (const auto& note : what.notes()) out.push_back(note);
  return out;
}

std::vector<std::string> node_lines(const NodeExplanation& what, std::int64_t now_ns) {
  lines out;
  out.push_back(fmt::format("Node {} of cluster {} (pool {}) is {}", what.node(), what.cluster(),
                            what.pool(), what.state()));
  out.push_back("  " + what.verdict());
  if (!what.obstacles().empty()) out.emplace_back("All jobs are kept away:");
  for (const auto& each : what.obstacles()) out.push_back(obstacle_text(each, now_ns));
  if (!what.room().empty()) out.emplace_back("Resources:");
  for (const auto& each : what.room()) out.push_back(room_text(each));
  if (!what.jobs().empty())
    out.emplace_back(what.obstacles().empty() ? "These jobs fit, each alone:"
                                              : "These jobs would fit otherwise, each alone:");
  for (const auto& job : what.jobs())
    out.push_back(fmt::format("  {}  {}, place {}{}: {}", job.job_id(), job.queue(),
                              job.place_in_queue(),
                              job.by_preemption() ? ", if jobs of lower priority leave" : "",
                              job.why().empty() ? "no round has looked at it yet" : job.why()));
  if (what.could_run() > static_cast<std::uint64_t>(what.jobs_size()))
    out.push_back(fmt::format("  and {} more",
                              what.could_run() - static_cast<std::uint64_t>(what.jobs_size())));
  if (!what.others().empty()) out.emplace_back("The others do not fit:");
  for (const auto& each : what.others()) out.push_back("  " + each.why());
  if (what.looked_at() < what.waiting())
    out.push_back(fmt::format("Only {} of {} were looked at, the first of each queue.",
                              what.looked_at(), many(what.waiting(), "waiting job")));
  return out;
}

}  // namespace argosy::ctl
