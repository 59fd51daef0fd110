// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/own_annotations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/submit/gang.hpp"
#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/model/lease.hpp"
#include "runtime/model/queue.hpp"
#include "runtime/model/sim_annotation.hpp"

namespace argosy::codec {

namespace {

constexpr std::string_view armada_prefix = "armadaproject.io/";

std::optional<model::lease_policy> policy_of(std::string_view text) {
  constexpr auto names = model::lease_policy_names;
  const auto* const found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<model::lease_policy>(found - names.begin());
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool is_array_place(std::string_view text) {
  const auto slash = text.find('/');
  return slash != std::string_view::npos && whole_number<std::uint32_t>(text.substr(0, slash)) &&
         whole_number<std::uint32_t>(text.substr(slash + 1));
}

/// The names of all policies as a list: "a, b or c".
std::string all_policies() {
  constexpr auto names = model::lease_policy_names;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ").append(names[i]);
  return text;
}

}  // namespace

result<void> check_lease_wishes(const google::protobuf::Map<std::string, std::string>& annotations,
                                const std::string& place) {
  const auto here = [&](const char* key) { return place + ".annotations[\"" + key + "\"]"; };
  if (const auto at = annotations.find(lease_expiry_key);
      at != annotations.end() && !policy_of(at->second))
    return refuse_at(here(lease_expiry_key),
                     "'" + shown(at->second) + "' is not " + all_policies());
  for (const auto* key : {keep_on_disconnect_key, hold_key, fail_fast_key})
    if (const auto at = annotations.find(key);
        at != annotations.end() && at->second != "true" && at->second != "false")
      return refuse_at(here(key), "'" + shown(at->second) + "' is not true or false");
  if (const auto at = annotations.find(never_fits_key);
      at != annotations.end() && at->second != "hold")
    return refuse_at(here(never_fits_key), "'" + shown(at->second) + "' is not hold");
  if (const auto at = annotations.find(on_preempted_key);
      at != annotations.end() && at->second != "requeue" && at->second != "end")
    return refuse_at(here(on_preempted_key), "'" + shown(at->second) + "' is not requeue or end");
  if (const auto at = annotations.find(on_dependency_failed_key);
      at != annotations.end() && at->second != "cancel" && at->second != "hold")
    return refuse_at(here(on_dependency_failed_key),
                     "'" + shown(at->second) + "' is not cancel or hold");
  if (const auto at = annotations.find(name_key); at != annotations.end())
    if (auto ok = check_job_name(at->second); !ok)
      return refuse_at(here(name_key), ok.error().detail);
  if (const auto at = annotations.find(array_key); at != annotations.end())
    if (!is_array_place(at->second))
      return refuse_at(here(array_key), "'" + shown(at->second) + "' is not INDEX/COUNT");
  if (const auto at = annotations.find(after_key); at != annotations.end())
    if (auto read = read_after(at->second); !read)
      return refuse_at(here(after_key), read.error().detail);
  return {};
}

bool is_telling_name(std::string_view container) noexcept {
  static constexpr std::array<std::string_view, 5> say_nothing{"main", "container", "job", "app",
                                                               "task"};
  return !container.empty() && container.size() <= job_name_bytes_max &&
         std::ranges::find(say_nothing, container) == say_nothing.end();
}

result<void> check_job_name(std::string_view name) {
  if (name.empty()) return fail(ec::invalid_argument, "is empty; leave it out for no name");
  if (name.find(',') != std::string_view::npos)
    return fail(ec::invalid_argument, "'" + shown(name) + "' has a comma, which divides names");
  return model::validate_printable(name, "name", job_name_bytes_max);
}

result<std::vector<named_dependency>> read_after(std::string_view text) {
  constexpr auto names = model::dependency_condition_names;
  std::vector<named_dependency> out;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    more = comma != std::string_view::npos;
    named_dependency one{std::string{without_blanks(text.substr(0, comma))}};
    if (more) text.remove_prefix(comma + 1);
    if (const auto colon = one.job.rfind(':'); colon != std::string::npos) {
      const auto word = one.job.substr(colon + 1);
      const auto* const known = std::find(names.begin(), names.end(), word);
      if (known == names.end())
        return fail(ec::invalid_argument, "'" + shown(word) +
                                              "' is not succeeded, ended, failed or started, which "
                                              "may stand behind the colon");
      one.when = static_cast<model::dependency_condition>(known - names.begin());
      one.job.resize(colon);
    }
    if (one.job.empty())
      return fail(ec::invalid_argument,
                  "names no job; write NAME or ID, and :ended or another "
                  "condition behind it, with commas between them");
    out.push_back(std::move(one));
  }
  if (out.size() > dependencies_max)
    return fail(ec::invalid_argument, "names " + std::to_string(out.size()) + " jobs; at most " +
                                          std::to_string(dependencies_max) + " are allowed");
  return out;
}

void take_lease_wishes(const google::protobuf::Map<std::string, std::string>& annotations,
                       model::job_header& header) {
  if (const auto at = annotations.find(lease_expiry_key); at != annotations.end())
    header.on_lease_expiry = policy_of(at->second);
  const auto keep = annotations.find(keep_on_disconnect_key);
  header.keep_on_disconnect = keep != annotations.end() && keep->second == "true";
  const auto fail_fast = annotations.find(fail_fast_key);
  header.fail_fast = fail_fast != annotations.end() && fail_fast->second == "true";
  const auto hold = annotations.find(hold_key);
  header.held = hold != annotations.end() && hold->second == "true";
  header.hold_if_unfit = annotations.contains(never_fits_key);
  if (const auto at = annotations.find(on_preempted_key); at != annotations.end())
    header.requeue_if_preempted = at->second == "requeue";
  const auto unmet = annotations.find(on_dependency_failed_key);
  header.hold_if_unmet = unmet != annotations.end() && unmet->second == "hold";
  if (const auto at = annotations.find(name_key); at != annotations.end()) header.name = at->second;
}

result<void> check_own_annotations(
    const google::protobuf::Map<std::string, std::string>& annotations, const std::string& place) {
  static const std::vector<std::string_view> known{
      lease_expiry_key,
      keep_on_disconnect_key,
      hold_key,
      never_fits_key,
      name_key,
      on_preempted_key,
      after_key,
      array_key,
      on_dependency_failed_key,
      model::sim_annotation::runtime,
      model::sim_annotation::exit_code,
      model::sim_annotation::failure_rate,
  };
  // There may be more annotations of Armada, which mean something to others.
  static const auto of_armada = [] {
    std::vector<std::string_view> names;
    for (const std::string_view key :
         {gang_id_key, gang_cardinality_key, gang_minimum_key, gang_uniformity_key, fail_fast_key,
          price_band_key, external_uri_key})
      names.push_back(key.substr(armada_prefix.size()));
    return names;
  }();
  for (const auto& [key, value] : annotations) {
    if (key.starts_with(armada_prefix)) {
      const auto name = std::string_view{key}.substr(armada_prefix.size());
      const bool is_known = std::ranges::find(of_armada, name) != of_armada.end();
      if (const auto meant = closest(name, of_armada); meant && !is_known)
        return refuse_at(place + ".annotations[\"" + shown(key) + "\"]",
                         "is not known; did you mean '" + std::string{armada_prefix} +
                             std::string{*meant} + "'?");
    }
    if (!is_own_key(key) || std::ranges::find(known, key) != known.end()) continue;
    std::string list;
    for (const auto& each : known) list += (list.empty() ? "" : ", ") + std::string{each};
    return refuse_at(
        place + ".annotations[\"" + shown(key) + "\"]",
        "is not known; annotations below argosy.io/ are " + list + did_you_mean(key, known));
  }
  return {};
}

bool is_own_key(std::string_view key) noexcept {
  return key.starts_with("argosy.io/");
}

result<void> check_no_own_keys(const google::protobuf::Map<std::string, std::string>& map,
                               const std::string& place, const char* field) {
  const auto own =
      std::ranges::find_if(map, [](const auto& each) { return is_own_key(each.first); });
  if (own == map.end()) return {};
  return refuse_at(place + "." + field + "[\"" + shown(own->first) + "\"]",
                   "is not for jobs: agents know their pods by what stands below argosy.io/; take "
                   "another prefix");
}

}  // namespace argosy::codec
