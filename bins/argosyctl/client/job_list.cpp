// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_list.hpp"

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <algorithm>
#include <cctype>
#include <future>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t id_size = 26;
constexpr std::size_t ids_per_request = 1'000;
constexpr std::size_t details_per_request = 100;
constexpr std::string_view details_method = "Jobs.GetJobDetails";
constexpr std::uint32_t matches_shown = 10;

result<JobSummary> resolve_prefix(client& server, const std::string& prefix) {
  argosy::v1::ListJobsRequest request;
  request.add_id_prefixes(prefix);
  request.set_limit(matches_shown + 1);
  auto found = call<argosy::v1::ListJobsResponse>(server, "Query.ListJobs", request);
  if (!found) return fail(std::move(found.error()));
  auto& jobs = *found->mutable_jobs();
  if (jobs.empty()) return fail(ec::not_found, fmt::format("no job has the id '{}'", prefix));
  if (jobs.size() == 1) return std::move(jobs[0]);
  std::string list;
  for (int i = 0; i < std::min<int>(jobs.size(), matches_shown); ++i)
    list += fmt::format("\n  {}  {}", jobs[i].job_id(), jobs[i].job_set());
  const bool more = jobs.size() > static_cast<int>(matches_shown) || !found->cursor().empty();
  return fail(ec::invalid_argument,
              fmt::format("the id '{}' is ambiguous; write more of it. It fits{}{}", prefix, list,
                          more ? "\n  and more" : ""));
}

result<void> resolve_full_ids(client& server, const std::vector<std::string>& ids,
                              std::unordered_map<std::string, JobSummary>& found) {
  for (std::size_t first = 0; first < ids.size(); first += ids_per_request) {
    const auto last = std::min(ids.size(), first + ids_per_request);
    argosy::v1::ListJobsRequest request;
    for (auto i = first; i < last; ++i) request.add_id_prefixes(ids[i]);
    auto jobs = list_jobs(server, std::move(request));
    if (!jobs) return fail(std::move(jobs.error()));
    for (auto& job : *jobs) {
      auto id = job.job_id();
      found.insert_or_assign(std::move(id), std::move(job));
    }
  }
  return {};
}

std::string details_request(const std::vector<std::string>& ids, std::size_t first,
                            std::size_t last) {
  api::JobDetailsRequest request;
  request.set_expand_job_spec(true);
  request.set_expand_job_run(true);
  for (auto i = first; i < last; ++i) request.add_job_ids(ids[i]);
  return request.SerializeAsString();
}

std::future<result<std::string>> ask_details(client& server, const std::vector<std::string>& ids,
                                             std::size_t first, std::size_t last) {
  auto promise = std::make_shared<std::promise<result<std::string>>>();
  server.start(details_method, details_request(ids, first, last),
               [promise](result<std::string> answer) { promise->set_value(std::move(answer)); });
  return promise->get_future();
}

}  // namespace

bool is_job_id_prefix(std::string_view text) {
  constexpr std::string_view letters = "0123456789abcdefghjkmnpqrstvwxyz";
  return !text.empty() && text.size() <= id_size &&
         text.find_first_not_of(letters) == std::string_view::npos;
}

bool names_a_job(std::string_view word) {
  return word == "@last" || word == "-" || word.starts_with("job/") ||
         (word.starts_with('0') && is_job_id_prefix(lower_case(word)));
}

result<std::vector<std::string>> expand_references(const std::vector<std::string>& words,
                                                   const environment& env, std::istream& in) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  const auto add = [&](std::string_view word) -> result<void> {
    if (word.starts_with("job/")) word.remove_prefix(4);
    auto id = lower_case(word);
    if (!is_job_id_prefix(id))
      return fail(ec::invalid_argument,
                  fmt::format("'{}' is neither a job id nor the beginning of one", word));
    if (seen.insert(id).second) out.push_back(std::move(id));
    return {};
  };
  for (const auto& word : words) {
    std::vector<std::string> several;
    if (word == "-") {
      for (std::string id; in >> id;) several.push_back(id);
    } else if (word == "@last") {
      auto last = last_submission(env);
      if (!last) return fail(std::move(last.error()));
      several = std::move(*last);
    } else {
      several.push_back(word);
    }
    for (const auto& id : several)
      if (auto added = add(id); !added) return fail(std::move(added.error()));
  }
  return out;
}

