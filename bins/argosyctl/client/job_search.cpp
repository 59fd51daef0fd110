// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_search.hpp"

namespace argosy::ctl {

namespace {

constexpr std::uint32_t page_size = 1'000;

}  // namespace

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
