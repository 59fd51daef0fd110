// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/lease/lease_record.hpp"

#include <absl/time/time.h>

#include <algorithm>

#include "runtime/kube/json_field.hpp"

namespace argosy::kube {

namespace {

using nlohmann::json;

constexpr const char* released_key = "argosy.io/released-by";
/// Far longer than anybody's lease, so that the number of somebody else cannot overflow.
constexpr std::int64_t seconds_max = 24 * 60 * 60;

std::int64_t whole_number(const json& from, const char* key, std::int64_t most) {
  const auto* const value = field(from, key);
  if (value == nullptr || !value->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(value->get<std::int64_t>(), 0, most);
}

std::string folder(const std::string& name_space) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + name_space + "/leases";
}

/// A time of type MicroTime.
std::string micro_time(wall_time wall) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixNanos(to_nanos(wall)),
                          absl::UTCTimeZone());
}

void write(json& object, const lease_claim& claim, wall_time wall) {
  auto& spec = object["spec"];
  if (!spec.is_object()) spec = json::object();
  spec["holderIdentity"] = claim.holder;
  spec["leaseDurationSeconds"] =
      std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(claim.duration).count(), 1);
  spec["leaseTransitions"] = claim.transitions;
  spec["renewTime"] = micro_time(wall);
  if (claim.acquires) spec["acquireTime"] = micro_time(wall);
  auto& meta = object["metadata"];
  auto& notes = meta["annotations"];
  if (!notes.is_object()) notes = json::object();
  notes.erase(released_key);
  if (!claim.released_by.empty()) notes[released_key] = claim.released_by;
  if (notes.empty()) meta.erase("annotations");
}

}  // namespace

result<lease_record> read_lease(std::string_view body) {
  lease_record out;
  out.object = json::parse(body, nullptr, false);
  const auto* const meta = object_field(out.object, "metadata");
  if (meta == nullptr) return fail(ec::corrupt, "the API server's answer is no Lease object");
  out.uid = text_field(*meta, "uid");
  out.version = text_field(*meta, "resourceVersion");
  if (const auto* const notes = object_field(*meta, "annotations"))
    out.released_by = text_field(*notes, released_key);
  if (const auto* const spec = object_field(out.object, "spec")) {
    out.holder = text_field(*spec, "holderIdentity");
    out.duration = std::chrono::seconds{whole_number(*spec, "leaseDurationSeconds", seconds_max)};
    out.transitions = whole_number(*spec, "leaseTransitions", std::int64_t{1} << 31);
  }
  return out;
}

request create_lease(const std::string& name_space, const std::string& name,
                     const lease_claim& claim, wall_time wall) {
  json object{{"apiVersion", "coordination.k8s.io/v1"},
              {"kind", "Lease"},
              {"metadata", {{"name", name}, {"namespace", name_space}}}};
  write(object, claim, wall);
  return {.verb = "POST", .path = folder(name_space), .body = object.dump()};
}

request update_lease(const std::string& name_space, const std::string& name,
                     const lease_record& from, const lease_claim& claim, wall_time wall) {
  auto object = from.object;
  write(object, claim, wall);
  return {.verb = "PUT", .path = folder(name_space) + "/" + name, .body = object.dump()};
}

request get_lease(const std::string& name_space, const std::string& name) {
  return {.path = folder(name_space) + "/" + name};
}

}  // namespace argosy::kube
