// SPDX-License-Identifier: Apache-2.0
// This file declares the index by which jobs are found that are live in a queue, have ended in a
// queue and state, are somebody's, or have an annotation or a label. An entry of table job_postings
// is a posting: its key is what is said of the job, and the id of the job. A job that has no
// annotations and no labels has two postings at a time: that of its owner, and one among the live
// ones, whatever their state, and then among those that have ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/model/job_search.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// The number of the form of the index, and of the history of ended jobs. A store whose mark has a
/// lower one is indexed anew.
inline constexpr std::uint32_t postings_form = 4;
/// The lowest one that there is: that of version 0.1.
inline constexpr std::uint32_t oldest_form = 4;

/// A job with more annotations and labels than this is not posted under each of them but among the
/// jobs whose tags have to be looked at.
inline constexpr std::size_t posted_tags_max = 32;

/// A longer name of an owner does not go into keys, and neither does one that has a NUL, which ends
/// names there. The jobs of such owners are posted among those whose owners have to be looked at.
/// The largest key of LMDB has 511 bytes.
inline constexpr std::size_t posted_owner_max = 256;

/// The prefixes under which ids stand. `field` is annotation or label.
[[nodiscard]] std::string live_prefix(std::string_view queue);
[[nodiscard]] std::string ended_prefix(model::job_state state, std::string_view queue);
[[nodiscard]] std::string tag_prefix(model::job_field field, std::string_view name,
                                     std::string_view value);
/// Under this one stand the jobs that have too many tags.
[[nodiscard]] std::string unkeyed_tags_prefix();

[[nodiscard]] std::string owner_prefix(std::string_view owner);
/// Under this one stand the jobs of owners whose names do not go into keys.
[[nodiscard]] std::string unkeyed_owner_prefix();

/// The keys of the postings that a job has as long as it is stored: those of its owner and, if
/// there is a specification, of its tags.
[[nodiscard]] std::vector<std::string> lasting_postings(const ulid& job, std::string_view owner,
                                                        std::optional<std::string_view> spec);
/// The key of the posting that it has because of its queue and state.
[[nodiscard]] std::string state_posting(const ulid& job, std::string_view queue,
                                        model::job_state state);

/// Posts what a change of the job brings. `before` is nothing for a job that is new.
result<void> post_job(store::write_txn& txn, const model::job_record& now,
                      std::optional<model::job_state> before);
/// Erases all postings of a job that expires. Call it while the specification is still stored.
result<void> erase_postings(store::write_txn& txn, const model::job_record& expired);
/// Posts all jobs of the store anew.
result<void> post_all_jobs(store::write_txn& txn);

}  // namespace argosy::view
