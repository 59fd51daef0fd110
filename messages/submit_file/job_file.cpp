// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/job_file.hpp"

#include <map>
#include <utility>

#include "messages/codec/submit/own_annotations.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/job_reader.hpp"
#include "messages/submit_file/mistakes.hpp"
#include "messages/submit_file/wire_writer.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

namespace {

using yaml::fail_at;
using yaml::node;

constexpr std::size_t job_set_size_max = 1'023;
constexpr std::string_view list_key = "jobs";
/// Keys with this beginning are the user's own, for values that carry an anchor.
constexpr std::string_view own_key_prefix = "x-";

/// Reads a text field at the top of the file.
result<void> read_text(const node& value, std::string_view name, std::string& out) {
  if (!out.empty() || value.is_null()) return {};
  if (!value.is_scalar()) return fail_at(value, "'" + std::string{name} + "' takes text");
  out = value.text();
  return {};
}

result<void> read_queue_name(const node& value, std::string& out) {
  if (auto ok = read_text(value, "queue", out); !ok) return ok;
  if (value.text().empty() || out != value.text()) return {};
  return told_at(value, model::validate_queue_name(value.text(), "queue"));
}

result<void> read_job_set(const node& value, std::string& out) {
  if (auto ok = read_text(value, "jobSetId", out); !ok) return ok;
  return told_at(value, model::validate_printable(value.text(), "jobSetId", job_set_size_max));
}

/// Armada's name for it, and that which lists of jobs have.
bool is_job_set(std::string_view name) {
  return name == "jobSetId" || name == "jobSet";
}

result<void> read_top_entry(const node& key, const node& value, job_file& out) {
  static const std::vector<std::string_view> known{"queue", "jobSetId", list_key};
  const auto name = key.text();
  if (name == "queue") return read_queue_name(value, out.queue);
  if (is_job_set(name)) return read_job_set(value, out.job_set);
  if (name == list_key && !value.is_sequence() && !value.is_null())
    return fail_at(value, "'jobs' is a list; write its items as `- podSpec: ...`");
  if (name == list_key || name.starts_with(own_key_prefix)) return {};
  return fail_at(
      key, "unknown field '" + std::string{name.substr(0, 60)} + "'" + did_you_mean(name, known));
}

void read_top(const node& root, bool has_items, job_file& out, mistake_list& mistakes) {
  if (!root.is_mapping()) {
    mistakes.note(fail_at(root, "expected a submit file with queue, jobSetId and jobs"));
    return;
  }
  bool good = true;
  bool has_set = false;
  for (const auto& [key, value] : root.entries()) {
    if (is_job_set(key.text()) && std::exchange(has_set, true))
      good = mistakes.note(fail_at(key, "the job set is named twice"));
    good = mistakes.note(read_top_entry(key, value, out)) && good;
  }
  // A misspelt key is told as that, and not once more as a missing one.
  if (!good) return;
  if (out.queue.empty()) mistakes.note(fail_at(root, "no queue; add `queue: NAME` or use --queue"));
  if (out.job_set.empty())
    mistakes.note(fail_at(root, "no job set; add `jobSetId: NAME` or use --jobset"));
  if (!has_items) mistakes.note(fail_at(root, "no jobs; list them under `jobs:`"));
}

result<void> check_options(const job_file_options& options) {
  if (!options.queue.empty())
    if (auto ok = model::validate_queue_name(options.queue, "queue"); !ok) return ok;
  if (!options.name.empty())
    if (auto ok = codec::check_job_name(options.name); !ok)
      return fail(ec::invalid_argument, "the name " + ok.error().detail);
  if (options.job_set.empty()) return {};
  return model::validate_printable(options.job_set, "job set", job_set_size_max);
}

/// Jobs that must stay together: a gang, or a job on its own.
struct unit {
  std::vector<std::size_t> jobs;
  std::size_t bytes = 0;
};

/// The most bytes that tag and length of an item take.
constexpr std::size_t frame_size_max = 6;

std::vector<unit> units_of(const job_file& file) {
  std::vector<unit> units;
  std::map<std::string_view, std::size_t> by_gang;
  for (std::size_t i = 0; i < file.jobs.size(); ++i) {
    const auto& job = file.jobs[i];
    auto index = units.size();
    if (!job.gang.empty()) index = by_gang.try_emplace(job.gang, index).first->second;
    if (index == units.size()) units.emplace_back();
    units[index].jobs.push_back(i);
    units[index].bytes += job.item.size() + frame_size_max;
  }
  return units;
}

}  // namespace

yaml::limits job_file_limits() {
  yaml::limits out;
  out.alias_nodes_max = 10'000'000;
  out.control_characters = true;
  return out;
}

result<job_file> read_jobs(std::string_view text, std::string file_name,
                           const job_file_options& options) {
  if (auto ok = check_options(options); !ok) return fail(std::move(ok.error()));
  job_file out{options.queue, options.job_set, {}, false, {}};
  mistake_list mistakes{file_name};
  remark_list remarks;
  job_reader reader{out, mistakes, remarks, options};
  bool has_items = false;
  auto document = yaml::parse_items(
      text, file_name, list_key,
      [&](const node& job, std::size_t number) -> result<void> {
        has_items = true;
        reader.read(job, number);
        if (mistakes.full()) return mistakes.to_failure();
        return {};
      },
      job_file_limits());
  if (mistakes.full()) return mistakes.to_failure();
  if (document) {
    read_top(document->root(), has_items, out, mistakes);
    reader.check_complete(file_name);
  } else {
    mistakes.add(document.error());
  }
  if (!mistakes.empty()) return mistakes.to_failure();
  out.remarks = remarks.lines();
  return out;
}

result<std::vector<job_request>> divide(const job_file& file, std::size_t bytes_max,
                                        std::size_t jobs_max) {
  std::string head;
  put_bytes(api::JobSubmitRequest::kQueueFieldNumber, file.queue, head);
  put_bytes(api::JobSubmitRequest::kJobSetIdFieldNumber, file.job_set, head);
  std::vector<job_request> requests;
  std::size_t bytes = 0;  // An upper bound of the size of the request that is being filled.
  for (const auto& unit : units_of(file)) {
    if (head.size() + unit.bytes > bytes_max) {
      const auto& first = file.jobs[unit.jobs.front()];
      const auto what = first.gang.empty() ? "the job at line " + std::to_string(first.line)
                                           : "gang '" + first.gang.substr(0, 60) + "'";
      return fail(ec::too_large, what + " does not fit into one request of " +
                                     std::to_string(bytes_max) + " bytes: it has " +
                                     std::to_string(head.size() + unit.bytes));
    }
    if (requests.empty() || bytes + unit.bytes > bytes_max ||
        requests.back().jobs.size() + unit.jobs.size() > jobs_max) {
      requests.push_back({head, {}});
      bytes = head.size();
    }
    auto& request = requests.back();
    bytes += unit.bytes;
    for (const auto job : unit.jobs) {
      put_bytes(api::JobSubmitRequest::kJobRequestItemsFieldNumber, file.jobs[job].item,
                request.bytes);
      request.jobs.push_back(job);
    }
  }
  return requests;
}

}  // namespace argosy::submit_file
