// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/search_codec.hpp"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <array>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/api/search_fields.hpp"
#include "runtime/base/text.hpp"
#include "runtime/ledger/retry/failure_category.hpp"
#include "runtime/ledger/retry/runs_in_vain.hpp"

namespace argosy::codec {

namespace {

using model::job_field;
using model::search_place;

constexpr int conditions_max = 100;
constexpr std::uint32_t page_max = 10'000;

template <class Request>
result<model::job_conditions> read_conditions(const Request& request,
                                              const search_context& context) {
  if (request.conditions_size() > conditions_max)
    return fail(ec::invalid_argument,
                "the request has " + std::to_string(request.conditions_size()) +
                    " conditions; at most " + std::to_string(conditions_max) + " are read");
  auto all = parse_search_text(request.where(), context);
  if (!all) return fail(all.error());
  model::job_conditions out;
  out.all = std::move(*all);
  out.active_job_sets = request.active_job_sets();
  for (const auto& each : request.conditions()) {
    const auto field = find_search_field(each.field());
    if (!field) return fail(field.error());
    const auto match = find_search_match(each.match(), *field);
    if (!match) return fail(match.error());
    auto condition =
        make_condition(*field, *match, each.key(), {each.values().begin(), each.values().end()});
    if (!condition) return fail(condition.error());
    condition->negated = each.negated();
    out.all.push_back(std::move(*condition));
  }
  return out;
}

result<std::uint64_t> read_skip(std::uint64_t skip) {
  if (skip > search_skip_max)
    return fail(ec::invalid_argument, "at most " + std::to_string(search_skip_max) +
                                          " are skipped; go on with the cursor of the answer, or "
                                          "add conditions");
  return skip;
}

constexpr std::uint32_t limit_of(std::uint32_t wanted) {
  return wanted == 0 ? page_max : std::min(wanted, page_max);
}

result<job_field> read_order(const std::string& by) {
  constexpr std::array ordered{job_field::id,      job_field::queue,     job_field::job_set,
                               job_field::state,   job_field::submitted, job_field::changed,
                               job_field::priority};
  if (by.empty()) return job_field::id;
  const auto field = find_search_field(by);
  if (field && std::find(ordered.begin(), ordered.end(), field->field) != ordered.end())
    return field->field;
  return fail(ec::invalid_argument,
              "jobs cannot be ordered by '" + shown(by) +
                  "'; they can by jobId, queue, jobSet, state, submitted, changed and priority");
}

error bad_cursor(const std::string& text) {
  return {ec::invalid_argument, "'" + shown(text) + "' is no cursor of this search"};
}

result<std::optional<search_place>> read_cursor(const std::string& text, job_field by) {
  if (text.empty()) return std::optional<search_place>{};
  const auto colon = text.find(':');
  if ((colon == std::string::npos) != (by == job_field::id)) return fail(bad_cursor(text));
  search_place out;
  const auto id = parse_ulid(colon == std::string::npos ? text : text.substr(colon + 1));
  if (!id) return fail(bad_cursor(text));
  out.id = *id;
  if (colon != std::string::npos) {
    const auto digits = text.substr(0, colon);
    if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      return fail(bad_cursor(text));
    out.sort_key = absl::HexStringToBytes(digits);
  }
  return std::optional{std::move(out)};
}

std::string_view lookout_state(model::run_state state) noexcept {
  constexpr std::array<std::string_view, 9> names{
      "RUN_LEASED",    "RUN_PENDING",   "RUN_RUNNING",        "RUN_SUCCEEDED",    "RUN_FAILED",
      "RUN_PREEMPTED", "RUN_CANCELLED", "RUN_LEASE_RETURNED", "RUN_LEASE_EXPIRED"};
  return names[static_cast<std::size_t>(state)];
}

void to_wire(const model::run_record& run, const ulid& job, v1::FoundRun& out) {
  out.set_run_id(run_id({job, run.number}));
  out.set_cluster(run.cluster.str());
  out.set_node(run.node.str());
  out.set_pool(run.pool.str());
  out.set_state(std::string{lookout_state(run.state)});
  out.set_leased_ns(run.leased_ns);
  out.set_pending_ns(run.pending_ns);
  out.set_started_ns(run.started_ns);
  out.set_finished_ns(run.finished_ns);
  const bool succeeded = run.state == model::run_state::succeeded;
  // A run that failed with 0 was ended by something else, such as its deadline.
  out.set_has_exit_code(succeeded || run.outcome.exit_code.value_or(0) != 0);
  if (!succeeded) out.set_exit_code(run.outcome.exit_code.value_or(0));
  out.set_error(run.outcome.message);
  out.set_note(run.note);
  for (const auto& [port, address] : run.pod.addresses)
    (*out.mutable_ingress_addresses())[port] = address;
  if (run.state != model::run_state::failed) return;
  const auto category = ledger::category_of(run.outcome);
  out.set_failure_category(std::string{category.category});
  out.set_failure_subcategory(std::string{category.subcategory});
}

}  // namespace

result<model::job_query> from_wire(const v1::FindJobsRequest& request,
                                   const search_context& context) {
  auto conditions = read_conditions(request, context);
  if (!conditions) return fail(conditions.error());
  const auto by = read_order(request.order_by());
  if (!by) return fail(by.error());
  const auto skip = read_skip(request.skip());
  if (!skip) return fail(skip.error());
  auto after = read_cursor(request.cursor(), *by);
  if (!after) return fail(after.error());
  model::job_query out;
  out.conditions = std::move(*conditions);
  out.order = {*by, request.ascending()};
  out.limit = limit_of(request.limit());
  out.skip = *skip;
  out.after = std::move(*after);
  return out;
}

result<model::group_query> from_wire(const v1::GroupJobsRequest& request,
                                     const search_context& context) {
  auto conditions = read_conditions(request, context);
  if (!conditions) return fail(conditions.error());
  const auto field = find_search_field(request.group_by());
  if (!field) return fail(field.error());
  const bool has_key = field->field == job_field::annotation || field->field == job_field::label;
  if (model::is_number(field->field) || field->field == job_field::id ||
      has_key == request.key().empty())
    return fail(ec::invalid_argument,
                has_key ? "say which " + std::string{field->name} + " jobs are grouped by"
                        : "jobs cannot be grouped by '" + std::string{field->name} + "'" +
                              (request.key().empty() ? "" : " and a key"));
  constexpr std::array<std::pair<std::string_view, model::group_order>, 6> orders{
      {{"", model::group_order::count},
       {"count", model::group_order::count},
       {"name", model::group_order::name},
       {"submitted", model::group_order::submitted},
       {"changed", model::group_order::changed},
       {"lastTransitionTime", model::group_order::changed}}};
  const auto* order = std::find_if(orders.begin(), orders.end(), [&](const auto& known) {
    return known.first == request.order_by();
  });
  if (order == orders.end())
    return fail(ec::invalid_argument, "groups cannot be ordered by '" + shown(request.order_by()) +
                                          "'; they can by count, name, submitted and changed");
  const auto skip = read_skip(request.skip());
  if (!skip) return fail(skip.error());
  model::group_query out;
  out.conditions = std::move(*conditions);
  out.by = field->field;
  out.key = request.key();
  out.order = order->second;
  out.ascending = request.ascending();
  out.limit = limit_of(request.limit());
  out.skip = *skip;
  return out;
}

void to_wire(const model::found_job& job, v1::FoundJob& out) {
  out.mutable_annotations()->insert(job.tags.annotations.begin(), job.tags.annotations.end());
  out.mutable_labels()->insert(job.tags.labels.begin(), job.tags.labels.end());
  for (std::size_t i = 0; i < job.record.runs.size(); ++i) {
    auto& run = *out.add_runs();
    to_wire(job.record.runs[i], job.record.header->id, run);
    const auto note = ledger::note_left_out(job.record, i);
    if (!note.empty()) run.set_note(note + (run.note().empty() ? "" : "; ") + run.note());
  }
  out.set_requestor(job.record.requestor);
}

void to_wire(const model::job_group& group, v1::JobGroup& out) {
  out.set_name(group.name);
  out.set_count(group.count);
  for (const auto& [state, count] : group.jobs)
    (*out.mutable_jobs_by_state())[api::JobState_Name(to_wire(state))] = count;
  out.set_submitted_ns(group.submitted_ns);
  out.set_changed_first_ns(group.changed_first_ns);
  out.set_changed_last_ns(group.changed_last_ns);
  out.set_changed_average_ns(group.changed_average_ns);
}

std::string cursor_of(const search_place& place) {
  const auto id = to_string(place.id);
  return place.sort_key.empty() ? id : absl::BytesToHexString(place.sort_key) + ":" + id;
}

}  // namespace argosy::codec
