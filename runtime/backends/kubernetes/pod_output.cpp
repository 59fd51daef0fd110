// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_output.hpp"

#include <algorithm>
#include <future>
#include <memory>

#include "runtime/backends/kubernetes/pod_runs.hpp"

namespace argosy::backends {

namespace {

constexpr std::uint64_t read_max = std::uint64_t{64} << 20;
constexpr std::uint32_t chunk_max = 1u << 20;
constexpr int output_not_yet = 400;
constexpr int output_gone = 404;

}  // namespace

result<model::log_chunk> read_output(kube::api& api, const pod_place& place,
                                     const model::log_request& request,
                                     std::chrono::milliseconds limit) {
  const auto size = std::clamp(request.size_max, 1u, chunk_max);
  if (request.offset > read_max - size)
    return fail(ec::too_large,
                "the output of a pod can be read up to 64 MiB; kubectl logs shows its end");
  const auto wanted = request.offset + size;
  kube::request ask;
  ask.path = "/api/v1/namespaces/" + place.name_space + "/pods/" + place.name +
             "/log?limitBytes=" + std::to_string(wanted);
  if (!place.container.empty()) ask.path += "&container=" + place.container;
  const auto promise = std::make_shared<std::promise<result<kube::answer>>>();
  auto waiting = promise->get_future();
  api.ask(std::move(ask),
          [promise](result<kube::answer> answer) { promise->set_value(std::move(answer)); });
  if (waiting.wait_for(limit) != std::future_status::ready)
    return fail(ec::unavailable, "the API server " + api.server() + " does not give the output");
  const auto answer = waiting.get();
  if (!answer) return fail(ec::unavailable, answer.error().detail);
  model::log_chunk out;
  out.next_offset = request.offset;
  // The container has not begun, and has no output yet.
  if (answer->status == output_not_yet && !place.ended) return out;
  if (answer->status == output_gone) return fail(ec::not_found, server_message(*answer));
  if (!answer->ok()) return fail(ec::unavailable, server_message(*answer));
  if (answer->body.size() > request.offset) out.data = answer->body.substr(request.offset, size);
  out.next_offset += out.data.size();
  out.end = place.ended && answer->body.size() < wanted;
  return out;
}

}  // namespace argosy::backends
