// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/submit_codec.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "messages/codec/number_ranges.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/submit/gang.hpp"
#include "messages/codec/submit/own_annotations.hpp"
#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/submit/pod_shape.hpp"
#include "messages/codec/submit/policy_check.hpp"
#include "messages/codec/submit/submit_request.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t cache_size_max = 16U << 20U;
constexpr std::size_t text_size_max = 256 * 1024;

std::uint64_t hash_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

result<void> check_strings(const string_map& map, const std::string& place, const char* field) {
  for (const auto& [key, value] : map) {
    if (key.empty()) return refuse_at(place + "." + field, "has an empty name");
    const auto here = [&] { return place + "." + field + "[\"" + shown(key) + "\"]"; };
    if (auto ok = model::validate_printable(key, "name", key_size_max); !ok)
      return refuse_at(place + "." + field, ok.error().detail);
    if (auto ok = model::validate_printable(value, "value", text_size_max); !ok)
      return refuse_at(here(), ok.error().detail);
  }
  return {};
}

/// Checks what belongs to the request as a whole: its queue, its gangs and its job set.
result<void> check_request(submit_request& request, const submit_limits& limits) {
  if (request.queue.empty())
    return refuse_at("queue", "is missing; name the queue that takes the jobs");
  if (auto ok = model::validate_queue_name(request.queue, "queue"); !ok) return ok;
  gang_roll gangs;
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    auto& item = request.items[i];
    auto gang = read_gang(item.message->annotations());
    if (!gang) return fail(ec::invalid_argument, item_place(i) + "." + gang.error().detail);
    item.gang = std::move(*gang);
    if (!item.gang) continue;
    if (item.gang->uniformity_label.empty())
      item.gang->uniformity_label = limits.gang_uniformity_label;
    const auto* pod = item.pod;
    if (auto ok = gangs.add(*item.gang, pod ? pod->priority_class(limits) : "", i); !ok)
      return refuse_at(item_place(i), ok.error().detail);
  }
  if (request.job_set.empty())
    return refuse_at("job_set_id", "is missing; name the job set of the jobs");
  return model::validate_printable(request.job_set, "job_set_id", limits.rules.job_set_bytes_max);
}

result<void> check_ingress(const partial::v1::SubmitItem& item, const std::string& place) {
  std::set<std::uint32_t> seen;
  for (int i = 0; i < item.ingress_size(); ++i) {
    const auto here = place + ".ingress[" + std::to_string(i) + "].ports";
    const std::set<std::uint32_t> ports{item.ingress(i).ports().begin(),
                                        item.ingress(i).ports().end()};
    if (ports.empty()) return refuse_at(here, "is empty; list at least one port");
    for (const auto port : ports)
      if (!seen.insert(port).second)
        return refuse_at(here, "port " + std::to_string(port) +
                                   " is in another ingress already; a port belongs to one");
  }
  return check_numbers(item, place);
}

/// Checks the annotation that names a price band.
result<void> check_price_band(const partial::v1::SubmitItem& item, const std::string& place) {
  const auto band = item.annotations().find(price_band_key);
  if (band == item.annotations().end()) return {};
  const auto& text = band->second;
  const bool is_band = text.size() == 1 &&
                       ((text[0] >= 'A' && text[0] <= 'H') || (text[0] >= 'a' && text[0] <= 'h'));
  if (is_band) return {};
  return refuse_at(place + ".annotations[\"" + price_band_key + "\"]",
                   "'" + shown(text) + "' is not a letter from A to H");
}

