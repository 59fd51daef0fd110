// SPDX-License-Identifier: Apache-2.0
// The service Diag says what the process itself does: its actors, its metrics and its log.
#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/api/gateway_services.hpp"
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/diag.pb.h"
#include "runtime/logging/levels.hpp"
#include "runtime/logging/recent_lines.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/recorder.hpp"
#include "runtime/trace/render_text.hpp"

namespace argosy::actors {

namespace {

/// How many actors one answer has; all of a large system would be more than a frame may have.
constexpr std::size_t actors_max = 1'000;

/// How urgently somebody should look at an actor: the longer it has been at a message, or has let
/// one wait, the more, and then the more it has worked.
std::pair<std::int64_t, std::int64_t> urgency_of(const trace::actor_reading& reading) {
  return {std::max(reading.oldest_nanos, reading.busy_nanos), reading.processing_nanos};
}

void read_actors(gateway_services& gateway, const call& caller,
                 const v1::ReadActorsRequest& request) {
  auto readings = trace::read_actors();
  if (!request.type().empty())
    std::erase_if(readings, [&](const auto& reading) {
      return trace::short_actor_name(reading.type) != request.type();
    });
  v1::ReadActorsResponse response;
  response.set_time_ns(to_nanos(gateway.config.clock->wall()));
  response.set_all(static_cast<std::uint32_t>(readings.size()));
  const auto most =
      request.limit() == 0 ? actors_max : std::min<std::size_t>(request.limit(), actors_max);
  const auto end = readings.begin() + static_cast<std::ptrdiff_t>(std::min(most, readings.size()));
  std::partial_sort(readings.begin(), end, readings.end(),
                    [](const auto& a, const auto& b) { return urgency_of(a) > urgency_of(b); });
  readings.erase(end, readings.end());
  for (const auto& reading : readings) {
    auto& out = *response.add_actors();
    out.set_type(reading.type);
    out.set_id(reading.id);
    out.set_depth(reading.depth);
    out.set_oldest_ns(reading.oldest_nanos);
    out.set_message(reading.message);
    out.set_busy_ns(reading.busy_nanos);
    out.set_handled(reading.handled);
    out.set_processing_ns(reading.processing_nanos);
    out.set_waiting_ns(reading.wait_nanos);
  }
  caller.reply(response);
}

void read_metrics(gateway_services& gateway, const call& caller, const v1::ReadMetricsRequest&) {
  if (!gateway.config.metrics_text) {
    caller.fail(ec::unavailable, "this process shows no metrics");
    return;
  }
  v1::ReadMetricsResponse response;
  response.set_text(gateway.config.metrics_text());
  caller.reply(response);
}

void read_lines(gateway_services&, const call& caller, const v1::ReadLinesRequest&) {
  v1::ReadLinesResponse response;
  for (auto& line : logging::recent_lines()) response.add_lines(std::move(line));
  caller.reply(response);
}

/// A frame has room for so many.
constexpr std::size_t spans_max = 10'000;

void read_spans(gateway_services&, const call& caller, const v1::ReadSpansRequest& request) {
  const auto spans = request.seconds() == 0
                         ? trace::recent_spans()
                         : trace::recent_spans(std::chrono::seconds{request.seconds()});
  v1::ReadSpansResponse response;
  for (auto i = spans.size() - std::min(spans.size(), spans_max); i < spans.size(); ++i)
    codec::to_wire(spans[i], *response.add_spans());
  caller.reply(response);
}

void read_levels(gateway_services&, const call& caller, const v1::ReadLogLevelsRequest&) {
  v1::ReadLogLevelsResponse response;
  for (const auto& one : logging::levels()) {
    auto& out = *response.add_levels();
    out.set_component(one.component);
    out.set_level(std::string{logging::to_string(one.now)});
    out.set_changed(one.changed);
    out.set_left_ns(one.left.count());
  }
  caller.reply(response);
}

result<void> change_level(const v1::SetLogLevelRequest& request) {
  const auto wanted = logging::parse_level(request.level());
  if (!wanted) return fail(wanted.error());
  constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365};
  if (request.duration_ns() < 0 || request.duration_ns() > longest.count())
    return fail(ec::invalid_argument, "levels change for a time from 0 to a year");
  return logging::set_level(request.component(), *wanted,
                            std::chrono::nanoseconds{request.duration_ns()});
}

void set_log_level(gateway_services&, const call& caller, const v1::SetLogLevelRequest& request) {
  if (auto changed = change_level(request); !changed) {
    caller.fail(changed.error());
    return;
  }
  caller.reply(v1::SetLogLevelResponse{});
}

}  // namespace

void add_diag_service(method_table& table) {
  table["Diag.ReadActors"] = decoded<v1::ReadActorsRequest>(read_actors);
  table["Diag.ReadMetrics"] = decoded<v1::ReadMetricsRequest>(read_metrics);
  table["Diag.ReadLines"] = decoded<v1::ReadLinesRequest>(read_lines);
  table["Diag.ReadSpans"] = decoded<v1::ReadSpansRequest>(read_spans);
  table["Diag.ReadLogLevels"] = decoded<v1::ReadLogLevelsRequest>(read_levels);
  table["Diag.SetLogLevel"] = decoded<v1::SetLogLevelRequest>(set_log_level);
}

}  // namespace argosy::actors
