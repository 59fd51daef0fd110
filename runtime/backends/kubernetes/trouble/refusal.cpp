// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/refusal.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/kube/answers.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::backends {

namespace {

// A message of the API server may hold what a user has written: the server echoes values, and
// policies and webhooks may do so too. Words of its own are known by the status and by their place.

bool take(std::string_view& from, std::string_view head) {
  if (!from.starts_with(head)) return false;
  from.remove_prefix(head.size());
  return true;
}

/// Takes a text in quotation marks, which may have escaped ones within.
bool take_quoted(std::string_view& from) {
  if (!from.starts_with('"')) return false;
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (from[i] == '\\')
      ++i;
    else if (from[i] == '"')
      return from.remove_prefix(i + 1), true;
  }
  return false;
}

/// Takes the name of a resource or a namespace.
bool take_name(std::string_view& from) {
  const auto end = from.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-./");
  const auto size = std::min(end, from.size());
  from.remove_prefix(size);
  return size > 0;
}

bool take_namespace(std::string_view& from) {
  const auto end = std::min(from.find_first_of(" /"), from.size());
  from.remove_prefix(end);
  return end > 0;
}

/// Returns what follows `pods "p" is forbidden: `; empty if the message does not begin like that.
std::string_view why_forbidden(std::string_view said) {
  if (!take_name(said)) return {};
  if (said.starts_with(" \"")) {
    said.remove_prefix(1);
    if (!take_quoted(said)) return {};
  }
  return take(said, " is forbidden: ") ? said : std::string_view{};
}

bool denied_by_webhook(std::string_view said) {
  return said.starts_with("admission webhook \"");
}

bool misses_webhook(const kube::answer& answer, std::string_view said) {
  return answer.status >= http_server_error &&
         said.starts_with("Internal error occurred: failed calling webhook ");
}

/// The account of the pod is not there.
bool misses_account(std::string_view why) {
  return why.starts_with("error looking up service account ");
}

/// The quota was made just now, and nobody has counted yet what is used of it.
bool awaits_quota(std::string_view why) {
  return why.starts_with("status unknown for quota: ");
}

/// Takes what stands before `until` off the text, which begins behind it then.
std::string_view take_until(std::string_view& from, std::string_view until) {
  const auto end = std::min(from.find(until), from.size());
  const auto out = from.substr(0, end);
  from.remove_prefix(std::min(end + until.size(), from.size()));
  return out;
}

/// Amounts such as "cpu=2,requests.memory=1Gi".
std::map<std::string_view, std::int64_t> read_amounts(std::string_view text) {
  std::map<std::string_view, std::int64_t> out;
  while (!text.empty()) {
    auto item = take_until(text, ",");
    const auto name = take_until(item, "=");
    if (const auto amount = model::parse_quantity(item, model::resource_unit::milli))
      out[name] = *amount;
  }
  return out;
}

/// Whether the quota would be too small for the pod alone. A limit of 0 for what every pod asks for
/// closes the namespace; so may others, once the quota is as it was.
bool exceeds_quota_alone(std::string_view why) {
  static_cast<void>(take_until(why, ", requested: "));
  const auto requested = read_amounts(take_until(why, ", used: "));
  static_cast<void>(take_until(why, ", limited: "));
  const auto limited = read_amounts(why);
  return std::ranges::any_of(requested, [&](const auto& each) {
    const auto limit = limited.find(each.first);
    const auto& [name, amount] = each;
    const bool is_special = name.find('/') != std::string_view::npos && !name.starts_with("count/");
    return limit != limited.end() && amount > limit->second && (limit->second > 0 || is_special);
  });
}

/// The owner of the run lacks the right, or it may not be made in his name.
constexpr const char* rights_of_owner = "rights/@";

