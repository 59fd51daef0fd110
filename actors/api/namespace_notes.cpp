// SPDX-License-Identifier: Apache-2.0
#include "actors/api/namespace_notes.hpp"

#include <chrono>
#include <set>
#include <utility>

#include "actors/api/summaries.hpp"
#include "messages/rounds/reason_text.hpp"
#include "runtime/base/text.hpp"
#include "runtime/model/namespace_part.hpp"
#include "runtime/model/served_namespaces.hpp"
#include "runtime/scheduling/explain/internal_taints.hpp"

namespace argosy::actors {

std::vector<std::string> cut_lines(std::vector<std::string> lines, const char* what) {
  constexpr std::size_t lines_max = 5;
  if (lines.size() <= lines_max) return lines;
  const auto more = lines.size() - lines_max;
  lines.resize(lines_max);
  lines.push_back(std::to_string(more) + " more " + what);
  return lines;
}

std::uint32_t seconds_left(const ledger::closure& what, boot_time now) {
  if (what.tried || what.until <= now) return 0;
  return static_cast<std::uint32_t>(
      std::chrono::ceil<std::chrono::seconds>(what.until - now).count());
}

std::vector<std::string> obstacles_of(const std::string& entry,
                                      const native::contact_board& contacts, boot_time now) {
  const std::string name_space{model::namespace_in(entry)};
  std::vector<std::string> out;
  for (const auto& [cluster, contact] : contacts.all()) {
    if (!model::serves(contact.namespaces, name_space)) {
      out.push_back("cluster '" + cluster + "' does not serve its namespace '" + name_space + "'");
      continue;
    }
    for (const auto& each : contact.closures) {
      if (!model::concerns(each.name_space, entry)) continue;
      const auto left = seconds_left(each, now);
      const auto whose = model::whose_jobs(each.name_space);
      out.push_back("cluster '" + cluster + "' takes no jobs " +
                    (whose.empty() ? "of" : whose + " in") + " its namespace '" + name_space +
                    "' for now: " + each.why +
                    (left == 0 ? "; one job tries it"
                               : "; one job tries it in " + std::to_string(left) + " s"));
    }
  }
  return cut_lines(std::move(out), "clusters do not take jobs of its namespace");
}

std::vector<std::string> obstacles_to(const model::job_header& job,
                                      const native::contact_board& contacts, boot_time now) {
  const auto entry = model::entry_of(job.name_space, job.shape->attached, job.owner,
                                     [](const auto&) { return true; });
  auto out = silent_clusters(contacts, now);
  for (auto& line : obstacles_of(entry, contacts, now)) out.push_back(std::move(line));
  return out;
}

std::string verdict_with(const std::vector<std::string>& obstacles, const std::string& verdict) {
  auto out = verdict;
  if (!rounds::is_about_closed_nodes(verdict)) return out;
  for (const auto& each : obstacles) out += (&each == &obstacles.front() ? ": " : "; ") + each;
  return out;
}

std::string namespace_note(const native::submit_request& request, const std::string& taken,
                           const native::contact_board& contacts) {
  const auto all = contacts.all();
  if (all.empty()) return {};
  std::set<std::string> namespaces;
  for (const auto& job : request.jobs) namespaces.insert(job->name_space);
  std::string out;
  for (const auto& name : namespaces) {
    std::set<std::string> served;
    bool any = false;
    for (const auto& [cluster, contact] : all) {
      any = any || model::serves(contact.namespaces, name);
      served.insert(contact.namespaces.begin(), contact.namespaces.end());
    }
    if (any) continue;
    std::string known;
    for (const auto& each : served) known += (known.empty() ? "" : ", ") + each;
    out += (out.empty() ? "" : "; ") + std::string{"no cluster serves namespace '"} + shown(name) +
           "', so that the job waits until one does; served are " + known;
  }
  if (out.empty() && !taken.empty() && taken != "default")
    return "no namespace was named, so that it is '" + shown(taken) + "'";
  return out;
}

std::string process_note(const native::submit_request& request,
                         const native::contact_board& contacts) {
  std::set<std::string> fields;
  for (const auto& job : request.jobs)
    if (!job->shape->process_obstacle.empty()) fields.insert(job->shape->process_obstacle);
  const auto all = contacts.all();
  if (fields.empty() || all.empty()) return {};
  for (const auto& [cluster, contact] : all)
    if (!contact.traits.only_processes && contact.state != ledger::contact_state::gone) return {};
  constexpr std::size_t fields_max = 5;
  std::string list;
  std::size_t named = 0;
  for (const auto& field : fields) {
    if (++named > fields_max) break;
    list += (list.empty() ? "" : ", ") + scheduling::not_for_processes(field);
  }
  if (fields.size() > fields_max)
    list += " and " + std::to_string(fields.size() - fields_max) + " more";
  return list +
         " cannot be carried out by processes, and no cluster of pods has joined, so that the job "
         "waits until one does";
}

}  // namespace argosy::actors