/// Checks one item. The checks of a pod spec that has passed them before are left out.
result<void> check_item(const submit_item& item, std::size_t index, const submit_limits& limits) {
  const auto& message = *item.message;
  const bool is_plain = item.pod && item.pod->checked && message.ingress().empty() &&
                        message.services().empty() && message.client_id().empty() &&
                        message.annotations().empty() && message.labels().empty();
  const auto place = is_plain ? std::string{} : item_place(index);
  if (auto ok = model::validate_name(item.name_space, "namespace"); !ok)
    return refuse_at(item_place(index), ok.error().detail);
  if (std::isnan(message.priority()))
    return refuse_at(item_place(index) + ".priority", "is not a number");
  if (auto ok = check_strings(message.labels(), place, "labels"); !ok) return ok;
  if (auto ok = check_strings(message.annotations(), place, "annotations"); !ok) return ok;
  if (item.pods != 1)
    return refuse_at(item_place(index),
                     item.pods == 0 ? "has no pod spec; give pod_spec"
                                    : "has " + std::to_string(item.pods) +
                                          " pod specs; give exactly one, in pod_spec or pod_specs");
  if (item.pod->bytes.size() > limits.rules.pod_spec_bytes_max)
    return refuse_at(pod_place(index, item),
                     "has " + std::to_string(item.pod->bytes.size()) + " bytes; at most " +
                         std::to_string(limits.rules.pod_spec_bytes_max) + " are allowed");
  const auto* pod = item.pod->checked ? nullptr : item.pod->decoded;
  if (pod)
    if (auto ok = check_pod(*pod, limits, pod_place(index, item)); !ok) return ok;
  if (auto ok = check_ingress(message, place); !ok) return ok;
  if (pod)
    if (auto ok = check_pod_ports(*pod, pod_place(index, item)); !ok) return ok;
  if (auto ok = model::validate_printable(message.client_id(), "client_id",
                                          limits.rules.client_id_bytes_max);
      !ok)
    return refuse_at(item_place(index), ok.error().detail);
  if (pod)
    if (auto ok = check_pod_tolerations(*pod, limits, pod_place(index, item)); !ok) return ok;
  if (pod)
    if (auto ok = check_restart_policies(*pod, pod_place(index, item)); !ok) return ok;
  for (const auto* text : {&message.scheduler(), &message.external_job_uri()})
    if (auto ok = model::validate_printable(*text, "text", text_size_max); !ok)
      return refuse_at(
          item_place(index) + (text == &message.scheduler() ? ".scheduler" : ".external_job_uri"),
          ok.error().detail);
  if (auto ok = check_own_annotations(message.annotations(), place); !ok) return ok;
  if (auto ok = check_no_own_keys(message.labels(), place, "labels"); !ok) return ok;
  for (int i = 0; i < message.ingress_size(); ++i)
    if (auto ok = check_no_own_keys(message.ingress(i).annotations(),
                                    place + ".ingress[" + std::to_string(i) + "]", "annotations");
        !ok)
      return ok;
  if (auto ok = check_lease_wishes(message.annotations(), place); !ok) return ok;
  return check_price_band(message, place);
}

/// Makes defaults, shape and encoding of a pod spec that has just passed the checks.
result<std::shared_ptr<const checked_pod>> finish_pod(core::PodSpec& pod,
                                                      const submit_limits& limits,
                                                      shape_table& shapes,
                                                      const std::string& place) {
  auto out = std::make_shared<checked_pod>();
  out->content_hash = hash_of(encode_sorted(pod));
  apply_pod_defaults(pod, limits);
  auto shape = shape_of(pod, limits, place);
  if (!shape) return fail(std::move(shape.error()));
  out->shape = shapes.intern(*shape);
  out->encoded = encode_sorted(pod);
  out->grace_seconds = pod.terminationgraceperiodseconds();
  out->deadline_seconds = pod.activedeadlineseconds();
  if (!pod.containers().empty() && is_telling_name(pod.containers(0).name()))
    out->name = pod.containers(0).name();
  out->demands = access::demands_of_spec(nlohmann::json::parse(go_json_text(pod)));
  std::erase_if(out->demands, [](const auto& each) { return each.silent; });
  return out;
}

/// A hash that is the same for a retry of the request and differs for another body. The pod spec's
/// bytes are cleared from the message on the way.
/// A namespace that is not named counts as Kubernetes' default, whichever the job gets: a request
/// that is repeated is the same, although other clusters may be known by then.
std::uint64_t body_hash(submit_item& item) {
  if (item.message->namespace_().empty()) item.message->set_namespace_("default");
  item.message->clear_pod_spec();
  item.message->clear_pod_specs();
  auto bytes = encode_sorted(*item.message);
  const auto pod = item.pod->checked->content_hash;
  bytes.append(reinterpret_cast<const char*>(&pod), sizeof pod);
  return hash_of(bytes);
}

void take_metadata(string_map& in, string_map& out, std::string_view id) {
  for (auto& [key, value] : in) {
    if (value.find("{JobId}") != std::string::npos)
      out[key] = replace_job_id(value, id);
    else
      out[key] = std::move(value);
  }
}

