// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/job_file.hpp"

#include <utility>

#include "messages/submit_file/job_reader.hpp"
#include "messages/submit_file/mistakes.hpp"
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
  if (options.job_set.empty()) return {};
  return model::validate_printable(options.job_set, "job set", job_set_size_max);
}

}  // namespace

yaml::limits job_file_limits() {
  yaml::limits out;
  out.alias_nodes_max = 10'000'000;
  return out;
}

result<job_file> read_jobs(std::string_view text, std::string file_name,
                           const job_file_options& options) {
  if (auto ok = check_options(options); !ok) return fail(std::move(ok.error()));
  job_file out{options.queue, options.job_set, {}, {}};
  mistake_list mistakes{file_name};
  remark_list remarks;
  job_reader reader{out, mistakes, remarks};
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

}  // namespace argosy::submit_file
