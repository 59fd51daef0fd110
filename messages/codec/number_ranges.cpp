// SPDX-License-Identifier: Apache-2.0
// The table of the ranges, and the check of a message by it.
#include "messages/codec/number_ranges.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "messages/codec/wire.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr double int_max = std::numeric_limits<std::int32_t>::max();
constexpr double long_max = static_cast<double>(std::numeric_limits<std::int64_t>::max());
constexpr double port_max = 65'535;
constexpr double mode_max = 0777;
constexpr double id_max = int_max;  // Kubernetes takes no higher one.
constexpr double year_1 = -62'135'596'800;
constexpr double year_9999 = 253'402'300'799;
constexpr double nanos_max = 999'999'999;
constexpr std::string_view default_hint = "leave it out for the default";

// Where 0 is in a range of Kubernetes' own fields, it stands for the default: clients in Go send it
// for what is not set.
constexpr std::array ranges{
    number_range{"AWSElasticBlockStoreVolumeSource.partition", 0, 255},
    number_range{"ConfigMapVolumeSource.defaultMode", 0, mode_max},
    number_range{"ContainerError.exit_code"},
    number_range{"ContainerPort.containerPort", 1, port_max},
    number_range{"ContainerPort.hostPort", 0, port_max},
    number_range{"DownwardAPIVolumeFile.mode", 0, mode_max},
    number_range{"DownwardAPIVolumeSource.defaultMode", 0, mode_max},
    number_range{"DrainRequest.deadline_after_ns"},
    number_range{"ExplainJobHistoryRequest.rounds_max"},
    number_range{"ExplainJobRequest.at_ns"},
    number_range{"ExplainJobRequest.round"},
    number_range{"ExplainNodeRequest.limit"},
    number_range{"FCVolumeSource.lun", 0, 255},
    number_range{"FindJobsRequest.limit"},
    number_range{"FindJobsRequest.skip"},
    number_range{"GCEPersistentDiskVolumeSource.partition", 0, 255},
    number_range{"GRPCAction.port", 1, port_max},
    number_range{"GroupJobsRequest.limit"},
    number_range{"GroupJobsRequest.skip"},
    number_range{"ISCSIVolumeSource.lun", 0, 255},
    number_range{"IngressAddressesEntry.key"},
    number_range{"IngressConfig.ports", 1, port_max},
    number_range{"IntOrString.intVal", 0, port_max},
    number_range{"IntOrString.type", 0, 1},
    number_range{"JobReprioritizeRequest.new_priority"},
    number_range{"JobSubmitRequestItem.priority"},
    number_range{"KeyToPath.mode", 0, mode_max},
    number_range{"LeaseRequest.max_jobs_to_lease"},
    number_range{"ListAuditRequest.limit"},
    number_range{"ListAuditRequest.since_ns"},
    number_range{"ListAuditRequest.until_ns"},
    number_range{"ListClusterEventsRequest.limit"},
    number_range{"ListJobSetsRequest.limit"},
    number_range{"ListJobsRequest.limit"},
    number_range{"ListNodesRequest.limit"},
    number_range{"ListOperationsRequest.limit"},
    number_range{"ListQueuesRequest.limit"},
    number_range{"ListRoundsRequest.queues"},
    number_range{"ListRoundsRequest.since_ns"},
    number_range{"LogRequest.pod_number"},
    number_range{"MaximumResourceFractionEntry.value"},
    number_range{"NonArmadaAllocatedResourcesEntry.key"},
    number_range{"ObjectMeta.deletionGracePeriodSeconds"},
    number_range{"ObjectMeta.generation"},
    number_range{"PodError.pod_number"},
    number_range{"PodInfo.pod_number"},
    number_range{"PodLeaseReturned.pod_number"},
    number_range{"PodLogOptions.limitBytes", 0, long_max},
    number_range{"PodLogOptions.sinceSeconds", 0, long_max},
    number_range{"PodLogOptions.tailLines", 0, long_max},
    number_range{"PodSecurityContext.fsGroup", 0, id_max},
    number_range{"PodSecurityContext.runAsGroup", 0, id_max},
    number_range{"PodSecurityContext.runAsUser", 0, id_max},
    number_range{"PodSecurityContext.supplementalGroups", 0, id_max},
    number_range{"PodSpec.activeDeadlineSeconds", 1, int_max, default_hint},
    number_range{"PodSpec.priority"},
    number_range{"PodSpec.terminationGracePeriodSeconds"},
    number_range{"PreferredSchedulingTerm.weight"},
    number_range{"Probe.failureThreshold", 0, int_max},
    number_range{"Probe.initialDelaySeconds", 0, int_max},
    number_range{"Probe.periodSeconds", 0, int_max},
    number_range{"Probe.successThreshold", 0, int_max},
    number_range{"Probe.terminationGracePeriodSeconds", 1, int_max, default_hint},
    number_range{"Probe.timeoutSeconds", 0, int_max},
    number_range{"ProjectedVolumeSource.defaultMode", 0, mode_max},
    number_range{"Queue.priority_factor"},
    number_range{"QueueReportRequest.verbosity"},
    number_range{"ReadActorsRequest.limit"},
    number_range{"ReadLogRequest.offset", 0, long_max / 2},
    number_range{"ReadLogRequest.run"},
    number_range{"ReadLogRequest.since_ns", 0, long_max / 2},
    number_range{"ReadLogRequest.size_max"},
    number_range{"ReadLogRequest.tail_lines"},
    number_range{"ReadSpansRequest.seconds"},
    number_range{"ResourceLimitsEntry.value"},
    number_range{"RetryPolicy.retry_limit"},
    number_range{"RetryResourceBump.factor", 1, 1'000},
    number_range{"SchedulingReportRequest.verbosity"},
    number_range{"SecretVolumeSource.defaultMode", 0, mode_max},
    number_range{"SecurityContext.runAsGroup", 0, id_max},
    number_range{"SecurityContext.runAsUser", 0, id_max},
    number_range{"ServiceAccountTokenProjection.expirationSeconds", 600, 4'294'967'296,
                 default_hint},
    number_range{"ServiceConfig.ports", 1, port_max},
    number_range{"SetLogLevelRequest.duration_ns"},
    number_range{"SleepAction.seconds", 0, int_max},
    number_range{"Span.duration_ns"},
    number_range{"Span.link_span_id"},
    number_range{"Span.parent_id"},
    number_range{"Span.span_id"},
    number_range{"Span.start_ns"},
    number_range{"Span.waiting_ns"},
    number_range{"StandaloneIngressInfo.pod_number"},
    number_range{"StreamingQueueGetRequest.num"},
    number_range{"Time.nanos", 0, nanos_max},
    number_range{"Time.seconds", year_1, year_9999},
    // One event of an executor that tells no time that a clock can show is no reason to refuse all.
    number_range{"Timestamp.nanos"},
    number_range{"Timestamp.seconds"},
    number_range{"Toleration.tolerationSeconds"},
    number_range{"TopologySpreadConstraint.maxSkew"},
    number_range{"TopologySpreadConstraint.minDomains"},
    number_range{"UpdateSettingsRequest.expected_change"},
    number_range{"WeightedPodAffinityTerm.weight"},
};

constexpr double whole_most = static_cast<double>(std::numeric_limits<std::int64_t>::max());

/// The rows by the fields' whole names, each of which is looked up once.
using row_map = std::unordered_map<const FieldDescriptor*, const number_range*>;

bool is_real(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

bool is_number(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return true;
    default:
      return false;
  }
}

const number_range* look_up(const FieldDescriptor& field) {
  if (!is_number(field)) return nullptr;
  const auto name = field.containing_type()->name() + "." + field.name();
  const auto rows = number_ranges();
  const auto found = std::ranges::lower_bound(rows, name, {}, &number_range::field);
  return found != rows.end() && found->field == name ? &*found : nullptr;
}

/// An amount, such as "64Mi", by itself. Those of resources stand in maps, and are checked where
/// their names are.
bool is_quantity(const FieldDescriptor& field) {
  return field.message_type() != nullptr && field.message_type()->name() == "Quantity" &&
         field.containing_type()->map_key() == nullptr;
}

/// A field of which a number may be refused.
bool is_checked(const FieldDescriptor& field) {
  if (is_quantity(field)) return true;
  const auto* const row = range_of(field);
  return row != nullptr && (row->bounded() || is_real(field));
}

/// Whether a message of this type, or one in it, has such a field.
bool look_for_checked(const Descriptor& type) {
  std::unordered_set<const Descriptor*> seen{&type};
  std::vector<const Descriptor*> open{&type};
  while (!open.empty()) {
    const auto* const next = open.back();
    open.pop_back();
    for (int i = 0; i < next->field_count(); ++i) {
      if (is_checked(*next->field(i))) return true;
      const auto* const below = next->field(i)->message_type();
      if (below != nullptr && seen.insert(below).second) open.push_back(below);
    }
  }
  return false;
}

bool has_checked(const Descriptor& type) {
  thread_local std::unordered_map<const Descriptor*, bool> known;
  const auto found = known.find(&type);
  if (found != known.end()) return found->second;
  return known[&type] = look_for_checked(type);
}

/// One number of a field, as text and for comparison.
struct number {
  double value = 0;
  std::string text;
};

template <class Value>
number number_of(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    std::ostringstream text;
    text << value;
    return {static_cast<double>(value), text.str()};
  } else {
    return {static_cast<double>(value), std::to_string(value)};
  }
}

