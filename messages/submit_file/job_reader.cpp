// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/job_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "messages/codec/submit/own_annotations.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/submit_file/pod_advice.hpp"
#include "messages/submit_file/wire_writer.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::submit_file {

namespace {

using api::JobSubmitRequestItem;
using yaml::fail_at;
using yaml::node;

constexpr std::size_t client_id_size_max = 100;
constexpr std::size_t key_size_max = 317;
constexpr std::size_t value_size_max = 256 * 1024;
constexpr std::uint32_t count_max = 100'000;
constexpr std::size_t counted_bytes_max = std::size_t{256} << 20;
constexpr const char* default_class = "armada-default";
constexpr std::string_view count_key = "count";
constexpr std::string_view array_key = "array";
/// The keys that stand for annotations of ours, and these.
constexpr std::array<std::pair<std::string_view, const char*>, 4> wishes{
    {{"name", codec::name_key},
     {"after", codec::after_key},
     {"onDependencyFailed", codec::on_dependency_failed_key},
     {"onPreempted", codec::on_preempted_key}}};

bool is_own(std::string_view key) {
  return key == count_key || key == array_key ||
         std::ranges::any_of(wishes, [&](const auto& wish) { return wish.first == key; });
}

void put_annotation(std::string_view key, std::string_view value, std::string& out) {
  std::string pair;
  put_bytes(1, key, pair);
  put_bytes(2, value, pair);
  put_bytes(JobSubmitRequestItem::kAnnotationsFieldNumber, pair, out);
}

void check_pairs(const std::optional<node>& pairs, mistake_list& mistakes) {
  if (!pairs) return;
  for (const auto& [key, value] : pairs->entries()) {
    if (key.text().empty()) mistakes.note(fail_at(key, "the name is empty"));
    mistakes.note(told_at(key, model::validate_printable(key.text(), "name", key_size_max)));
    mistakes.note(told_at(value, model::validate_printable(value.text(), "value", value_size_max)));
  }
}

}  // namespace

/// The keys of a job that are checked for more than their form.
struct job_reader::parts {
  std::optional<node> name_space, pod_spec, pod_specs, client_id, labels, annotations, priority;
  std::optional<node> count, array;
  std::array<std::optional<node>, wishes.size()> wished;

  /// The job's only pod spec.
  [[nodiscard]] result<node> pod(const node& job) const {
    if (pod_spec && pod_specs)
      return fail_at(job, "the job has podSpec and podSpecs; give exactly one pod");
    if (pod_spec) return *pod_spec;
    if (!pod_specs) return fail_at(job, "the job has no podSpec");
    if (pod_specs->size() != 1)
      return fail_at(*pod_specs, "podSpecs has " + std::to_string(pod_specs->size()) +
                                     " pods; give exactly one");
    return *pod_specs->items().begin();
  }
};

job_reader::job_reader(job_file& out, mistake_list& mistakes, remark_list& remarks,
                       const job_file_options& options)
    : out_(out),
      mistakes_(mistakes),
      remarks_(remarks),
      options_(options),
      plan_(message_plan::of(JobSubmitRequestItem::descriptor())),
      encoder_(&mistakes) {}

job_reader::parts job_reader::parts_of(const node& job) {
  parts found;
  for (const auto& [key, value] : job.entries()) {
    if (value.is_null()) continue;
    const auto name = key.text();
    if (name == "namespace") found.name_space = value;
    if (name == "podSpec") found.pod_spec = value;
    if (name == "podSpecs") found.pod_specs = value;
    if (name == "clientId") found.client_id = value;
    if (name == "labels") found.labels = value;
    if (name == "annotations") found.annotations = value;
    if (name == "priority") found.priority = value;
    if (name == count_key) found.count = value;
    if (name == array_key) found.array = value;
    for (std::size_t i = 0; i < wishes.size(); ++i)
      if (name == wishes[i].first) found.wished[i] = value;
  }
  return found;
}

void job_reader::read(const node& job, std::size_t number) {
  if (!job.is_mapping()) {
    mistakes_.note(fail_at(job, "a job is a mapping with podSpec and others, not a single value"));
    return;
  }
  buffer_.clear();
  for (const auto& [key, value] : job.entries())
    if (!is_own(key.text())) mistakes_.note(encoder_.encode_entry(key, value, plan_, buffer_));
  const auto found = parts_of(job);
  check(job, found);
  const auto after = add_wishes(job, found);
  if (found.array)
    add_array(job, found, number, after);
  else
    add_jobs(job, found, number);
}

