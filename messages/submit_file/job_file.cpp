// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/job_file.hpp"

#include <optional>

#include "messages/codec/submit/gang.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/encoder.hpp"
#include "messages/submit_file/wire_writer.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::submit_file {

namespace {

using api::JobSubmitRequestItem;
using yaml::fail_at;
using yaml::node;

constexpr std::size_t job_set_size_max = 1'023;
constexpr std::size_t client_id_size_max = 100;
constexpr std::size_t key_size_max = 317;
constexpr std::size_t value_size_max = 256 * 1024;
constexpr const char* default_class = "armada-default";
constexpr std::string_view list_key = "jobs";

result<void> at(const node& where, result<void> outcome) {
  if (outcome) return outcome;
  return fail_at(where, outcome.error().detail);
}

/// The keys of a job that are checked for more than their form.
struct job_parts {
  std::optional<node> name_space, pod_spec, pod_specs, client_id, labels, annotations;
};

job_parts parts_of(const node& job) {
  job_parts parts;
  for (const auto& [key, value] : job.entries()) {
    if (value.is_null()) continue;
    const auto name = key.text();
    if (name == "namespace") parts.name_space = value;
    if (name == "podSpec") parts.pod_spec = value;
    if (name == "podSpecs") parts.pod_specs = value;
    if (name == "clientId") parts.client_id = value;
    if (name == "labels") parts.labels = value;
    if (name == "annotations") parts.annotations = value;
  }
  return parts;
}

result<void> check_pairs(const std::optional<node>& pairs) {
  if (!pairs) return {};
  for (const auto& [key, value] : pairs->entries()) {
    if (key.text().empty()) return fail_at(key, "the name is empty");
    if (auto ok = at(key, model::validate_printable(key.text(), "name", key_size_max)); !ok)
      return ok;
    if (auto ok = at(value, model::validate_printable(value.text(), "value", value_size_max)); !ok)
      return ok;
  }
  return {};
}

/// The job's only pod spec.
result<node> find_pod(const node& job, const job_parts& parts) {
  if (parts.pod_spec && parts.pod_specs)
    return fail_at(job, "the job has podSpec and podSpecs; give exactly one pod");
  if (parts.pod_spec) return *parts.pod_spec;
  if (!parts.pod_specs) return fail_at(job, "the job has no podSpec");
  if (parts.pod_specs->size() != 1)
    return fail_at(*parts.pod_specs, "podSpecs has " + std::to_string(parts.pod_specs->size()) +
                                         " pods; give exactly one");
  return *parts.pod_specs->items().begin();
}

/// Reads the jobs one by one.
class job_reader {
 public:
  explicit job_reader(job_file& out)
      : out_(out), plan_(message_plan::of(JobSubmitRequestItem::descriptor())) {}

  result<void> read(const node& job) {
    if (!job.is_mapping())
      return fail_at(job, "a job is a mapping with podSpec and others, not a single value");
    buffer_.clear();
    for (const auto& [key, value] : job.entries())
      if (auto ok = encoder_.encode_entry(key, value, plan_, buffer_); !ok) return ok;
    const auto parts = parts_of(job);
    if (auto ok = check(job, parts); !ok) return ok;
    if (!parts.name_space || parts.name_space->text().empty())
      put_bytes(JobSubmitRequestItem::kNamespaceFieldNumber, "default", buffer_);
    auto& entry = out_.jobs.emplace_back(job_entry{buffer_, {}, job.line(), job.column()});
    return enrol(job, parts, entry);
  }

  /// Refuses gangs that lack members.
  result<void> check_complete(const std::string& file_name) const {
    for (const auto& [id, entry] : gangs_.gangs()) {
      if (entry.members == entry.gang.cardinality) continue;
      return fail(ec::invalid_argument,
                  file_name + ":" + std::to_string(out_.jobs[entry.first].line) + ":1: gang '" +
                      id.substr(0, 60) + "' has " + std::to_string(entry.members) + " of " +
                      std::to_string(entry.gang.cardinality) +
                      " members; a gang is submitted as a whole");
    }
    return {};
  }

