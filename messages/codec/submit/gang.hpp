// SPDX-License-Identifier: Apache-2.0
// The gang annotations of a job, and the agreement of a gang's members within one request or file.
#pragma once

#include <google/protobuf/map.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

inline constexpr const char* gang_id_key = "armadaproject.io/gangId";
inline constexpr const char* gang_cardinality_key = "armadaproject.io/gangCardinality";
inline constexpr const char* gang_minimum_key = "armadaproject.io/gangMinimumCardinality";
inline constexpr const char* gang_uniformity_key = "armadaproject.io/gangNodeUniformityLabel";
inline constexpr const char* fail_fast_key = "armadaproject.io/failFast";

/// What the annotations say; nullopt for a job on its own, which includes a gang of cardinality 1.
/// Cardinalities without a gang id are refused.
/// Fails with ec::invalid_argument, beginning with the annotation: `annotations["..."]: ...`.
[[nodiscard]] result<std::optional<model::gang_info>> read_gang(
    const google::protobuf::Map<std::string, std::string>& annotations);

/// Collects the members of one request or file.
class gang_roll {
 public:
  struct entry {
    model::gang_info gang;
    std::string priority_class;
    std::size_t first = 0;  ///< The index of the first member.
    std::uint32_t members = 0;
  };

  /// `index` counts the jobs of the request or file. ec::invalid_argument when the member differs
  /// from the first one, or is one more than the cardinality.
  [[nodiscard]] result<void> add(const model::gang_info& gang, std::string_view priority_class,
                                 std::size_t index);

  /// The gangs by id.
  [[nodiscard]] const std::map<std::string, entry>& gangs() const noexcept { return gangs_; }

 private:
  std::map<std::string, entry> gangs_;
};

}  // namespace argosy::codec