/// The encoded JobSpec. As much as possible is moved out of the item.
std::string encode_spec(submit_item& item, const submit_context& context,
                        const submit_limits& limits, std::string_view id,
                        partial::v1::JobSpec& spec) {
  auto& message = *item.message;
  spec.set_pod_spec(item.pod->checked->encoded);
  take_metadata(*message.mutable_labels(), *spec.mutable_labels(), id);
  take_metadata(*message.mutable_annotations(), *spec.mutable_annotations(), id);
  auto& annotations = *spec.mutable_annotations();
  if (item.gang) {
    annotations.insert({gang_uniformity_key, item.gang->uniformity_label});
    annotations.insert({fail_fast_key, "true"});
    if (limits.rules.gang_id_label) (*spec.mutable_labels())[gang_id_key] = item.gang->id;
  }
  for (const auto& ingress : message.ingress()) *spec.add_ingress() = ingress;
  for (const auto& service : message.services()) *spec.add_services() = service;
  spec.set_scheduler(message.scheduler());
  spec.set_external_job_uri(message.external_job_uri());
  if (const auto uri = annotations.find(external_uri_key);
      message.external_job_uri().empty() && uri != annotations.end())
    spec.set_external_job_uri(uri->second);
  for (const auto& group : context.owner_groups) spec.add_owner_groups(group);
  return encode_sorted(spec);
}

/// Placeholders grow and some texts have no limit of their own, so that only the whole
/// specification shows what the agent would get.
result<void> check_spec(const std::string& spec, std::size_t index, const submit_limits& limits) {
  if (spec.size() <= limits.spec_size_max) return {};
  return fail(ec::too_large,
              item_place(index) + ": its specification has " + std::to_string(spec.size()) +
                  " bytes, every {JobId} replaced; at most " +
                  std::to_string(limits.spec_size_max) +
                  " are allowed: make its annotations, labels, ingresses or services smaller");
}

/// The jobs of the request before the present one, by their names; those of an array also by that
/// without the number.
using named_jobs = std::map<std::string, std::vector<ulid>, std::less<>>;

/// The jobs for which a job waits; null: for none.
result<std::shared_ptr<const std::vector<model::job_dependency>>> dependencies_of(
    const string_map& annotations, const model::job_header& header, std::size_t index,
    const named_jobs& known) {
  const auto at = annotations.find(after_key);
  if (at == annotations.end()) return std::shared_ptr<const std::vector<model::job_dependency>>{};
  const auto place = item_place(index) + ".annotations[\"" + after_key + "\"]";
  auto read = read_after(at->second);
  if (!read) return refuse_at(place, read.error().detail);
  std::vector<model::job_dependency> out;
  for (const auto& one : *read) {
    if (const auto named = known.find(one.job); named != known.end()) {
      for (const auto& job : named->second) out.push_back({job, one.when});
    } else if (const auto id = parse_ulid(one.job)) {
      out.push_back({*id, one.when});
    } else {
      return refuse_at(place, "'" + shown(one.job) +
                                  "' is no id, and no job of this name stands before this one in "
                                  "the request");
    }
  }
  if (out.size() > dependencies_max)
    return refuse_at(place, "stands for " + std::to_string(out.size()) + " jobs; at most " +
                                std::to_string(dependencies_max) + " are allowed");
  for (const auto& one : out)
    if (one.job == header.id) return refuse_at(place, "names the job itself");
  return std::make_shared<const std::vector<model::job_dependency>>(std::move(out));
}

std::string namespace_for(const submit_context& context, const access::pod_policy& policy) {
  const bool is_one =
      policy.namespaces.size() == 1 && policy.namespaces.front().find('*') == std::string::npos;
  return is_one && !context.name_space.empty() ? policy.namespaces.front() : context.name_space;
}

}  // namespace

struct submit_decoder::cache {
  pod_cache pods{cache_size_max};
};

submit_decoder::submit_decoder(submit_limits limits, shape_table& shapes, ulid_factory& ids)
    : limits_(std::move(limits)), shapes_(shapes), ids_(ids), cache_(std::make_unique<cache>()) {}
submit_decoder::~submit_decoder() = default;

