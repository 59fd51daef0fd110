// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/lookout_jobs.hpp"

#include <absl/time/time.h>

#include <algorithm>

#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::string time_text(std::int64_t unix_ns) {
  return absl::FormatTime(absl::RFC3339_full, absl::FromUnixNanos(unix_ns), absl::UTCTimeZone());
}

error not_a(const std::string& member, const std::string& what) {
  return {ec::invalid_argument, member + " is not " + what};
}

const go_json& member(const go_json& of, const char* name) {
  static const go_json none;
  const auto found = of.find(name);
  return found == of.end() ? none : *found;
}

/// A text, or nothing where the member is missing.
result<std::string> text_of(const go_json& of, const char* name) {
  const auto& value = member(of, name);
  if (value.is_null()) return std::string{};
  if (!value.is_string()) return fail(not_a(name, "a text"));
  return value.get<std::string>();
}

result<bool> flag_of(const go_json& of, const char* name) {
  const auto& value = member(of, name);
  if (value.is_null()) return false;
  if (!value.is_boolean()) return fail(not_a(name, "true or false"));
  return value.get<bool>();
}

result<std::uint64_t> count_of(const go_json& of, const char* name) {
  const auto& value = member(of, name);
  if (value.is_null()) return std::uint64_t{0};
  if (!value.is_number_unsigned()) return fail(not_a(name, "a whole number of 0 or more"));
  return value.get<std::uint64_t>();
}

/// A value of a filter as our API reads it. Lookout has cpu in thousandths of a core.
result<std::string> value_text(const go_json& value, const std::string& field) {
  std::string out;
  if (value.is_string())
    out = value.get<std::string>();
  else if (value.is_number())
    out = value.dump();
  else
    return fail(not_a("the value of the filter on '" + shown(field) + "'", "a text or a number"));
  const bool digits = !out.empty() && out.find_first_not_of("0123456789") == std::string::npos;
  return field == "cpu" && digits ? out + "m" : out;
}

result<void> read_filter(const go_json& from, unknown_fields unknown, v1::JobCondition& out) {
  if (!from.is_object()) return fail(not_a("a filter", "an object"));
  if (auto ok =
          check_members(from, "filters", {"field", "value", "match", "isAnnotation"}, unknown);
      !ok)
    return ok;
  const auto field = text_of(from, "field");
  if (!field) return fail(field.error());
  const auto match = text_of(from, "match");
  if (!match) return fail(match.error());
  const auto is_annotation = flag_of(from, "isAnnotation");
  if (!is_annotation) return fail(is_annotation.error());
  out.set_field(*is_annotation ? "annotation" : *field);
  if (*is_annotation) out.set_key(*field);
  out.set_match(*match);
  if (*match == "exists") return {};
  const auto& value = member(from, "value");
  const auto values = value.is_array() ? value : go_json::array({value});
  for (const auto& each : values) {
    auto text = value_text(each, out.field());
    if (!text) return fail(text.error());
    out.add_values(std::move(*text));
  }
  return {};
}

