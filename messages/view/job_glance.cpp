// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_glance.hpp"

#include "messages/proto/argosy/store.pb.h"
#include "messages/view/field_walk.hpp"
#include "messages/view/record.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
bool read_header(std::string_view bytes, job_glance& out) {
  using header = argosy::log::v1::JobHeader;
  field_walk fields{bytes};
  while (const auto number = fields.next()) {
    const bool read = number == header::kJobSetFieldNumber        ? fields.read(out.job_set)
                      : number == header::kSubmittedNsFieldNumber ? fields.read(out.submitted_ns)
                                                                  : fields.skip();
    if (!read) return false;
  }
  return fields.at_end();
}

bool read_job(std::string_view bytes, job_glance& out, std::uint32_t& format,
              std::uint32_t& state) {
  using job = records::Job;
  field_walk fields{bytes};
  std::string_view header;
  while (const auto number = fields.next()) {
    const bool read = number == job::kFormatFieldNumber      ? fields.read(format)
                      : number == job::kQueueFieldNumber     ? fields.read(out.queue)
                      : number == job::kHeaderFieldNumber    ? fields.read(header)
                      : number == job::kStateFieldNumber     ? fields.read(state)
                      : number == job::kChangedNsFieldNumber ? fields.read(out.changed_ns)
                                                             : fields.skip();
    if (!read) return false;
  }
  return fields.at_end() && read_header(header, out);
}

}  // namespace

result<job_glance> glance_at(std::string_view record) {
  job_glance out;
  std::uint32_t format = 0;
  std::uint32_t state = 0;
  if (!read_job(record, out, format, state))
    return fail(ec::corrupt, "a job record does not decode");
  if (auto ok = codec::check_format(format, record_format, "job record"); !ok)
    return fail(std::move(ok.error()));
  const auto known = codec::enum_from_wire(state, model::job_state::rejected, "job state");
  if (!known) return fail(known.error());
  out.state = *known;
  return out;
}

}  // namespace argosy::view
