// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/submit/own_annotations.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "messages/codec/submit/lease_wishes.hpp"
#include "messages/codec/submit/pod_check.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/model/sim_annotation.hpp"

namespace argosy::codec {

result<void> check_own_annotations(
    const google::protobuf::Map<std::string, std::string>& annotations, const std::string& place) {
  static const std::vector<std::string_view> known{
      lease_expiry_key,
      keep_on_disconnect_key,
      hold_key,
      model::sim_annotation::runtime,
      model::sim_annotation::exit_code,
      model::sim_annotation::failure_rate,
  };
  for (const auto& [key, value] : annotations) {
    if (!key.starts_with("argosy.io/") || std::ranges::find(known, key) != known.end()) continue;
    std::string list;
    for (const auto& each : known) list += (list.empty() ? "" : ", ") + std::string{each};
    return refuse_at(
        place + ".annotations[\"" + shown(key) + "\"]",
        "is not known; annotations below argosy.io/ are " + list + did_you_mean(key, known));
  }
  return {};
}

}  // namespace argosy::codec
