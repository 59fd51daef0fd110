// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/job_facts.hpp"

#include <string>

#include "messages/proto/argosy/store.pb.h"
#include "messages/view/field_walk.hpp"
#include "messages/view/record.hpp"
#include "runtime/base/check.hpp"

namespace argosy::view {

namespace {

namespace log = argosy::log::v1;
namespace records = argosy::store::v1;
using model::job_field;

bool read_header(std::string_view bytes, job_facts& out) {
  using header = log::JobHeader;
  field_walk fields{bytes};
  while (const auto number = fields.next()) {
    const bool read = number == header::kJobSetFieldNumber        ? fields.read(out.job_set)
                      : number == header::kNameSpaceFieldNumber   ? fields.read(out.name_space)
                      : number == header::kOwnerFieldNumber       ? fields.read(out.owner)
                      : number == header::kSubmittedNsFieldNumber ? fields.read(out.submitted_ns)
                      : number == header::kShapeFieldNumber       ? fields.read(out.shape)
                      : number == header::kGangFieldNumber        ? fields.read(out.gang)
                      : number == header::kNameFieldNumber        ? fields.read(out.name)
                                                                  : fields.skip();
    if (!read) return false;
  }
  return fields.at_end();
}

/// What is read in passing and checked at the end.
struct raw_parts {
  std::string_view header;
  std::uint32_t format = 0;
  std::uint32_t state = 0;
  std::uint32_t priority = 0;
};

bool read_job(std::string_view bytes, job_facts& out, raw_parts& raw) {
  using job = records::Job;
  field_walk fields{bytes};
  while (const auto number = fields.next()) {
    const bool read = number == job::kFormatFieldNumber      ? fields.read(raw.format)
                      : number == job::kQueueFieldNumber     ? fields.read(out.queue)
                      : number == job::kHeaderFieldNumber    ? fields.read(raw.header)
                      : number == job::kStateFieldNumber     ? fields.read(raw.state)
                      : number == job::kPriorityFieldNumber  ? fields.read(raw.priority)
                      : number == job::kChangedNsFieldNumber ? fields.read(out.changed_ns)
                      : number == job::kRunsFieldNumber      ? fields.read(out.run)
                      : number == job::kReasonFieldNumber    ? fields.read(out.reason)
                                                             : fields.skip();
    if (!read) return false;
  }
  // Runs come oldest first, so that the last one stays.
  return fields.at_end() && read_header(raw.header, out);
}

error damaged(const char* what) {
  return {ec::corrupt, std::string{"the "} + what + " of a job does not decode"};
}

/// The value of a text field of an encoded message.
result<std::string_view> text_in(std::string_view bytes, int field, const char* what) {
  field_walk fields{bytes};
  std::string_view out;
  while (const auto number = fields.next())
    if (!(number == field ? fields.read(out) : fields.skip())) return fail(damaged(what));
  if (!fields.at_end()) return fail(damaged(what));
  return out;
}

bool read_amount(std::string_view bytes, std::string_view& resource, std::int64_t& amount) {
  field_walk fields{bytes};
  while (const auto number = fields.next()) {
    const bool read = number == log::Amount::kResourceFieldNumber ? fields.read(resource)
                      : number == log::Amount::kAmountFieldNumber ? fields.read_varint(amount)
                                                                  : fields.skip();
    if (!read) return false;
  }
  return fields.at_end();
}

result<std::optional<std::int64_t>> request_of(std::string_view shape, std::string_view wanted) {
  field_walk fields{shape};
  while (const auto number = fields.next()) {
    std::string_view bytes;
    std::string_view resource;
    std::int64_t amount = 0;
    const bool is_request = number == log::Shape::kRequestsFieldNumber;
    if (!(is_request ? fields.read(bytes) : fields.skip())) return fail(damaged("shape"));
    if (!is_request) continue;
    if (!read_amount(bytes, resource, amount)) return fail(damaged("shape"));
    if (resource == wanted) return std::optional{amount};
  }
  return std::optional<std::int64_t>{};
}

bool read_outcome(std::string_view bytes, std::optional<std::int64_t>& out) {
  using outcome = log::RunOutcome;
  field_walk fields{bytes};
  std::int64_t exit_code = 0;
  std::int64_t known = 0;
  while (const auto number = fields.next()) {
    const bool read = number == outcome::kExitCodeFieldNumber    ? fields.read_varint(exit_code)
                      : number == outcome::kExitKnownFieldNumber ? fields.read_varint(known)
                                                                 : fields.skip();
    if (!read) return false;
  }
  if (known != 0 || exit_code != 0) out = exit_code;
  return fields.at_end();
}

result<std::optional<std::int64_t>> exit_code_of(std::string_view bytes) {
  using run = records::Run;
  field_walk fields{bytes};
  std::string_view outcome;
  std::uint32_t state = 0;
  while (const auto number = fields.next()) {
    const bool read = number == run::kStateFieldNumber     ? fields.read(state)
                      : number == run::kOutcomeFieldNumber ? fields.read(outcome)
                                                           : fields.skip();
    if (!read) return fail(damaged("run"));
  }
  std::optional<std::int64_t> out;
  if (!fields.at_end() || !read_outcome(outcome, out)) return fail(damaged("run"));
  // A run that succeeded has exit code 0 by definition.
  if (state == static_cast<std::uint32_t>(model::run_state::succeeded)) out = 0;
  return out;
}

}  // namespace

result<job_facts> facts_of(const ulid& id, std::string_view record) {
  job_facts out;
  raw_parts raw;
  out.id = id;
  if (!read_job(record, out, raw)) return fail(ec::corrupt, "a job record does not decode");
  if (auto ok = codec::check_format(raw.format, record_format, "job record"); !ok)
    return fail(std::move(ok.error()));
  const auto known = codec::enum_from_wire(raw.state, model::job_state::rejected, "job state");
  if (!known) return fail(known.error());
  out.state = *known;
  out.priority = raw.priority;
  return out;
}

result<std::string_view> text_of(const job_facts& job, job_field field) {
  switch (field) {
    case job_field::queue:
      return job.queue;
    case job_field::job_set:
      return job.job_set;
    case job_field::owner:
      return job.owner;
    case job_field::name_space:
      return job.name_space;
    case job_field::priority_class:
      return text_in(job.shape, log::Shape::kPriorityClassFieldNumber, "shape");
    case job_field::cluster:
      return text_in(job.run, records::Run::kClusterFieldNumber, "run");
    case job_field::node:
      return text_in(job.run, records::Run::kNodeFieldNumber, "run");
    case job_field::pool:
      return text_in(job.run, records::Run::kPoolFieldNumber, "run");
    case job_field::gang:
      return text_in(job.gang, log::Gang::kIdFieldNumber, "gang");
    case job_field::name:
      return job.name;
    case job_field::reason:
      return job.reason;
    default:
      ARGOSY_CHECK(false);
  }
}

result<std::optional<std::int64_t>> number_of(const job_facts& job, job_field field,
                                              std::string_view resource) {
  switch (field) {
    case job_field::priority:
      return std::optional{job.priority};
    case job_field::submitted:
      return std::optional{job.submitted_ns};
    case job_field::changed:
      return std::optional{job.changed_ns};
    case job_field::exit_code:
      return exit_code_of(job.run);
    case job_field::resource:
      return request_of(job.shape, resource);
    default:
      ARGOSY_CHECK(false);
  }
}

}  // namespace argosy::view
