// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/pod_output.hpp"

#include <absl/time/time.h>

#include <algorithm>

#include "runtime/kube/answers.hpp"
#include "runtime/kube/query.hpp"

namespace argosy::backends {

namespace {

constexpr std::uint64_t read_max = std::uint64_t{64} << 20;

std::uint32_t size_of(const model::log_request& wanted) {
  return std::clamp(wanted.size_max, 1u, model::log_chunk_bytes_max);
}

kube::request request_with(const pod_place& place, const std::string& option) {
  kube::request out;
  out.path = "/api/v1/namespaces/" + place.name_space + "/pods/" + place.name + "/log?" + option;
  // Whoever asks for the output has written it.
  if (!place.container.empty()) out.path += "&container=" + kube::query_value(place.container);
  return out;
}

}  // namespace

kube::request output_request(const pod_place& place) {
  return request_with(place, "timestamps=true");
}

error kubelet_late(const std::string& node, std::chrono::seconds waited) {
  return {ec::unavailable, (node.empty() ? "the kubelet" : "the kubelet of node '" + node + "'") +
                               " has not given the output within " +
                               std::to_string(waited.count()) + " s"};
}

std::string query_time(std::int64_t unix_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(unix_ns / 1'000'000'000),
                          absl::UTCTimeZone());
}

std::optional<error> output_trouble(const result<kube::answer>& answer, bool ended) {
  if (!answer) return error{ec::unavailable, answer.error().detail};
  if (answer->ok()) return std::nullopt;
  auto words = kube::server_message(*answer);
  constexpr int unauthorized = 401;
  constexpr int forbidden = 403;
  switch (answer->status) {
    case output_not_yet:
      if (words.find("is not valid for pod") != std::string::npos)
        return error{ec::invalid_argument, std::move(words)};
      if (!ended) return std::nullopt;
      return error{ec::not_found, std::move(words)};
    case output_gone:
      return error{ec::not_found, std::move(words)};
    case unauthorized:
    case forbidden:
      return error{ec::denied, std::move(words)};
    default:
      return error{ec::unavailable, std::move(words)};
  }
}

kube::request output_request(const pod_place& place, std::uint64_t bytes_max) {
  return request_with(place, "limitBytes=" + std::to_string(bytes_max));
}

result<kube::request> output_request(const pod_place& place, const model::log_request& wanted) {
  const auto size = size_of(wanted);
  if (wanted.offset > read_max - size)
    return fail(ec::too_large,
                "the output of a pod can be read up to 64 MiB; kubectl logs shows its end");
  auto out = output_request(place, wanted.offset + size);
  out.within = output_wait;
  return out;
}

result<model::log_chunk> output_of(const pod_place& place, const model::log_request& wanted,
                                   const result<kube::answer>& answer) {
  if (!answer && answer.error().code == ec::timeout) return fail(kubelet_late(place.node));
  if (auto wrong = output_trouble(answer, place.ended)) return fail(std::move(*wrong));
  const auto size = size_of(wanted);
  model::log_chunk out;
  out.next_offset = wanted.offset;
  // The container has not begun, and has no output yet.
  if (!answer->ok()) return out;
  if (answer->body.size() > wanted.offset) out.data = answer->body.substr(wanted.offset, size);
  out.next_offset += out.data.size();
  out.end = place.ended && answer->body.size() < wanted.offset + size;
  return out;
}

}  // namespace argosy::backends