number read_one(const Message& from, const FieldDescriptor& field, int index) {
  const auto& read = *from.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return number_of(repeated ? read.GetRepeatedInt32(from, &field, index)
                                : read.GetInt32(from, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return number_of(repeated ? read.GetRepeatedInt64(from, &field, index)
                                : read.GetInt64(from, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return number_of(repeated ? read.GetRepeatedUInt32(from, &field, index)
                                : read.GetUInt32(from, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return number_of(repeated ? read.GetRepeatedUInt64(from, &field, index)
                                : read.GetUInt64(from, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return number_of(repeated ? read.GetRepeatedFloat(from, &field, index)
                                : read.GetFloat(from, &field));
    default:
      return number_of(repeated ? read.GetRepeatedDouble(from, &field, index)
                                : read.GetDouble(from, &field));
  }
}

std::string whole(double end) {
  return std::to_string(static_cast<std::int64_t>(std::min(end, std::nextafter(whole_most, 0.0))));
}

failure refuse(const std::string& place, const std::string& why) {
  return fail(ec::invalid_argument, place + ": " + why);
}

result<void> check_one(const number& given, const number_range& range, const std::string& place) {
  if (std::isnan(given.value)) return refuse(place, "is not a number");
  if (given.value >= range.least && given.value <= range.most) return {};
  const auto hint = range.hint.empty() ? std::string{} : "; " + std::string{range.hint};
  if (range.most >= whole_most)
    return refuse(place, given.text + " is below " + whole(range.least) + hint);
  return refuse(
      place, given.text + " is outside " + whole(range.least) + " to " + whole(range.most) + hint);
}

result<void> check_quantity(const Message& quantity, const FieldDescriptor& field,
                            const std::string& place) {
  const auto& text_field = *quantity.GetDescriptor()->FindFieldByName("string");
  const auto text = quantity.GetReflection()->GetString(quantity, &text_field);
  // An empty text is how a client in Go writes 0.
  if (text.empty()) return {};
  // What a divisor divides may be cores.
  const auto unit =
      field.name() == "divisor" ? model::resource_unit::milli : model::resource_unit::byte;
  const auto amount = model::parse_quantity(text, unit);
  return amount ? result<void>{} : refuse(place, amount.error().detail);
}

std::string below(const std::string& place, const FieldDescriptor& field, int index) {
  auto out = place.empty() ? field.name() : place + "." + field.name();
  return index < 0 ? out : out + "[" + std::to_string(index) + "]";
}

/// Returns the key of a map's entry as places show it.
std::string key_of(const Message& entry) {
  const auto& key = *entry.GetDescriptor()->map_key();
  if (key.cpp_type() != FieldDescriptor::CPPTYPE_STRING) return {};
  return "\"" + shown(entry.GetReflection()->GetString(entry, &key)) + "\"";
}

result<void> check_field(const Message& message, const FieldDescriptor& field,
                         const std::string& place) {
  const auto& read = *message.GetReflection();
  if (!field.is_repeated() && !read.HasField(message, &field)) return {};
  const int count = field.is_repeated() ? read.FieldSize(message, &field) : 1;
  for (int i = 0; i < count; ++i) {
    const auto here = below(place, field, field.is_repeated() ? i : -1);
    if (is_number(field)) {
      if (auto ok = check_one(read_one(message, field, i), *range_of(field), here); !ok) return ok;
      continue;
    }
    const auto& part = field.is_repeated() ? read.GetRepeatedMessage(message, &field, i)
                                           : read.GetMessage(message, &field);
    if (is_quantity(field)) {
      if (auto ok = check_quantity(part, field, here); !ok) return ok;
      continue;
    }
    const auto entry = field.is_map() ? below(place, field, -1) + "[" + key_of(part) + "]" : here;
    if (auto ok = check_numbers(part, entry); !ok) return ok;
  }
  return {};
}

}  // namespace

std::span<const number_range> number_ranges() {
  return ranges;
}

const number_range* range_of(const FieldDescriptor& field) {
  thread_local row_map known;
  const auto found = known.find(&field);
  return found != known.end() ? found->second : (known[&field] = look_up(field));
}

result<void> check_numbers(const Message& message, const std::string& place) {
  const auto& type = *message.GetDescriptor();
  if (!has_checked(type)) return {};
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    const auto* const part = field.message_type();
    if (!is_checked(field) && (part == nullptr || !has_checked(*part))) continue;
    if (auto ok = check_field(message, field, place); !ok) return ok;
  }
  return {};
}

}  // namespace argosy::codec
