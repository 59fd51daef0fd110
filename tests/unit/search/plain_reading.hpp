// SPDX-License-Identifier: Apache-2.0
// Conditions on jobs read in the plain way, from the jobs that a test has put into the store.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "tests/unit/search/search_fixture.hpp"

namespace argosy::view {

using model::job_condition;
using model::job_field;
using model::job_match;

inline std::string text(const plain_job& job, const job_condition& of) {
  const auto& header = *job.record.header;
  const auto* run = job.record.runs.empty() ? nullptr : &job.record.runs.back();
  switch (of.field) {
    case job_field::id:
      return to_string(header.id);
    case job_field::queue:
      return header.queue;
    case job_field::job_set:
      return header.job_set;
    case job_field::owner:
      return header.owner;
    case job_field::name_space:
      return header.name_space;
    case job_field::priority_class:
      return header.shape->priority_class;
    case job_field::cluster:
      return run == nullptr ? "" : run->cluster;
    case job_field::node:
      return run == nullptr ? "" : run->node;
    case job_field::pool:
      return run == nullptr ? "" : run->pool;
    case job_field::gang:
      return header.gang ? header.gang->id : "";
    default:
      return job.record.reason;
  }
}

inline std::optional<std::int64_t> number(const plain_job& job, const job_condition& of) {
  const auto& record = job.record;
  switch (of.field) {
    case job_field::priority:
      return record.priority;
    case job_field::submitted:
      return record.header->submitted_ns;
    case job_field::changed:
      return record.changed_ns;
    case job_field::exit_code:
      if (record.runs.empty()) return {};
      if (record.runs.back().state == model::run_state::succeeded) return 0;
      return record.runs.back().outcome.exit_code;
    default:
      for (const auto& [name, amount] : record.header->shape->requests)
        if (name == of.key) return amount;
      return {};
  }
}

inline bool has_text(const std::string& value, const job_condition& of) {
  for (const auto& wanted : of.texts)
    if ((of.match == job_match::any_of && value == wanted) ||
        (of.match == job_match::starts_with && value.rfind(wanted, 0) == 0) ||
        (of.match == job_match::contains && value.find(wanted) != std::string::npos))
      return true;
  return of.match == job_match::exists && !value.empty();
}

inline bool holds(const plain_job& job, const job_condition& of) {
  if (of.field == job_field::state)
    return std::count(of.states.begin(), of.states.end(), job.record.state) > 0;
  if (of.field == job_field::annotation || of.field == job_field::label) {
    const auto& tags = of.field == job_field::label ? job.tags.labels : job.tags.annotations;
    const auto found = tags.find(of.key);
    return found != tags.end() && (of.match == job_match::exists || has_text(found->second, of));
  }
  if (!model::is_number(of.field)) return has_text(text(job, of), of);
  const auto value = number(job, of);
  if (!value) return false;
  const auto wanted = of.numbers.empty() ? 0 : of.numbers.front();
  switch (of.match) {
    case job_match::exists:
      return true;
    case job_match::greater:
      return *value > wanted;
    case job_match::less:
      return *value < wanted;
    case job_match::at_least:
      return *value >= wanted;
    case job_match::at_most:
      return *value <= wanted;
    default:
      return std::count(of.numbers.begin(), of.numbers.end(), *value) > 0;
  }
}

}  // namespace argosy::view