result<void> for_each_listed(client& server, argosy::v1::ListJobsRequest request,
                             const std::function<void(JobSummary&)>& use) {
  const auto limit = request.limit();
  std::uint32_t count = 0;
  while (true) {
    auto page = call<argosy::v1::ListJobsResponse>(server, "Query.ListJobs", request);
    if (!page) return fail(std::move(page.error()));
    for (auto& job : *page->mutable_jobs()) {
      if (limit != 0 && count == limit) return {};
      ++count;
      use(job);
    }
    if (page->cursor().empty() || page->cursor() == request.cursor()) return {};
    if (limit != 0 && count >= limit) return {};
    if (limit != 0) request.set_limit(limit - count);
    request.set_cursor(page->cursor());
  }
}

result<std::vector<JobSummary>> list_jobs(client& server, argosy::v1::ListJobsRequest request) {
  std::vector<JobSummary> all;
  auto done = for_each_listed(server, std::move(request),
                              [&](JobSummary& job) { all.push_back(std::move(job)); });
  if (!done) return fail(std::move(done.error()));
  return all;
}

result<std::vector<JobSummary>> resolve_jobs(client& server,
                                             const std::vector<std::string>& references) {
  std::vector<std::string> full;
  for (const auto& reference : references)
    if (reference.size() == id_size) full.push_back(reference);
  std::unordered_map<std::string, JobSummary> found;
  if (auto done = resolve_full_ids(server, full, found); !done)
    return fail(std::move(done.error()));
  std::vector<JobSummary> out;
  out.reserve(references.size());
  std::unordered_set<std::string> taken;
  for (const auto& reference : references) {
    if (const auto known = found.find(reference); known != found.end()) {
      if (taken.insert(reference).second) out.push_back(std::move(known->second));
      continue;
    }
    if (reference.size() == id_size)
      return fail(ec::not_found, fmt::format("no job has the id '{}'", reference));
    auto job = resolve_prefix(server, reference);
    if (!job) return fail(std::move(job.error()));
    if (taken.insert(job->job_id()).second) out.push_back(std::move(*job));
  }
  return out;
}

result<void> for_each_job(client& server, const std::vector<std::string>& ids,
                          const std::function<bool(const api::JobDetails&)>& use) {
  auto step = details_per_request;
  std::size_t first = 0;
  std::future<result<std::string>> ahead;
  const auto end_of = [&](std::size_t from) { return std::min(ids.size(), from + step); };
  if (!ids.empty()) ahead = ask_details(server, ids, 0, end_of(0));
  while (first < ids.size()) {
    const auto last = end_of(first);
    auto data = ahead.get();
    if (!data && data.error().code == ec::too_large && step > 1) {
      step = std::max<std::size_t>(1, step / 4);
      ahead = ask_details(server, ids, first, end_of(first));
      continue;
    }
    if (!data)
      data = server.call(details_method, details_request(ids, first, last), repeatable::yes);
    if (!data) return fail(std::move(data.error()));
    if (last < ids.size()) ahead = ask_details(server, ids, last, end_of(last));
    // The many small parts of a page end all at once.
    google::protobuf::Arena arena;
    auto* page = google::protobuf::Arena::CreateMessage<api::JobDetailsResponse>(&arena);
    if (auto read = decode(details_method, *data, *page); !read) return read;
    for (auto i = first; i < last; ++i)
      if (const auto job = page->job_details().find(ids[i]);
          job != page->job_details().end() && !use(job->second))
        return fail(ec::cancelled, "interrupted");
    first = last;
  }
  return {};
}

}  // namespace argosy::ctl