 private:
  result<void> check(const node& job, const job_parts& parts) {
    auto pod = find_pod(job, parts);
    if (!pod) return fail(std::move(pod.error()));
    const auto containers = pod->find("containers");
    if (!containers || containers->size() == 0)
      return fail_at(containers.value_or(*pod), "the pod has no containers; it needs at least one");
    if (parts.name_space && !parts.name_space->text().empty())
      if (auto ok =
              at(*parts.name_space, model::validate_name(parts.name_space->text(), "namespace"));
          !ok)
        return ok;
    if (parts.client_id)
      if (auto ok = at(*parts.client_id, model::validate_printable(parts.client_id->text(),
                                                                   "clientId", client_id_size_max));
          !ok)
        return ok;
    if (auto ok = check_pairs(parts.labels); !ok) return ok;
    return check_pairs(parts.annotations);
  }

  /// Adds the job to its gang, if it has one.
  result<void> enrol(const node& job, const job_parts& parts, job_entry& entry) {
    if (!parts.annotations || !parts.annotations->find(codec::gang_id_key)) return {};
    google::protobuf::Map<std::string, std::string> annotations;
    for (const auto& [key, value] : parts.annotations->entries())
      annotations[std::string{key.text()}] = std::string{value.text()};
    auto gang = codec::read_gang(annotations);
    if (!gang) return fail_at(*parts.annotations, gang.error().detail);
    if (!*gang) return {};
    const auto pod = find_pod(job, parts);
    const auto wanted = pod ? pod->find("priorityClassName") : std::nullopt;
    const auto priority_class =
        wanted && !wanted->text().empty() ? wanted->text() : std::string_view{default_class};
    if (auto ok = gangs_.add(**gang, priority_class, out_.jobs.size() - 1); !ok)
      return fail_at(job, ok.error().detail);
    entry.gang = (*gang)->id;
    return {};
  }

  job_file& out_;
  const message_plan& plan_;
  encoder encoder_;
  std::string buffer_;
  codec::gang_roll gangs_;
};

/// Reads a text field at the top of the file.
result<void> read_text(const node& value, std::string_view name, std::string& out) {
  if (!out.empty() || value.is_null()) return {};
  if (!value.is_scalar()) return fail_at(value, "'" + std::string{name} + "' takes text");
  out = value.text();
  return {};
}

result<void> read_top(const node& root, std::size_t job_count, job_file& out) {
  static const std::vector<std::string_view> known{"queue", "jobSetId", list_key};
  if (!root.is_mapping())
    return fail_at(root, "expected a submit file with queue, jobSetId and jobs");
  bool has_list = false;
  for (const auto& [key, value] : root.entries()) {
    const auto name = key.text();
    result<void> outcome;
    if (name == "queue") {
      outcome = read_text(value, name, out.queue);
      if (outcome && !value.text().empty() && out.queue == value.text())
        outcome = at(value, model::validate_name(value.text(), "queue"));
    } else if (name == "jobSetId") {
      outcome = read_text(value, name, out.job_set);
      if (outcome)
        outcome = at(value, model::validate_printable(value.text(), "jobSetId", job_set_size_max));
    } else if (name == list_key) {
      has_list = value.is_sequence();
      if (!has_list && !value.is_null())
        outcome = fail_at(value, "'jobs' is a list; write its items as `- podSpec: ...`");
    } else {
      outcome = fail_at(key, "unknown field '" + std::string{name.substr(0, 60)} + "'" +
                                 did_you_mean(name, known));
    }
    if (!outcome) return outcome;
  }
  if (out.queue.empty()) return fail_at(root, "no queue; add `queue: NAME` or use --queue");
  if (out.job_set.empty()) return fail_at(root, "no job set; add `jobSetId: NAME` or use --jobset");
  if (!has_list || job_count == 0) return fail_at(root, "no jobs; list them under `jobs:`");
  return {};
}

}  // namespace

result<job_file> read_jobs(std::string_view text, std::string file_name,
                           const job_file_options& options) {
  job_file out{options.queue, options.job_set, {}};
  if (!out.queue.empty())
    if (auto ok = model::validate_name(out.queue, "queue"); !ok) return fail(std::move(ok.error()));
  if (!out.job_set.empty())
    if (auto ok = model::validate_printable(out.job_set, "job set", job_set_size_max); !ok)
      return fail(std::move(ok.error()));
  job_reader reader{out};
  auto document = yaml::parse_items(text, file_name, list_key,
                                    [&](const node& job, std::size_t) { return reader.read(job); });
  if (!document) return fail(std::move(document.error()));
  if (auto ok = read_top(document->root(), out.jobs.size(), out); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = reader.check_complete(file_name); !ok) return fail(std::move(ok.error()));
  return out;
}

}  // namespace argosy::submit_file
