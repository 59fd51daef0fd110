// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/report_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace argosy::rounds {

std::string ago(std::int64_t then_ns, std::int64_t now_ns) {
  const auto seconds = static_cast<double>(std::max<std::int64_t>(0, now_ns - then_ns)) / 1e9;
  const auto whole = static_cast<std::int64_t>(seconds);
  if (seconds < 10) return fmt::format("{:.1f} s ago", seconds);
  if (whole < 120) return fmt::format("{} s ago", whole);
  if (whole < 120 * 60) return fmt::format("{} min ago", whole / 60);
  if (whole < 48 * 3600) return fmt::format("{} h ago", whole / 3600);
  return fmt::format("{} days ago", whole / 86400);
}

std::string count_of(std::uint64_t number, std::string_view one) {
  return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string place_text(const model::run_record& run) {
  return fmt::format("node {} of cluster {} (pool {})", run.node.str(), run.cluster.str(),
                     run.pool.str());
}

std::string share_line(const model::pool_name& pool, const native::queue_share& share) {
  return fmt::format("uses {:.1f}% of pool {}; its fair share is {:.1f}% and its demand {:.1f}%",
                     100 * share.actual, pool, 100 * share.fair, 100 * share.demand);
}

std::string stop_lines(const native::queue_stop& stop, const std::string& indent) {
  auto out =
      fmt::format("{}{}: {} ({})\n", indent, count_of(stop.jobs, "job"), stop.sentence, stop.code);
  auto left = stop.jobs;
  for (const auto& kind : stop.kinds) {
    left -= std::min(left, kind.jobs);
    out += fmt::format("{}  {} for {}", indent,
                       kind.jobs == 1 ? "1 asks" : fmt::format("{} ask", kind.jobs), kind.asks);
    if (!kind.example.is_nil())
      out += (kind.jobs == 1 ? ": " : ", such as ") + to_string(kind.example);
    out += "\n";
  }
  if (!stop.kinds.empty() && left > 0) out += fmt::format("{}  and {} more\n", indent, left);
  return out;
}

std::string round_line(const native::pool_round& round, std::int64_t now_ns) {
  auto text = "pool " + round.pool + ": ";
  if (round.number == 0)
    text += "no round to tell of; rounds take place while there are jobs";
  else
    text += fmt::format("round {}, {}, started {} and preempted {}", round.number,
                        ago(round.time_ns, now_ns), count_of(round.started, "job"),
                        count_of(round.preempted, "job"));
  if (!round.discarded.empty()) text += "; the last plan was discarded: " + round.discarded;
  return text;
}

bool was_sent_back(const model::job_record& job) {
  // The ledger calls the end of such a run so.
  return job.state == model::job_state::queued && !job.runs.empty() &&
         job.runs.back().outcome.reason == "Preempted";
}

}  // namespace argosy::rounds