/// `why` is what stands behind "is forbidden: " of an answer with status 403.
const char* category_of_forbidden(std::string_view why, bool acts_for_users) {
  namespace to_all = model::refusal_to_all;
  if (take(why, "User ")) {
    if (!take_quoted(why)) return "";
    if (why.starts_with(" cannot impersonate")) return rights_of_owner;
    if (!why.starts_with(" cannot create resource ")) return "";
    return acts_for_users ? rights_of_owner : to_all::rights;
  }
  if (take(why, "exceeded quota: "))
    return exceeds_quota_alone(why) ? model::refusal_above_quota : to_all::quota;
  // The namespace gives nobody any of it; others of its jobs may ask for none.
  if (why.starts_with("insufficient quota to consume: ")) return model::refusal_above_quota;
  if (awaits_quota(why) || why.starts_with("insufficient quota to match these scopes: "))
    return to_all::quota;
  if (take(why, "unable to create new content in namespace "))
    return take_namespace(why) && why == " because it is being terminated" ? to_all::name_space
                                                                           : "";
  // A namespace that was made just now has no account yet. A pod may name any other.
  if (take(why, "error looking up service account ") && take_namespace(why) &&
      why == "/default: serviceaccount \"default\" not found")
    return to_all::name_space;
  return "";
}

bool misses_namespace(const kube::answer& answer, std::string_view said) {
  return answer.status == http_not_found && take(said, "namespaces ") && take_quoted(said) &&
         said == " not found";
}

/// Returns the kind of a refusal that concerns the whole namespace, or a run that is larger than
/// its quota; empty if it concerns the run otherwise.
const char* category_of(const kube::answer& answer, std::string_view said, bool acts_for_users) {
  namespace to_all = model::refusal_to_all;
  const auto why = why_forbidden(said);
  if (answer.status == http_forbidden) return category_of_forbidden(why, acts_for_users);
  if (misses_namespace(answer, said)) return to_all::name_space;
  // Webhooks and policies speak of the pod, whatever their status.
  const bool of_pod = denied_by_webhook(said) || !why.empty();
  return kube::is_passing(answer) && !of_pod ? to_all::server : "";
}

/// The status of a refusal is 403 for several things that have nothing to do with one another.
refusal_kind kind_of(const kube::answer& answer, std::string_view said, std::string_view to_all) {
  const auto why = why_forbidden(said);
  if (misses_webhook(answer, said)) return refusal_kind::here;
  if (to_all == model::refusal_to_all::server) return refusal_kind::for_now;
  if (!to_all.empty()) return refusal_kind::here;
  // An account of the pod's own may be about to be made.
  if (answer.status == http_forbidden && misses_account(why)) return refusal_kind::for_now;
  // Two changes at once are no fault of either.
  const bool passes = (kube::is_passing(answer) && why.empty()) ||
                      answer.status == http_not_found || answer.status == http_conflict;
  return passes ? refusal_kind::for_now : refusal_kind::for_good;
}

}  // namespace

refusal settled(refusal why) {
  if (why.kind != refusal_kind::for_good || !why.by_admission) return why;
  why.kind = refusal_kind::here;
  why.reason = model::reason_cluster_refused;
  why.category = model::refusal_by_admission;
  return why;
}

refusal judge_refusal(const kube::answer& answer, const trouble_rules& rules, bool acts_for_users) {
  refusal out{refusal_kind::for_good, model::reason_submission_refused,
              kube::server_message(answer)};
  const auto& said = out.message;
  if (answer.status == http_conflict && said.ends_with("already exists") &&
      !denied_by_webhook(said)) {
    out.kind = refusal_kind::clash;
    return out;
  }
  if (std::ranges::any_of(rules.fatal_submission_errors,
                          [&](const pattern& each) { return each.is_in(said); }))
    return out;
  out.category = category_of(answer, said, acts_for_users);
  out.kind = kind_of(answer, said, out.category);
  const std::string_view category{out.category};
  const bool by_quota =
      category == model::refusal_to_all::quota || category == model::refusal_above_quota;
  out.is_missing = out.category.empty() && out.kind == refusal_kind::for_now &&
                   answer.status == http_forbidden && misses_account(why_forbidden(said));
  out.by_admission = !by_quota && (denied_by_webhook(said) || !why_forbidden(said).empty());
  if (rules.on_quota_exceeded == quota_action::fail && !awaits_quota(why_forbidden(said)) &&
      by_quota) {
    out.kind = refusal_kind::for_good;
    out.reason = model::reason_quota_exceeded;
  }
  if (out.kind != refusal_kind::for_good)
    out.reason = model::reason_cluster_refused;
  else
    out.category = "";
  return out;
}

}  // namespace argosy::backends
