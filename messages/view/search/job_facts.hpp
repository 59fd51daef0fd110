// SPDX-License-Identifier: Apache-2.0
// The job_facts are what conditions and groups ask of a stored job. They are read from the record
// without decoding the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::view {

/// The texts refer to the record. What few conditions ask for stays encoded until they do.
struct job_facts {
  ulid id;
  std::string_view queue;
  std::string_view job_set;
  std::string_view owner;
  std::string_view name_space;
  std::string_view name;
  std::string_view reason;
  std::string_view shape;  ///< Encoded: requests and priority class.
  std::string_view gang;   ///< Encoded; empty for a job on its own.
  std::string_view run;    ///< Encoded: the last run; empty without one.
  model::job_state state = model::job_state::queued;
  std::int64_t priority = 0;
  std::int64_t submitted_ns = 0;
  std::int64_t changed_ns = 0;
};

/// Reads them from a record of the tables of jobs. ec::corrupt when it cannot be one.
[[nodiscard]] result<job_facts> facts_of(const ulid& id, std::string_view record);

/// The value of a text field but for annotations and labels. ec::corrupt when what is
/// encoded does not decode.
[[nodiscard]] result<std::string_view> text_of(const job_facts& job, model::job_field field);

/// The value of a number field; nothing when the job has none, as an exit code before it ended, or
/// a resource that it does not request. ec::corrupt when what is encoded does not decode.
[[nodiscard]] result<std::optional<std::int64_t>> number_of(const job_facts& job,
                                                            model::job_field field,
                                                            std::string_view resource);

}  // namespace argosy::view
