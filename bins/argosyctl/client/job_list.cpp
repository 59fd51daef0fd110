// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_list.hpp"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>

#include "bins/argosyctl/client/batches.hpp"
#include "bins/argosyctl/client/pages.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;
using argosy::v1::ListJobsRequest;
using argosy::v1::ListJobsResponse;

constexpr std::string_view list_method = "Query.ListJobs";
constexpr std::string_view details_method = "Jobs.GetJobDetails";
constexpr std::size_t details_per_request = 100;
constexpr std::uint32_t matches_shown = 10;

failure stopped() {
  return fail(ec::cancelled, "interrupted");
}

failure unknown_job(std::string_view id) {
  return fail(ec::not_found, fmt::format("no job has the id '{}'", id));
}

result<JobSummary> resolve_prefix(client& server, std::string_view prefix) {
  ListJobsRequest request;
  request.add_id_prefixes(std::string{prefix});
  request.set_limit(matches_shown + 1);
  auto found = call<ListJobsResponse>(server, list_method, request);
  if (!found) return fail(std::move(found.error()));
  auto& jobs = *found->mutable_jobs();
  if (jobs.empty()) return unknown_job(prefix);
  if (jobs.size() == 1) return std::move(jobs[0]);
  std::string list;
  for (int i = 0; i < std::min<int>(jobs.size(), matches_shown); ++i)
    list += fmt::format("\n  {}  {}", jobs[i].job_id(), jobs[i].job_set());
  const bool more = jobs.size() > static_cast<int>(matches_shown) || !found->cursor().empty();
  return fail(ec::invalid_argument,
              fmt::format("the id '{}' is ambiguous; write more of it. It fits{}{}", prefix, list,
                          more ? "\n  and more" : ""));
}

/// Hands over the jobs of a page. Returns false when `use` wants no more.
bool use_page(ListJobsResponse& page, const job_visitor& use) {
  return std::all_of(page.mutable_jobs()->begin(), page.mutable_jobs()->end(),
                     [&](auto& job) { return use(job); });
}

/// Hands over all jobs of an answer and of the pages behind it.
result<void> take_answer(client& server, ListJobsRequest request, const std::string& data,
                         const job_visitor& use) {
  auto page = decoded<ListJobsResponse>(list_method, data);
  if (!page) return fail(std::move(page.error()));
  if (!use_page(*page, use)) return stopped();
  if (page->cursor().empty()) return {};
  request.set_cursor(page->cursor());
  return for_each_listed(server, std::move(request), use);
}

ListJobsRequest request_for(std::span<const job_reference> ids) {
  ListJobsRequest request;
  for (const auto& id : ids) request.add_id_prefixes(id.str());
  return request;
}

/// Hands over jobs that are named by whole ids.
result<void> resolve_whole(client& server, std::span<const job_reference> ids,
                           const job_visitor& use) {
  batched_question about;
  about.method = list_method;
  about.items = ids.size();
  about.request = [&](std::size_t first, std::size_t last) {
    return request_for(ids.subspan(first, last - first)).SerializeAsString();
  };
  about.use = [&](std::size_t first, std::size_t last, const std::string& data) -> result<void> {
    absl::flat_hash_map<job_reference, JobSummary> found;
    auto taken = take_answer(server, request_for(ids.subspan(first, last - first)), data,
                             [&](JobSummary& job) {
                               const auto id = job_reference::of_id(job.job_id());
                               found.insert_or_assign(id, std::move(job));
                               return true;
                             });
    if (!taken) return taken;
    for (auto i = first; i < last; ++i) {
      const auto job = found.find(ids[i]);
      if (job == found.end()) return unknown_job(ids[i].text());
      if (!use(job->second)) return stopped();
    }
    return {};
  };
  return ask_in_batches(server, about);
}

constexpr std::uint32_t page_size = 1'000;

}  // namespace

result<void> for_each_listed(client& server, ListJobsRequest request, const job_visitor& use) {
  const auto limit = request.limit();
  std::uint32_t count = 0;
  while (true) {
    auto page = call<ListJobsResponse>(server, list_method, request);
    if (!page) return fail(std::move(page.error()));
    for (auto& job : *page->mutable_jobs()) {
      if (limit != 0 && count == limit) return {};
      ++count;
      if (!use(job)) return stopped();
    }
    if (page->cursor().empty() || page->cursor() == request.cursor()) return {};
    if (limit != 0 && count >= limit) return {};
    if (limit != 0) request.set_limit(limit - count);
    request.set_cursor(page->cursor());
  }
}

