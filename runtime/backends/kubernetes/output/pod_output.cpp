// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/pod_output.hpp"

#include <algorithm>

#include "runtime/kube/answers.hpp"

namespace argosy::backends {

namespace {

constexpr std::uint64_t read_max = std::uint64_t{64} << 20;
constexpr int output_not_yet = 400;
constexpr int output_gone = 404;

std::uint32_t size_of(const model::log_request& wanted) {
  return std::clamp(wanted.size_max, 1u, output_chunk_max);
}

}  // namespace

kube::request output_request(const pod_place& place, std::uint64_t bytes_max) {
  kube::request out;
  out.path = "/api/v1/namespaces/" + place.name_space + "/pods/" + place.name +
             "/log?limitBytes=" + std::to_string(bytes_max);
  if (!place.container.empty()) out.path += "&container=" + place.container;
  return out;
}

result<kube::request> output_request(const pod_place& place, const model::log_request& wanted) {
  const auto size = size_of(wanted);
  if (wanted.offset > read_max - size)
    return fail(ec::too_large,
                "the output of a pod can be read up to 64 MiB; kubectl logs shows its end");
  return output_request(place, wanted.offset + size);
}

result<model::log_chunk> output_of(const pod_place& place, const model::log_request& wanted,
                                   const result<kube::answer>& answer) {
  if (!answer) return fail(ec::unavailable, answer.error().detail);
  const auto size = size_of(wanted);
  model::log_chunk out;
  out.next_offset = wanted.offset;
  // The container has not begun, and has no output yet.
  if (answer->status == output_not_yet && !place.ended) return out;
  if (answer->status == output_gone) return fail(ec::not_found, kube::server_message(*answer));
  if (!answer->ok()) return fail(ec::unavailable, kube::server_message(*answer));
  if (answer->body.size() > wanted.offset) out.data = answer->body.substr(wanted.offset, size);
  out.next_offset += out.data.size();
  out.end = place.ended && answer->body.size() < wanted.offset + size;
  return out;
}

}  // namespace argosy::backends
