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
using model::job_state;

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
      return run == nullptr ? "" : run->cluster.str();
    case job_field::node:
      return run == nullptr ? "" : run->node.str();
    case job_field::pool:
      return run == nullptr ? "" : run->pool.str();
    case job_field::gang:
      return header.gang ? header.gang->id : "";
    case job_field::name:
      return header.name;
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
      // What a job does not name it requests none of.
      return of.match == job_match::exists ? std::nullopt : std::optional<std::int64_t>{0};
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

/// Jobs of every kind, and conditions at random out of what they have.
class searched_jobs : public stored_jobs {
 protected:
  void SetUp() override {
    for (std::uint64_t number = 0; number < 150; ++number) put(some_job(number));
    // Some come to their ends later, so that postings are written by changes as well.
    std::vector<ulid> live;
    for (const auto& [id, job] : all_)
      if (!model::is_terminal(job.record.state)) live.push_back(id);
    for (std::size_t i = 0; i < live.size(); i += 2)
      change(live[i], i % 4 == 0 ? job_state::failed : job_state::cancelled);
  }

  bool passes(const plain_job& job, const model::job_conditions& conditions) const {
    for (const auto& each : conditions.all)
      if (holds(job, each) == each.negated) return false;
    if (!conditions.active_job_sets) return true;
    const auto& of = *job.record.header;
    return std::any_of(all_.begin(), all_.end(), [&](const auto& other) {
      const auto& header = *other.second.record.header;
      return header.queue == of.queue && header.job_set == of.job_set &&
             !model::is_terminal(other.second.record.state);
    });
  }

  job_condition some_condition() {
    const auto& some = std::next(all_.begin(), static_cast<long>(random_() % all_.size()))->second;
    job_condition out;
    out.field = static_cast<job_field>(random_() % 19);
    out.negated = random_() % 4 == 0;
    if (out.field == job_field::annotation) out.key = random_() % 4 == 0 ? "extra3" : "team";
    if (out.field == job_field::label) out.key = "app";
    if (out.field == job_field::resource) out.key = random_() % 2 == 0 ? "cpu" : "nvidia.com/gpu";
    if (out.field == job_field::state) {
      for (auto more = random_() % 3 + 1; more > 0; --more)
        out.states.push_back(static_cast<job_state>(random_() % 9));
      return out;
    }
    if (model::is_number(out.field)) {
      out.match =
          random_() % 2 == 0 ? job_match::any_of : static_cast<job_match>(4 + random_() % 4);
      out.numbers = {number(some, out).value_or(1)};
      return out;
    }
    const auto of_tag = out.field == job_field::label ? some.tags.labels : some.tags.annotations;
    const auto found = of_tag.find(out.key);
    auto value =
        !out.key.empty() ? (found == of_tag.end() ? "sea" : found->second) : text(some, out);
    out.match = static_cast<job_match>(random_() % 4);
    if (out.match == job_match::exists) {
      if (out.field == job_field::id) out.match = job_match::any_of;
    } else if (out.match != job_match::any_of) {
      value = value.substr(0, random_() % 4);
    }
    if (out.match != job_match::exists) out.texts = {value};
    if (out.match == job_match::any_of && random_() % 2 == 0) out.texts.emplace_back("bees");
    return out;
  }
};

}  // namespace argosy::view