result<submission> submit_decoder::decode(std::string_view bytes, const submit_context& context) {
  submit_request request;
  if (auto ok = request.read(bytes, limits_, cache_->pods); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_request(request, limits_); !ok) return fail(std::move(ok.error()));
  const auto& policy = access::policy_of(limits_.pod_policies, request.queue);
  std::string taken;
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    auto& item = request.items[i];
    item.name_space = item.message->namespace_();
    if (item.name_space.empty()) item.name_space = taken = namespace_for(context, policy);
    if (item.name_space.empty())
      return refuse_at(item_place(i) + ".namespace", "is missing; name one, for example default");
    if (auto ok = check_item(item, i, limits_); !ok) return fail(std::move(ok.error()));
    if (!item.pod->checked) {
      auto checked = finish_pod(*item.pod->decoded, limits_, shapes_, pod_place(i, item));
      if (!checked) return fail(std::move(checked.error()));
      item.pod->checked = std::move(*checked);
      cache_->pods.add(item.pod->bytes, item.pod->checked);
    }
    if (auto ok = check_policy(item, i, request.queue, policy); !ok)
      return fail(std::move(ok.error()));
  }

  submission out{std::move(request.queue), std::move(request.job_set), {}, 0, std::move(taken)};
  auto content = out.job_set + '\0' + context.owner;
  out.jobs.reserve(request.items.size());
  // Each job is a nanosecond later than the one before it, so that they start in their order.
  auto submitted_ns = std::max<std::int64_t>(context.now_ns, 0);
  partial::v1::JobSpec spec;
  named_jobs known;
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    auto& item = request.items[i];
    auto& message = *item.message;
    auto header = std::make_shared<model::job_header>();
    header->queue = model::queue_name{out.queue};
    header->job_set = out.job_set;
    header->name_space = std::move(item.name_space);
    header->owner = context.owner;
    header->client_id = message.client_id();
    header->submitted_ns = submitted_ns++;
    header->id = ids_.make(static_cast<std::uint64_t>(header->submitted_ns) / 1'000'000);
    const auto hash = context.has_key || !header->client_id.empty() ? body_hash(item) : 0;
    if (!header->client_id.empty()) header->body_hash = hash;
    content.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    header->priority = to_priority(message.priority());
    header->grace_seconds = item.pod->checked->grace_seconds;
    header->deadline_seconds = item.pod->checked->deadline_seconds;
    header->shape = with_attached(item.pod->checked->shape, !message.services().empty(),
                                  !message.ingress().empty(), shapes_);
    take_lease_wishes(message.annotations(), *header);
    if (header->name.empty()) header->name = item.pod->checked->name;
    if (auto after = dependencies_of(message.annotations(), *header, i, known); after)
      header->after = std::move(*after);
    else
      return fail(std::move(after.error()));
    if (item.gang) header->gang = std::make_shared<const model::gang_info>(*item.gang);
    spec.Clear();
    header->spec = std::make_shared<const std::string>(
        encode_spec(item, context, limits_, to_string(header->id), spec));
    if (auto ok = check_spec(*header->spec, out.jobs.size(), limits_); !ok)
      return fail(std::move(ok.error()));
    header->trace = context.trace;
    if (!header->name.empty()) known[header->name].push_back(header->id);
    if (message.annotations().contains(array_key))
      known[header->name.substr(0, header->name.rfind('['))].push_back(header->id);
    out.jobs.push_back(std::move(header));
  }
  if (context.has_key) out.content_hash = hash_of(content);
  return out;
}

std::string replace_job_id(std::string_view text, std::string_view id) {
  static constexpr std::array<std::string_view, 2> marks{"{{JobId}}", "{JobId}"};
  std::string out;
  while (!text.empty()) {
    const auto next = text.find('{');
    out += text.substr(0, next);
    if (next == std::string_view::npos) break;
    text.remove_prefix(next);
    if (text.starts_with(marks[0])) {
      out += "JobId";
      text.remove_prefix(marks[0].size());
    } else if (text.starts_with(marks[1])) {
      out += id;
      text.remove_prefix(marks[1].size());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::uint32_t to_priority(double priority) noexcept {
  constexpr auto largest = std::numeric_limits<std::uint32_t>::max();
  if (!(priority > 0)) return 0;
  if (priority >= static_cast<double>(largest)) return largest;
  return static_cast<std::uint32_t>(std::round(priority));
}

}  // namespace argosy::codec