namespace {

/// "NAME:when" of one entry, which is text, or a mapping with `job` and `when`.
result<std::string> after_text(const node& entry) {
  if (entry.is_scalar()) return std::string{entry.text()};
  if (!entry.is_mapping()) return fail_at(entry, "write NAME, ID, or {job: NAME, when: ended}");
  std::string job;
  std::string when;
  for (const auto& [key, value] : entry.entries()) {
    if (key.text() != "job" && key.text() != "when")
      return fail_at(key, "unknown field '" + std::string{key.text().substr(0, 60)} +
                              "'; it may be job or when");
    (key.text() == "job" ? job : when) = value.text();
  }
  if (job.empty()) return fail_at(entry, "it names no job; write {job: NAME, when: ended}");
  return when.empty() ? job : job + ":" + when;
}

}  // namespace

std::string job_reader::read_after(const node& after) {
  std::string text;
  const auto add = [&](const node& entry) {
    const auto one = after_text(entry);
    if (!one) return mistakes_.add(one.error());
    text += (text.empty() ? "" : ",") + *one;
  };
  if (after.is_sequence())
    for (const auto& entry : after.items()) add(entry);
  else
    add(after);
  if (text.empty()) return text;
  if (const auto read = codec::read_after(text); !read)
    mistakes_.note(fail_at(after, "'after' " + read.error().detail));
  out_.has_waits = true;
  return text;
}

/// The name of the first container if it says something, by which the server calls the job.
std::string job_reader::telling_name(const node& job, const parts& found) {
  const auto pod = found.pod(job);
  const auto containers = pod ? pod->find("containers") : std::nullopt;
  if (!containers || !containers->is_sequence() || containers->size() == 0) return {};
  const auto name = (*containers->items().begin()).find("name");
  return name && codec::is_telling_name(name->text()) ? std::string{name->text()} : std::string{};
}

std::string job_reader::name_of(const node& job, const parts& found) {
  if (!options_.name.empty()) return options_.name;
  if (const auto& own = found.wished.front()) {
    if (auto ok = codec::check_job_name(own->text()); !ok)
      mistakes_.note(fail_at(*own, "'name' " + ok.error().detail));
    return std::string{own->text()};
  }
  const auto told = telling_name(job, found);
  if (found.array) return told.empty() ? options_.usual_name : told;
  return told.empty() ? options_.usual_name : std::string{};
}

std::string job_reader::add_wishes(const node& job, const parts& found) {
  std::string after;
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    const auto& [key, annotation] = wishes[i];
    if (!found.wished[i]) continue;
    if (key == "after")
      after = read_after(*found.wished[i]);
    else if (found.wished[i]->is_scalar())
      put_annotation(annotation, found.wished[i]->text(), buffer_);
    else
      mistakes_.note(fail_at(*found.wished[i], "'" + std::string{key} + "' takes text"));
  }
  // The numbers of an array stand behind its name.
  if (found.array) return after;
  if (!after.empty()) put_annotation(codec::after_key, after, buffer_);
  if (const auto name = name_of(job, found); !name.empty())
    put_annotation(codec::name_key, name, buffer_);
  return after;
}

std::vector<std::uint64_t> job_reader::read_array(const parts& found) {
  const auto text = found.array->text();
  const auto dash = text.find('-');
  const auto colon = text.find(':');
  const auto from = whole_number<std::uint32_t>(text.substr(0, dash));
  const auto to = dash == std::string_view::npos
                      ? from
                      : whole_number<std::uint32_t>(text.substr(dash + 1, colon - dash - 1));
  const auto step = colon == std::string_view::npos
                        ? std::optional<std::uint32_t>{1}
                        : whole_number<std::uint32_t>(text.substr(colon + 1));
  std::vector<std::uint64_t> out;
  const bool is_good = from && to && step && *step > 0 && *from <= *to &&
                       (*to - *from) / *step < count_max && !found.count;
  if (!is_good) {
    mistakes_.note(fail_at(
        *found.array, found.count ? std::string{"'array' and 'count' exclude one another"}
                                  : "'array' takes FROM-TO or FROM-TO:STEP, such as 0-99, with at "
                                    "most " +
                                        std::to_string(count_max) + " numbers"));
    return out;
  }
  for (std::uint64_t at = *from; at <= *to; at += *step) out.push_back(at);
  return out;
}

void job_reader::check(const node& job, const parts& found) {
  const auto pod = found.pod(job);
  if (!pod) {
    mistakes_.add(pod.error());
  } else {
    const auto containers = pod->find("containers");
    if (!containers || (containers->is_sequence() && containers->size() == 0))
      mistakes_.note(
          fail_at(containers.value_or(*pod), "the pod has no containers; it needs at least one"));
    look_at_pod(*pod, mistakes_, remarks_);
  }
  if (found.priority) look_at_priority(*found.priority, remarks_);
  if (found.name_space && !found.name_space->text().empty())
    mistakes_.note(
        told_at(*found.name_space, model::validate_name(found.name_space->text(), "namespace")));
  if (found.client_id)
    mistakes_.note(told_at(
        *found.client_id,
        model::validate_printable(found.client_id->text(), "clientId", client_id_size_max)));
  check_pairs(found.labels, mistakes_);
  check_pairs(found.annotations, mistakes_);
}

