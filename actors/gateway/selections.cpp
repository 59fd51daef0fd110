// SPDX-License-Identifier: Apache-2.0
#include "actors/gateway/selections.hpp"

#include <algorithm>

namespace argosy::actors {

std::optional<std::vector<ulid>> read_ids(const call& from, const id_list& ids,
                                          const std::string& single) {
  std::vector<ulid> out;
  const auto add = [&](const std::string& text) {
    const auto id = parse_ulid(text);
    if (!id) {
      from.fail(
          {ec::invalid_argument, "job id '" + text.substr(0, 40) + "': " + id.error().detail});
      return false;
    }
    if (std::find(out.begin(), out.end(), *id) == out.end()) out.push_back(*id);
    return true;
  };
  for (const auto& text : ids)
    if (!add(text)) return {};
  if (!single.empty() && !add(single)) return {};
  return out;
}

bool refuse_empty_set(const call& from, const std::string& queue, const std::string& job_set) {
  if (!queue.empty() && !job_set.empty()) return false;
  from.fail(ec::invalid_argument,
            queue.empty() ? "queue must not be empty" : "job_set_id must not be empty");
  return true;
}

void by_queue(services& all, const call& from, const std::vector<ulid>& ids,
              const std::string& queue,
              std::function<void(const std::map<std::string, std::vector<ulid>>&)> then) {
  if (!queue.empty()) {
    then({{queue, ids}});
    return;
  }
  all.ask(
      from, all.config.reader,
      [from, ids, then](const native::job_page_ptr& page) {
        std::map<std::string, std::vector<ulid>> queues;
        for (const auto& job : page->jobs) queues[job.header->queue].push_back(job.header->id);
        if (page->jobs.size() < ids.size()) {
          for (const auto& id : ids) {
            const bool known =
                std::any_of(page->jobs.begin(), page->jobs.end(),
                            [&](const model::job_record& job) { return job.header->id == id; });
            if (known) continue;
            from.fail(ec::not_found, "job " + to_string(id) + " does not exist");
            return;
          }
        }
        then(queues);
      },
      atom::query_v, native::get_jobs{ids, false});
}

}  // namespace argosy::actors
