// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/explanation_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bins/argosyctl/output/human.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobExplanation;
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
  for (const auto& stop : pool.stops())
    out.push_back(fmt::format("  of its queue, {} job{} not started: {}", stop.jobs(),
                              stop.jobs() == 1 ? " was" : "s were", stop.sentence()));
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

}  // namespace argosy::ctl