/// How many equal jobs the item stands for. After a mistake it is not known.
std::optional<std::uint32_t> job_reader::read_count(const parts& found) {
  if (!found.count) return 1;
  const auto read = whole_number<std::uint32_t>(found.count->text());
  const auto count = found.count->plain() ? read.value_or(0) : 0;
  if (count < 1 || count > count_max) {
    mistakes_.note(fail_at(*found.count, "'count' takes a whole number from 1 to " +
                                             std::to_string(count_max) +
                                             ", the number of equal jobs"));
    return std::nullopt;
  }
  if (count > 1 && found.client_id && !found.client_id->text().empty()) {
    mistakes_.note(fail_at(*found.client_id,
                           "a clientId names one job; leave it out beside a count of more than 1, "
                           "or submit with --idempotency-key"));
    return std::nullopt;
  }
  counted_bytes_ += (count - 1) * buffer_.size();
  if (counted_bytes_ <= counted_bytes_max) return count;
  mistakes_.note(fail_at(*found.count, "the jobs that 'count' repeats up to here have more than " +
                                           std::to_string(counted_bytes_max) +
                                           " bytes; divide the file"));
  return std::nullopt;
}

/// "[i]" in what a member waits for stands for its own number.
void job_reader::add_array(const node& job, const parts& found, std::size_t number,
                           std::string_view after) {
  const auto numbers = read_array(found);
  const auto name = name_of(job, found);
  counted_bytes_ += numbers.size() * buffer_.size();
  if (counted_bytes_ > counted_bytes_max) {
    mistakes_.note(fail_at(*found.array, "the jobs of arrays up to here have more than " +
                                             std::to_string(counted_bytes_max) +
                                             " bytes; divide the file"));
    return;
  }
  const auto alike = buffer_.size();
  for (const auto index : numbers) {
    const auto own = "[" + std::to_string(index) + "]";
    buffer_.resize(alike);
    put_annotation(codec::name_key, name + own, buffer_);
    put_annotation(codec::array_key, std::to_string(index) + "/" + std::to_string(numbers.size()),
                   buffer_);
    std::string waits{after};
    for (auto at = waits.find("[i]"); at != std::string::npos; at = waits.find("[i]", at))
      waits.replace(at, 3, own);
    if (!waits.empty()) put_annotation(codec::after_key, waits, buffer_);
    out_.jobs.push_back({buffer_, {}, job.line(), job.column(), number});
    if (!enrol(job, found)) return;
  }
}

void job_reader::add_jobs(const node& job, const parts& found, std::size_t number) {
  const auto count = read_count(found);
  for (std::uint32_t i = 0; i < count.value_or(1); ++i) {
    out_.jobs.push_back({buffer_, {}, job.line(), job.column(), number});
    if (!enrol(job, found)) return;
  }
  if (!count && !out_.jobs.back().gang.empty()) wrong_gangs_.insert(out_.jobs.back().gang);
}

bool job_reader::enrol(const node& job, const parts& found) {
  if (!found.annotations || !found.annotations->find(codec::gang_id_key)) return true;
  google::protobuf::Map<std::string, std::string> annotations;
  for (const auto& [key, value] : found.annotations->entries())
    annotations[std::string{key.text()}] = std::string{value.text()};
  auto gang = codec::read_gang(annotations);
  if (!gang) {
    wrong_gangs_.insert(annotations[codec::gang_id_key]);
    return mistakes_.note(fail_at(*found.annotations, gang.error().detail));
  }
  if (!*gang) return true;
  const auto pod = found.pod(job);
  const auto wanted = pod ? pod->find("priorityClassName") : std::nullopt;
  const auto priority_class =
      wanted && !wanted->text().empty() ? wanted->text() : std::string_view{default_class};
  if (auto ok = gangs_.add(**gang, priority_class, out_.jobs.size() - 1); !ok) {
    wrong_gangs_.insert((*gang)->id);
    return mistakes_.note(fail_at(job, ok.error().detail));
  }
  out_.jobs.back().gang = (*gang)->id;
  return true;
}

void job_reader::check_complete(const std::string& file_name) {
  for (const auto& [id, entry] : gangs_.gangs()) {
    // Members that were refused do not count, so that nothing is known of the others' number.
    if (entry.members == entry.gang.cardinality || wrong_gangs_.contains(id)) continue;
    mistakes_.note(fail(
        ec::invalid_argument,
        file_name + ":" + std::to_string(out_.jobs[entry.first].line) + ":1: gang '" +
            id.substr(0, 60) + "' has " + std::to_string(entry.members) + " of " +
            std::to_string(entry.gang.cardinality) + " members; a gang is submitted as a whole"));
  }
}

}  // namespace argosy::submit_file
