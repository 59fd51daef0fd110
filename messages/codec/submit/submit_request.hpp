// SPDX-License-Identifier: Apache-2.0
// One request while it is being decoded: the items with their pod specs still encoded, and every
// distinct pod spec once. It lives for one call of submit_decoder::decode().
#pragma once

#include <google/protobuf/arena.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/submit/limits.hpp"
#include "messages/codec/submit/pod_cache.hpp"
#include "messages/proto/argosy/partial.pb.h"
#include "messages/proto/k8s/pod.pb.h"
#include "runtime/base/result.hpp"

namespace argosy::codec {

/// A distinct pod spec of the request: either checked before, or decoded now and not checked yet.
struct pod_slot {
  std::string_view bytes;
  std::shared_ptr<const checked_pod> checked;
  k8s::io::api::core::v1::PodSpec* decoded = nullptr;

  /// The priority class that applies, with the default filled in.
  [[nodiscard]] const std::string& priority_class(const submit_limits& limits) const;
};

struct submit_item {
  partial::v1::SubmitItem* message = nullptr;
  int pods = 0;              ///< How many pod specs the item carries; exactly one is right.
  bool pod_in_list = false;  ///< The pod spec stands in pod_specs rather than in pod_spec.
  pod_slot* pod = nullptr;   ///< Null unless there is exactly one pod spec.
  std::optional<model::gang_info> gang;
  std::string name_space{};  ///< The one that the job gets, named by it or not.
};

class submit_request {
 public:
  /// Splits and decodes the request down to the pod specs. ec::invalid_argument or ec::too_large.
  [[nodiscard]] result<void> read(std::string_view bytes, const submit_limits& limits,
                                  const pod_cache& known);

  std::string queue;
  std::string job_set;
  std::vector<submit_item> items;

 private:
  result<void> add_item(std::string_view bytes, const submit_limits& limits,
                        const pod_cache& known);
  result<void> add_pod(submit_item& item, const submit_limits& limits, const pod_cache& known);

  google::protobuf::Arena arena_;
  std::deque<pod_slot> slots_;
  text_map<std::string_view, pod_slot*> by_bytes_;
};

/// The place of an item: "job_request_items[3]".
[[nodiscard]] std::string item_place(std::size_t index);

/// The place of its pod spec: "job_request_items[3].pod_spec".
[[nodiscard]] std::string pod_place(std::size_t index, const submit_item& item);

}  // namespace argosy::codec