result<std::vector<JobSummary>> list_jobs(client& server, ListJobsRequest request) {
  std::vector<JobSummary> all;
  auto done = for_each_listed(server, std::move(request), [&](JobSummary& job) {
    all.push_back(std::move(job));
    return true;
  });
  if (!done) return fail(std::move(done.error()));
  return all;
}

result<void> for_each_resolved(client& server, const std::vector<job_reference>& references,
                               const job_visitor& use) {
  const auto is_whole = [](const job_reference& one) { return one.is_whole(); };
  const bool all_whole = std::all_of(references.begin(), references.end(), is_whole);
  absl::flat_hash_set<job_reference> taken;
  // Whole ids differ; only a beginning of an id may name a job that was named already.
  const job_visitor once = [&](JobSummary& job) {
    return (!all_whole && !taken.insert(job_reference::of_id(job.job_id())).second) || use(job);
  };
  for (std::size_t at = 0; at < references.size();) {
    if (!references[at].is_whole()) {
      auto job = resolve_prefix(server, references[at++].text());
      if (!job) return fail(std::move(job.error()));
      if (!once(*job)) return stopped();
      continue;
    }
    const auto from = references.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = std::find_if_not(from, references.end(), is_whole);
    if (auto done = resolve_whole(server, {from, end}, once); !done) return done;
    at += static_cast<std::size_t>(end - from);
  }
  return {};
}

result<std::vector<JobSummary>> resolve_jobs(client& server,
                                             const std::vector<job_reference>& references) {
  std::vector<JobSummary> all;
  auto done = for_each_resolved(server, references, [&](JobSummary& job) {
    all.push_back(std::move(job));
    return true;
  });
  if (!done) return fail(std::move(done.error()));
  return all;
}

result<void> for_each_job(client& server, const std::vector<job_reference>& ids,
                          const std::function<bool(const api::JobDetails&)>& use) {
  batched_question about;
  about.method = details_method;
  about.items = ids.size();
  about.step = details_per_request;
  about.request = [&](std::size_t first, std::size_t last) {
    api::JobDetailsRequest request;
    request.set_expand_job_spec(true);
    request.set_expand_job_run(true);
    for (auto i = first; i < last; ++i) request.add_job_ids(ids[i].str());
    return request.SerializeAsString();
  };
  about.use = [&](std::size_t first, std::size_t last, const std::string& data) -> result<void> {
    // The arena frees the many small parts of a page at once.
    google::protobuf::Arena arena;
    auto* page = google::protobuf::Arena::CreateMessage<api::JobDetailsResponse>(&arena);
    if (auto read = decode(details_method, data, *page); !read) return read;
    for (auto i = first; i < last; ++i)
      if (const auto job = page->job_details().find(ids[i].str());
          job != page->job_details().end() && !use(job->second))
        return stopped();
    return {};
  };
  return ask_in_batches(server, about);
}

result<std::vector<argosy::v1::JobSetSummary>> list_job_sets(client& server,
                                                             const std::string& queue,
                                                             bool active_only) {
  argosy::v1::ListJobSetsRequest request;
  request.set_queue(queue);
  request.set_active_only(active_only);
  auto answer = call_pages<argosy::v1::ListJobSetsResponse>(server, "Query.ListJobSets", request);
  if (!answer) return fail(std::move(answer.error()));
  std::vector<argosy::v1::JobSetSummary> sets{
      std::make_move_iterator(answer->mutable_job_sets()->begin()),
      std::make_move_iterator(answer->mutable_job_sets()->end())};
  // The server goes through its index, whose order is not the order of names.
  std::sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return std::tie(a.queue(), a.job_set()) < std::tie(b.queue(), b.job_set());
  });
  return sets;
}

result<void> for_each_found(client& server, argosy::v1::FindJobsRequest request,
                            const job_visitor& use) {
  using argosy::v1::FindJobsResponse;
  const auto limit = request.limit();
  std::uint32_t taken = 0;
  while (true) {
    request.set_limit(limit == 0 ? page_size : std::min(page_size, limit - taken));
    auto page = call<FindJobsResponse>(server, "Query.FindJobs", request);
    if (!page) return fail(std::move(page.error()));
    for (auto& job : *page->mutable_jobs()) {
      if (!use(*job.mutable_summary())) return fail(ec::cancelled, "interrupted");
      if (++taken == limit) return {};
    }
    if (page->cursor().empty()) {
      if (!page->incomplete()) return {};
      return fail(ec::timeout, "the server had time to look at " +
                                   std::to_string(page->looked_at()) +
                                   " jobs only; ask for one queue or job set, or for fewer states");
    }
    request.set_cursor(page->cursor());
    request.clear_skip();
  }
}

}  // namespace argosy::ctl
