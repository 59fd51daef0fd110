// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/gang.hpp"

#include <vector>

#include "messages/codec/wire.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t gang_id_size_max = 253;

using annotation_map = google::protobuf::Map<std::string, std::string>;

const std::string* find(const annotation_map& annotations, const char* key) {
  const auto at = annotations.find(key);
  return at == annotations.end() ? nullptr : &at->second;
}

failure refuse(const char* key, const std::string& why) {
  return fail(ec::invalid_argument, std::string{"annotations[\""} + key + "\"]: " + why);
}

result<std::uint32_t> read_count(const char* key, const std::string& text) {
  const auto count = whole_number<std::uint32_t>(text);
  if (!count || *count < 1)
    return refuse(key, "'" + shown(text) + "' is not a whole number of 1 or more");
  return *count;
}

/// Refuses what only a gang has where no gang is named, perhaps since its key is misspelt: the job
/// would start alone.
result<std::optional<model::gang_info>> without_gang(const annotation_map& annotations) {
  for (const auto* key : {gang_cardinality_key, gang_minimum_key}) {
    if (find(annotations, key) == nullptr) continue;
    std::string hint;
    for (const auto& [other, value] : annotations)
      if (other != gang_cardinality_key && other != gang_minimum_key &&
          !did_you_mean(other, std::vector<std::string_view>{gang_id_key}).empty())
        hint = "; '" + shown(other) + "' means nothing";
    return refuse(key, std::string{"is set, but "} + gang_id_key +
                           " is not, so that the job is of no gang" + hint);
  }
  return std::nullopt;
}

}  // namespace

result<std::optional<model::gang_info>> read_gang(const annotation_map& annotations) {
  const auto* id = find(annotations, gang_id_key);
  if (id == nullptr) return without_gang(annotations);
  if (id->empty()) return refuse(gang_id_key, "is empty; name the gang, or leave it out");
  if (id->size() > gang_id_size_max)
    return refuse(gang_id_key, "has " + std::to_string(id->size()) + " bytes; at most " +
                                   std::to_string(gang_id_size_max) + " are allowed");

  model::gang_info gang;
  gang.id = *id;
  const auto* cardinality = find(annotations, gang_cardinality_key);
  if (cardinality == nullptr)
    return refuse(gang_cardinality_key,
                  "is missing; a job with a gang id gives the number of the gang's members");
  auto count = read_count(gang_cardinality_key, *cardinality);
  if (!count) return fail(std::move(count.error()));
  gang.cardinality = gang.minimum_cardinality = *count;

  if (const auto* minimum = find(annotations, gang_minimum_key)) {
    auto least = read_count(gang_minimum_key, *minimum);
    if (!least) return fail(std::move(least.error()));
    if (*least > gang.cardinality)
      return refuse(gang_minimum_key, std::to_string(*least) + " is more than the cardinality " +
                                          std::to_string(gang.cardinality));
    gang.minimum_cardinality = *least;
  }
  if (const auto* label = find(annotations, gang_uniformity_key)) gang.uniformity_label = *label;
  if (gang.cardinality == 1) return std::nullopt;
  if (const auto* fail_fast = find(annotations, fail_fast_key); fail_fast && *fail_fast != "true")
    return refuse(fail_fast_key, "'" + shown(*fail_fast) + "': a gang allows only \"true\"");
  return gang;
}

result<void> gang_roll::add(const model::gang_info& gang, std::string_view priority_class,
                            std::size_t index) {
  const auto [at, is_first] =
      gangs_.try_emplace(gang.id, entry{gang, std::string{priority_class}, index, 0});
  auto& known = at->second;
  if (is_first) {
    known.members = 1;
    return {};
  }
  const auto differs = [&](const std::string& what, const std::string& mine,
                           const std::string& theirs) {
    return fail(ec::invalid_argument, "gang '" + shown(gang.id) + "': " + what + " '" +
                                          shown(mine) + "' differs from '" + shown(theirs) +
                                          "' of its first member; all members must agree");
  };
  const auto& first = known.gang;
  if (gang.cardinality != first.cardinality)
    return differs("cardinality", std::to_string(gang.cardinality),
                   std::to_string(first.cardinality));
  if (gang.minimum_cardinality != first.minimum_cardinality)
    return differs("minimum cardinality", std::to_string(gang.minimum_cardinality),
                   std::to_string(first.minimum_cardinality));
  if (gang.uniformity_label != first.uniformity_label)
    return differs("uniformity label", gang.uniformity_label, first.uniformity_label);
  if (priority_class != known.priority_class)
    return differs("priority class", std::string{priority_class}, known.priority_class);
  if (known.members == first.cardinality)
    return fail(ec::invalid_argument,
                "gang '" + shown(gang.id) + "' has more members than its cardinality " +
                    std::to_string(first.cardinality) + "; raise it or use another gang id");
  ++known.members;
  return {};
}

}  // namespace argosy::codec
