// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/history_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/human.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::HistorySpan;
using argosy::v1::JobHistory;

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

}  // namespace

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

}  // namespace argosy::ctl
