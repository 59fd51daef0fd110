// SPDX-License-Identifier: Apache-2.0
// An audited_call tells AUDIT how a call that changes something was answered, and denied_reads
// which others were denied. The GATEWAY makes them, whatever the transport, and uses them on its
// thread.
#pragma once

#include "actors/call.hpp"
#include "actors/interfaces/log/audit.hpp"

namespace argosy::actors {

class audited_call final : public call_listener {
 public:
  /// `call` says who calls what, and how. The request is described when it is answered, so that it
  /// is not answered later for that; with `is_long` it is not described.
  audited_call(gateway_self self, audit_actor to, native::frame_ptr frame,
               model::call_recorded call, bool is_long)
      : self_(self),
        to_(std::move(to)),
        frame_(std::move(frame)),
        call_(std::move(call)),
        is_long_(is_long) {}
  /// Tells that the call was not answered, if that is so: the GATEWAY is ending.
  ~audited_call() override;
  audited_call(const audited_call&) = delete;
  audited_call& operator=(const audited_call&) = delete;

  void answered(const call& which, const error& outcome) override;

 private:
  void describe();

  gateway_self self_;
  audit_actor to_;
  native::frame_ptr frame_;  ///< Null once the call was answered.
  model::call_recorded call_;
  bool is_long_;
};

/// Tells AUDIT of calls that only read and were denied. One hears all of a GATEWAY.
class denied_reads final : public call_listener {
 public:
  denied_reads(gateway_self self, audit_actor to, bool in_headers)
      : self_(self), to_(std::move(to)), in_headers_(in_headers) {}

  void answered(const call& which, const error& outcome) override;

 private:
  gateway_self self_;
  audit_actor to_;
  bool in_headers_;
};

/// Begins the record of a call with who sends this request and what he calls. The request came over
/// NATS unless `in_headers`.
[[nodiscard]] model::call_recorded call_of(const bus::frame& frame, std::string_view called,
                                           const access::principal& who, bool in_headers);

/// The record of a caller whom the transport did not believe who he is, from what it says of him.
[[nodiscard]] model::call_recorded refused_caller(const bus::frame& told);
/// The same for whoever sent this request over NATS and was not believed.
[[nodiscard]] model::call_recorded refused_caller(const bus::frame& frame,
                                                  const access::principal& claimed,
                                                  const std::string& why);

}  // namespace argosy::actors
