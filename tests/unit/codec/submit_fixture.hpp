// SPDX-License-Identifier: Apache-2.0
// A valid submission to change in one place, and a decoder with Armada's limits.
#pragma once

#include <functional>
#include <string>

#include "messages/codec/submit/submit_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/log.pb.h"
#include "runtime/base/random.hpp"

namespace argosy::codec {

namespace core = k8s::io::api::core::v1;

inline void set_amount(core::Container& container, const std::string& resource,
                       const std::string& quantity) {
  (*container.mutable_resources()->mutable_requests())[resource].set_string(quantity);
  (*container.mutable_resources()->mutable_limits())[resource].set_string(quantity);
}

inline core::Container container(const std::string& name = "main") {
  core::Container out;
  out.set_name(name);
  out.set_image("busybox");
  out.add_command("sleep");
  out.add_args("10");
  set_amount(out, "cpu", "500m");
  set_amount(out, "memory", "64Mi");
  return out;
}

inline api::JobSubmitRequest valid_request(int jobs = 1) {
  api::JobSubmitRequest request;
  request.set_queue("research");
  request.set_job_set_id("set 1");
  for (int i = 0; i < jobs; ++i) {
    auto& item = *request.add_job_request_items();
    item.set_namespace_("default");
    item.set_priority(1);
    *item.mutable_pod_spec()->add_containers() = container();
  }
  return request;
}

inline void make_gang(api::JobSubmitRequestItem& item, const std::string& id,
                      const std::string& cardinality) {
  (*item.mutable_annotations())["armadaproject.io/gangId"] = id;
  (*item.mutable_annotations())["armadaproject.io/gangCardinality"] = cardinality;
}

struct submit_bench {
  explicit submit_bench(submit_limits limits = {}) : decoder(std::move(limits), shapes, ids) {}

  result<submission> decode(const api::JobSubmitRequest& request) {
    return decoder.decode(request.SerializeAsString(), context);
  }

  /// A valid request of one job, changed by `change`.
  result<submission> decode_changed(const std::function<void(api::JobSubmitRequest&)>& change) {
    auto request = valid_request();
    change(request);
    return decode(request);
  }

  seeded_random random{7};
  ulid_factory ids{random};
  shape_table shapes;
  submit_context context{"alice", {"everyone", "staff"}, 1'700'000'000'123'000'000, {}};
  submit_decoder decoder;
};

inline log::v1::JobSpec spec_of(const model::job_header& header) {
  log::v1::JobSpec spec;
  spec.ParseFromString(*header.spec);
  return spec;
}

}  // namespace argosy::codec
