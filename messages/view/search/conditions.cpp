// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/conditions.hpp"

#include <algorithm>

#include "messages/codec/api/environment_mask.hpp"
#include "messages/proto/argosy/partial.pb.h"

namespace argosy::view {

namespace {

using model::job_condition;
using model::job_field;
using model::job_match;

bool matches(const job_condition& condition, std::string_view text) {
  const auto is_met = [&](const std::string& value) {
    switch (condition.match) {
      case job_match::starts_with:
        return text.starts_with(value);
      case job_match::contains:
        return text.find(value) != std::string_view::npos;
      default:
        return text == value;
    }
  };
  if (condition.match == job_match::exists) return !text.empty();
  return std::any_of(condition.texts.begin(), condition.texts.end(), is_met);
}

bool matches(const job_condition& condition, std::optional<std::int64_t> number) {
  if (!number) return false;
  const auto is_met = [&](std::int64_t value) {
    switch (condition.match) {
      case job_match::greater:
        return *number > value;
      case job_match::less:
        return *number < value;
      case job_match::at_least:
        return *number >= value;
      case job_match::at_most:
        return *number <= value;
      default:
        return *number == value;
    }
  };
  if (condition.match == job_match::exists) return true;
  return std::any_of(condition.numbers.begin(), condition.numbers.end(), is_met);
}

}  // namespace

result<bool> meets(const job_condition& condition, const job_facts& job) {
  const auto judged = [&](bool met) { return met != condition.negated; };
  if (condition.field == job_field::state) {
    const auto& states = condition.states;
    return judged(std::find(states.begin(), states.end(), job.state) != states.end());
  }
  if (condition.field == job_field::id) return judged(matches(condition, to_string(job.id)));
  if (model::is_number(condition.field)) {
    const auto number = number_of(job, condition.field, condition.key);
    if (!number) return fail(number.error());
    // A job that names no amount of a resource requests none of it.
    const bool is_none =
        !*number && condition.field == job_field::resource && condition.match != job_match::exists;
    return judged(matches(condition, is_none ? std::optional{std::int64_t{0}} : *number));
  }
  const auto text = text_of(job, condition.field);
  if (!text) return fail(text.error());
  return judged(matches(condition, *text));
}

bool meets(const job_condition& condition, const model::job_tags& tags) {
  const auto& of = condition.field == job_field::label ? tags.labels : tags.annotations;
  const auto found = of.find(condition.key);
  const bool met = found != of.end() &&
                   (condition.match == job_match::exists || matches(condition, found->second));
  return met != condition.negated;
}

result<model::job_tags> tags_of(std::string_view spec) {
  partial::v1::JobTags decoded;
  if (!decoded.ParseFromArray(spec.data(), static_cast<int>(spec.size())))
    return fail(ec::corrupt, "a job's specification does not decode");
  model::job_tags out;
  // Whoever may not see the environment may not find out by searching either what is in it.
  for (auto& [name, value] : *decoded.mutable_annotations())
    if (!codec::repeats_environment(name, value)) out.annotations.emplace(name, std::move(value));
  for (auto& [name, value] : *decoded.mutable_labels()) out.labels.emplace(name, std::move(value));
  return out;
}

}  // namespace argosy::view
