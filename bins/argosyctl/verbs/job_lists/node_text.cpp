// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/node_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bins/argosyctl/output/human.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobOnNode;
using argosy::v1::NodeExplanation;
using argosy::v1::NodeObstacle;
using argosy::v1::NodeRoom;
using lines = std::vector<std::string>;

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
