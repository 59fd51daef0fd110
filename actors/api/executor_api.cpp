// SPDX-License-Identifier: Apache-2.0
// The methods of Armada's executors. The ARMADA_GATEWAY serves them.
#include "actors/api/gateway_services.hpp"
#include "runtime/bus/paced_stream.hpp"

namespace argosy::actors {

namespace {

/// Whether there is nobody who serves executors, in which case the call is answered.
bool refuse_unserved(const gateway_services& gateway, const call& caller) {
  if (gateway.config.armada) return false;
  caller.fail(ec::conflict, "executors of Armada are served over gRPC only");
  return true;
}

void lease_job_runs(gateway_services& gateway, const call& caller) {
  if (refuse_unserved(gateway, caller)) return;
  gateway.ask(
      caller, gateway.config.armada,
      [&gateway, caller](const native::message_list& messages) {
        const auto begun = bus::paced_stream::begin(*gateway.config.connection, caller.frame(),
                                                    std::deque<std::string>{*messages});
        if (begun)
          caller.streams();
        else
          caller.fail(begun.error());
      },
      atom::place_v, caller.principal(), std::string{caller.frame().data});
}

void report_events(gateway_services& gateway, const call& caller) {
  if (refuse_unserved(gateway, caller)) return;
  gateway.ask(
      caller, gateway.config.armada, [caller](atom::ok) { caller.reply(std::string{}); },
      atom::events_v, caller.principal(), std::string{caller.frame().data});
}

}  // namespace

void add_executor_api(method_table& table) {
  table["ExecutorApi.LeaseJobRuns"] = lease_job_runs;
  table["ExecutorApi.ReportEvents"] = report_events;
}

}  // namespace argosy::actors
