// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/job_details.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "messages/codec/api/environment_mask.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t jobs_at_a_time = 2'000;

}  // namespace

void details_printer::print(const std::string& item) {
  const bool first = printed_++ == 0;
  if (s_.as == format::yaml) {
    if (first && !bare_) s_.out.print("items:\n");
    s_.out.print(bare_ ? yaml_of(item) : yaml_item_of(item));
  } else if (s_.as == format::jsonl || bare_) {
    s_.out.print_line(item);
  } else {
    s_.out.print(first ? "{\"items\":[" : ",\n");
    s_.out.print(item);
  }
}

result<void> details_printer::flush() {
  const auto jobs = std::exchange(waiting_, {});
  std::vector<job_reference> ids;
  ids.reserve(jobs.size());
  for (const auto& job : jobs) ids.push_back(job_reference::of_id(job.job_id()));
  auto next = jobs.begin();
  return for_each_job(server_, ids, [&](const api::JobDetails& job) {
    while (next != jobs.end() && next->job_id() != job.job_id()) ++next;
    if (next != jobs.end()) print(json_of(job, *next));
    hides_values_ = hides_values_ || codec::hides_values(job.job_spec());
    return s_.out.good() && !s_.is_interrupted();
  });
}

result<void> details_printer::add(argosy::v1::JobSummary& job) {
  waiting_.push_back(std::move(job));
  if (waiting_.size() < jobs_at_a_time) return {};
  return flush();
}

result<void> details_printer::finish() {
  if (auto done = flush(); !done) return done;
  if (s_.as == format::yaml && printed_ == 0) s_.out.print("items: []\n");
  if (s_.as == format::json && !bare_) s_.out.print(printed_ == 0 ? "{\"items\":[]}\n" : "]}\n");
  if (hides_values_)
    s_.out.notice(
        fmt::format("values of environment variables are hidden from you ('{}'); give them "
                    "before you submit such a job again",
                    codec::hidden_value));
  return {};
}

result<void> print_details_of(session& s, client& server, const std::vector<job_reference>& ids,
                              bool bare) {
  details_printer printer{s, server, bare};
  result<void> added;
  auto done = for_each_resolved(server, ids, [&](argosy::v1::JobSummary& job) {
    added = printer.add(job);
    return added.has_value();
  });
  if (!added) return added;
  if (!done) return done;
  return printer.finish();
}

}  // namespace argosy::ctl
