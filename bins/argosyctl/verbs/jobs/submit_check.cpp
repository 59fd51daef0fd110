// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/submit_check.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/whole_number.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::ctl {

namespace {

constexpr std::string_view submit_method = "Submit.SubmitJobs";
constexpr std::size_t request_size_max = (8u << 20) - 4'096;
constexpr std::size_t refusals_shown = 20;

std::string jobs_text(const named_file& file) {
  const auto jobs = file.content.jobs.size();
  return fmt::format("{} job{} for queue '{}', job set '{}'", jobs, jobs == 1 ? "" : "s",
                     file.content.queue, file.content.job_set);
}

nlohmann::ordered_json item_of(const named_file& file) {
  return {{"file", file.name},
          {"queue", file.content.queue},
          {"jobSet", file.content.job_set},
          {"jobs", file.content.jobs.size()}};
}

/// How many jobs of the request would be accepted.
result<std::size_t> check_request(client& server, const submit_request& request,
                                  std::string& note) {
  auto headers = headers_of(request);
  headers.emplace_back(bus::header::mode, "check");
  auto answer = server.exchange(submit_method, request.bytes, repeatable::yes, headers);
  if (!answer) return fail(std::move(answer.error()));
  note = note_of(*answer);
  if (const auto jobs = whole_number<std::size_t>(answer->header(bus::header::jobs))) return *jobs;
  return fail(ec::corrupt,
              "the server cannot check a submission without accepting it; do the versions "
              "match? (argosyctl version)");
}

/// Asks with a request without jobs, since a server of an earlier version does not know the header
/// and would accept them.
result<void> knows_checks(client& server, const named_file& file) {
  api::JobSubmitRequest nothing;
  nothing.set_queue(file.content.queue);
  nothing.set_job_set_id(file.content.job_set);
  std::string note;
  const auto asked = check_request(server, {nothing.SerializeAsString(), 0, {}}, note);
  return asked ? result<void>{} : fail(asked.error());
}

/// What the server said of all requests.
class server_check {
 public:
  server_check(session& s, client& server) : s_(s), server_(server) {}

  void ask(const submit_request& request, const request_origin& origin) {
    std::string note;
    const auto jobs = check_request(server_, request, note);
    if (!note.empty() && notes_.insert(note).second) s_.out.notice("note: " + note);
    if (jobs)
      accepted_[origin.file] += *jobs;
    else
      refused(jobs.error(), origin);
  }

  [[nodiscard]] bool enough() const { return refusals_ >= refusals_shown || s_.is_interrupted(); }

  exit_code finish(const std::vector<named_file>& files) {
    if (s_.is_interrupted()) return exit_code::interrupted;
    if (refusals_ > 0) return code_;
    std::vector<std::string> items;
    for (const auto& file : files) {
      auto item = item_of(file);
      item["accepted"] = accepted_[&file];
      items.push_back(item.dump());
      const auto known = file.content.jobs.size() - accepted_[&file];
      s_.out.notice(fmt::format("{}: {} would be accepted{}; nothing was submitted", file.name,
                                jobs_text(file),
                                known == 0 ? std::string{}
                                           : fmt::format(", but {} of them under a client id or "
                                                         "key that was used before",
                                                         known)));
    }
    if (s_.as == format::json) s_.out.print(json_items(items));
    return exit_code::success;
  }

 private:
  void refused(error why, const request_origin& origin) {
    const bool first = refusals_++ == 0;
    if (exit_code_of(why) == exit_code::not_found)
      why = unknown_queue(server_, origin.file->content.queue);
    why.detail = placed(why, origin);
    if (!first && why.detail == last_) return;
    last_ = why.detail;
    const auto code = report(s_.out, why);
    if (first) code_ = code;
  }

  session& s_;
  client& server_;
  std::map<const named_file*, std::size_t> accepted_;
  std::set<std::string> notes_;
  std::size_t refusals_ = 0;
  std::string last_;  ///< The refusal that was printed last.
  exit_code code_ = exit_code::success;
};

}  // namespace

result<exit_code> check_here(session& s, const std::vector<named_file>& files) {
  if (const auto parts = divide_files(files, request_size_max); !parts) return fail(parts.error());
  std::vector<std::string> items;
  for (const auto& file : files) {
    items.push_back(item_of(file).dump());
    s.out.notice(fmt::format("{}: {}; nothing was sent", file.name, jobs_text(file)));
  }
  if (s.as == format::json) s.out.print(json_items(items));
  return exit_code::success;
}

result<exit_code> check_on_server(session& s, client& server, const std::vector<named_file>& files,
                                  std::string_view key) {
  const auto divided = divide_files(files, server.request_size_max(), key);
  if (!divided) return fail(divided.error());
  if (auto ok = knows_checks(server, files.front()); !ok) return fail(std::move(ok.error()));
  server_check check{s, server};
  for (std::size_t i = 0; i < divided->requests.size() && !check.enough(); ++i)
    check.ask(divided->requests[i], divided->origins[i]);
  return check.finish(files);
}

}  // namespace argosy::ctl
