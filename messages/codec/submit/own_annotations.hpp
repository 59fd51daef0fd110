// SPDX-License-Identifier: Apache-2.0
// This file declares the annotations of jobs that are Argosy's own: what a job asks for by them in
// case its agent is out of contact, whether it begins held, and that no other one is there. What a
// job asks for by a misspelt one would silently not be done.
#pragma once

#include <google/protobuf/map.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// Its value is requeueAfterLease, requeueAfterConfirmation or fail, instead of leases.onExpiry.
inline constexpr const char* lease_expiry_key = "argosy.io/onLeaseExpiry";
/// With the value "true" the job's runs go on until the agent is back, however long that takes.
inline constexpr const char* keep_on_disconnect_key = "argosy.io/keepOnDisconnect";

/// With the value "true" the job waits until somebody releases it.
inline constexpr const char* hold_key = "argosy.io/hold";
/// With the value "hold" the job waits if no pool could ever take it, and is not rejected.
inline constexpr const char* never_fits_key = "argosy.io/onNeverFits";

/// Its value is a name for people, which need not be unique.
inline constexpr const char* name_key = "argosy.io/name";
/// With the value "requeue" the job queues again when it is preempted, with "end" it ends.
inline constexpr const char* on_preempted_key = "argosy.io/onPreempted";
/// Its value names jobs for which the job waits, see read_after().
inline constexpr const char* after_key = "argosy.io/after";
/// Its value is "INDEX/COUNT" of the array that the job belongs to.
inline constexpr const char* array_key = "argosy.io/array";
/// With the value "hold" the job is held, and not cancelled, when such a job ends otherwise.
inline constexpr const char* on_dependency_failed_key = "argosy.io/onDependencyFailed";

/// For so many jobs a job may wait.
inline constexpr std::size_t dependencies_max = 1'000;
inline constexpr std::size_t job_name_bytes_max = 63;

/// A job for which another one waits, as the user writes it: an id, or the name of a job that
/// stands before it in the request.
struct named_dependency {
  std::string job;
  model::dependency_condition when = model::dependency_condition::succeeded;

  friend bool operator==(const named_dependency&, const named_dependency&) = default;
};

/// Whether the name of a container says something about the job.
[[nodiscard]] bool is_telling_name(std::string_view container) noexcept;

/// Whether it can be the name of a job. The message has no place.
[[nodiscard]] result<void> check_job_name(std::string_view name);

/// Reads "NAME:ended, ID": names or ids, each with a condition behind it or none, which is
/// "succeeded". ec::invalid_argument says what is wrong.
[[nodiscard]] result<std::vector<named_dependency>> read_after(std::string_view text);

/// Fails with ec::invalid_argument, beginning with the place of the annotation.
[[nodiscard]] result<void> check_lease_wishes(
    const google::protobuf::Map<std::string, std::string>& annotations, const std::string& place);

/// Copies the wishes from annotations that were checked.
void take_lease_wishes(const google::protobuf::Map<std::string, std::string>& annotations,
                       model::job_header& header);

inline constexpr const char* price_band_key = "armadaproject.io/priceBand";
inline constexpr const char* external_uri_key = "armadaproject.io/externalJobUri";

/// Fails with ec::invalid_argument, beginning with `place` and naming those that there are, for an
/// annotation below argosy.io/ that means nothing, or one that looks like one of Armada's.
[[nodiscard]] result<void> check_own_annotations(
    const google::protobuf::Map<std::string, std::string>& annotations, const std::string& place);

/// Whether a label or an annotation is one of ours.
[[nodiscard]] bool is_own_key(std::string_view key) noexcept;

/// Fails with ec::invalid_argument, beginning with `place`, for a label or an annotation of an
/// ingress below argosy.io/: by what agents write there they know their pods and what leads to
/// these. `field` is the name of the map.
[[nodiscard]] result<void> check_no_own_keys(
    const google::protobuf::Map<std::string, std::string>& map, const std::string& place,
    const char* field);

}  // namespace argosy::codec
