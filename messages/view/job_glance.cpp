// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_glance.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Walks the fields of an encoded message. The functions that read return false when the bytes are
/// no message.
class field_walk {
 public:
  explicit field_walk(std::string_view bytes)
      : bytes_(bytes),
        in_(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  /// Moves to the next field; 0 at the end and where no field begins.
  [[nodiscard]] int next() {
    tag_ = in_.ReadTag();
    return WireFormatLite::GetTagFieldNumber(tag_);
  }
  [[nodiscard]] bool at_end() { return in_.ConsumedEntireMessage(); }
  [[nodiscard]] bool skip() { return WireFormatLite::SkipField(&in_, tag_); }
  [[nodiscard]] bool read(std::uint32_t& out) {
    return has(WireFormatLite::WIRETYPE_VARINT) && in_.ReadVarint32(&out);
  }
  [[nodiscard]] bool read(std::int64_t& out) {
    std::uint64_t bits = 0;
    if (!has(WireFormatLite::WIRETYPE_FIXED64) || !in_.ReadLittleEndian64(&bits)) return false;
    out = static_cast<std::int64_t>(bits);
    return true;
  }
  [[nodiscard]] bool read(std::string_view& out) {
    std::uint32_t size = 0;
    if (!has(WireFormatLite::WIRETYPE_LENGTH_DELIMITED) || !in_.ReadVarint32(&size)) return false;
    const auto at = static_cast<std::size_t>(in_.CurrentPosition());
    if (size > bytes_.size() - at) return false;
    out = bytes_.substr(at, size);
    return in_.Skip(static_cast<int>(size));
  }

 private:
  [[nodiscard]] bool has(WireFormatLite::WireType type) const {
    return WireFormatLite::GetTagWireType(tag_) == type;
  }

  std::string_view bytes_;
  CodedInputStream in_;
  std::uint32_t tag_ = 0;
};

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