/// What searches and groupings have in common.
template <class Request>
result<void> read_common(const go_json& body, const std::vector<std::string_view>& more,
                         unknown_fields unknown, Request& out) {
  if (!body.is_object()) return fail(not_a("the body", "an object"));
  std::vector<std::string_view> known{"filters", "order", "activeJobSets", "skip", "take"};
  known.insert(known.end(), more.begin(), more.end());
  if (auto ok = check_members(body, {}, known, unknown); !ok) return ok;
  const auto& filters = member(body, "filters");
  if (!filters.is_array()) return fail(ec::invalid_argument, "filters is missing or no list");
  for (const auto& each : filters)
    if (auto read = read_filter(each, unknown, *out.add_conditions()); !read) return read;
  const auto active = flag_of(body, "activeJobSets");
  if (!active) return fail(active.error());
  const auto skip = count_of(body, "skip");
  if (!skip) return fail(skip.error());
  const auto take = count_of(body, "take");
  if (!take) return fail(take.error());
  out.set_active_job_sets(*active);
  out.set_skip(*skip);
  out.set_limit(static_cast<std::uint32_t>(std::min<std::uint64_t>(*take, 0xffff'ffff)));
  const auto& order = member(body, "order");
  if (!order.is_object()) return fail(ec::invalid_argument, "order is missing or no object");
  if (auto ok = check_members(order, "order", {"field", "direction"}, unknown); !ok) return ok;
  const auto field = text_of(order, "field");
  if (!field) return fail(field.error());
  const auto way = text_of(order, "direction");
  if (!way) return fail(way.error());
  if (*way != "ASC" && *way != "DESC") return fail(not_a("order.direction", "ASC or DESC"));
  out.set_order_by(*field);
  out.set_ascending(*way == "ASC");
  return {};
}

/// How much the job requests of a resource, in the unit of the API.
std::int64_t request_of(const v1::JobSummary& job, std::string_view resource) {
  for (const auto& amount : job.requests())
    if (amount.resource() == resource) return amount.amount();
  return 0;
}

void put_time(go_json& out, const char* name, std::int64_t unix_ns) {
  if (unix_ns > 0) out[name] = time_text(unix_ns);
}

void put_text(go_json& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}

go_json run_json(const v1::FoundRun& run) {
  go_json out;
  out["runId"] = run.run_id();
  out["cluster"] = run.cluster();
  put_text(out, "node", run.node());
  put_time(out, "leased", run.leased_ns());
  put_time(out, "pending", run.pending_ns());
  put_time(out, "started", run.started_ns());
  put_time(out, "finished", run.finished_ns());
  out["jobRunState"] = run.state();
  if (run.has_exit_code()) out["exitCode"] = run.exit_code();
  put_text(out, "pool", run.pool());
  for (const auto& [port, address] : run.ingress_addresses())
    out["ingressAddresses"][std::to_string(port)] = address;
  put_text(out, "failureCategory", run.failure_category());
  put_text(out, "failureSubcategory", run.failure_subcategory());
  return out;
}

go_json job_json(const v1::FoundJob& job) {
  const auto& of = job.summary();
  go_json out;
  out["jobId"] = of.job_id();
  out["queue"] = of.queue();
  out["owner"] = of.owner();
  put_text(out, "namespace", of.name_space());
  out["jobSet"] = of.job_set();
  out["cpu"] = request_of(of, "cpu");
  out["memory"] = request_of(of, "memory");
  out["ephemeralStorage"] = request_of(of, "ephemeral-storage");
  out["gpu"] = request_of(of, "nvidia.com/gpu");
  out["priority"] = static_cast<std::int64_t>(of.priority());
  put_text(out, "priorityClass", of.priority_class());
  out["submitted"] = time_text(of.submitted_ns());
  out["state"] = api::JobState_Name(of.state());
  out["lastTransitionTime"] = time_text(of.changed_ns());
  out["duplicate"] = false;
  out["annotations"] = go_json::object();
  for (const auto& [name, value] : job.annotations()) out["annotations"][name] = value;
  out["runs"] = go_json::array();
  for (const auto& run : job.runs()) out["runs"].push_back(run_json(run));
  if (of.state() == api::CANCELLED) {
    put_time(out, "cancelled", of.changed_ns());
    put_text(out, "cancelReason", of.reason());
    put_text(out, "cancelUser", job.requestor());
  }
  out["cluster"] = of.cluster();
  out["runtimeSeconds"] = 0;
  if (job.runs().empty()) return out;
  const auto& last = *job.runs().rbegin();
  out["lastActiveRunId"] = last.run_id();
  put_text(out, "node", last.node());
  put_text(out, "pool", last.pool());
  if (last.has_exit_code()) out["exitCode"] = last.exit_code();
  if (last.started_ns() > 0 && last.finished_ns() > last.started_ns())
    out["runtimeSeconds"] = (last.finished_ns() - last.started_ns()) / second_ns;
  return out;
}

}  // namespace

result<v1::FindJobsRequest> read_lookout_search(const go_json& body, unknown_fields unknown) {
  v1::FindJobsRequest out;
  if (auto read = read_common(body, {}, unknown, out); !read) return fail(read.error());
  return out;
}

result<v1::GroupJobsRequest> read_lookout_groups(const go_json& body, unknown_fields unknown,
                                                 lookout_aggregates& wanted) {
  v1::GroupJobsRequest out;
  if (auto read = read_common(body, {"groupedField", "aggregates"}, unknown, out); !read)
    return fail(read.error());
  const auto& by = member(body, "groupedField");
  if (!by.is_object()) return fail(ec::invalid_argument, "groupedField is missing or no object");
  if (auto ok = check_members(by, "groupedField",
                              {"field", "isAnnotation", "lastTransitionTimeAggregate"}, unknown);
      !ok)
    return fail(ok.error());
  const auto field = text_of(by, "field");
  if (!field) return fail(field.error());
  const auto is_annotation = flag_of(by, "isAnnotation");
  if (!is_annotation) return fail(is_annotation.error());
  const auto how = text_of(by, "lastTransitionTimeAggregate");
  if (!how) return fail(how.error());
  if (!how->empty() && *how != "latest" && *how != "earliest" && *how != "average")
    return fail(not_a("groupedField.lastTransitionTimeAggregate", "latest, earliest or average"));
  out.set_group_by(*is_annotation ? "annotation" : *field);
  if (*is_annotation) out.set_key(*field);
  if (out.order_by() == *field) out.set_order_by("name");
  wanted.changed_how = *how;
  const auto& aggregates = member(body, "aggregates");
  if (!aggregates.is_null() && !aggregates.is_array()) return fail(not_a("aggregates", "a list"));
  for (const auto& each : aggregates) {
    if (each == "submitted")
      wanted.submitted = true;
    else if (each == "lastTransitionTime")
      wanted.changed = true;
    else if (each == "state")
      wanted.states = true;
    else
      return fail(ec::invalid_argument, "there is no aggregate " + shown(each.dump()) +
                                            "; there are submitted, lastTransitionTime and state");
  }
  return out;
}

go_json lookout_jobs(const v1::FindJobsResponse& found) {
  go_json out;
  out["jobs"] = go_json::array();
  for (const auto& job : found.jobs()) out["jobs"].push_back(job_json(job));
  if (found.incomplete()) out["incomplete"] = true;
  return out;
}

go_json lookout_groups(const v1::GroupJobsResponse& found, const lookout_aggregates& wanted) {
  go_json out;
  out["groups"] = go_json::array();
  for (const auto& group : found.groups()) {
    auto aggregates = go_json::object();
    if (wanted.submitted) aggregates["submitted"] = time_text(group.submitted_ns());
    if (wanted.changed)
      aggregates["lastTransitionTime"] =
          time_text(wanted.changed_how == "latest"     ? group.changed_last_ns()
                    : wanted.changed_how == "earliest" ? group.changed_first_ns()
                                                       : group.changed_average_ns());
    if (wanted.states) {
      aggregates["state"] = go_json::object();
      for (const auto& [state, count] : group.jobs_by_state()) aggregates["state"][state] = count;
    }
    out["groups"].push_back(
        {{"name", group.name()}, {"count", group.count()}, {"aggregates", aggregates}});
  }
  if (found.incomplete()) out["incomplete"] = true;
  return out;
}

}  // namespace argosy::codec
