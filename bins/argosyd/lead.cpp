// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/lead.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger lead_logger{"argosyd"};

constexpr std::string_view subject = "argosy.lead";
constexpr std::chrono::milliseconds answer_limit{1'000};
constexpr std::chrono::milliseconds pause{500};

struct asked {
  /// Nothing while this process has no connection.
  std::optional<ledger::lead_answer> answer;
  std::string holder;  ///< Who answered.
};

asked ask(bus::connection& connection) {
  const auto reply = connection.request_sync(subject, {}, {}, answer_limit);
  if (reply) return {ledger::lead_answer::somebody, reply->data};
  if (reply.error().code == ec::no_responders) return {ledger::lead_answer::nobody, {}};
  if (reply.error().code == ec::timeout) return {ledger::lead_answer::silence, {}};
  return {};
}

}  // namespace

result<bus::subscription> answer_as_leader(const std::shared_ptr<bus::connection>& connection,
                                           const std::string& holder) {
  return connection->serve(subject, [connection, holder](const bus::frame& question) {
    // Nothing is to be done if the answer is lost: whoever asked asks again.
    static_cast<void>(connection->respond(question, holder));
  });
}

bool wait_for_lead(bus::connection& connection, ledger::candidate_times times,
                   const std::function<bool()>& stop) {
  ledger::candidate_core core{times};
  std::string told;
  while (!stop()) {
    const auto got = ask(connection);
    if (got.answer && core.may_claim(*got.answer, system_clock_source().boot())) {
      if (!told.empty()) lead_logger.info("the lead is free");
      return true;
    }
    if (got.answer == ledger::lead_answer::somebody && got.holder != told) {
      told = got.holder;
      lead_logger.info("another argosyd leads; waiting until it ends", logging::kv("holder", told));
    }
    std::this_thread::sleep_for(pause);
  }
  return false;
}

bool another_leads(bus::connection& connection) {
  for (int tries = 0; tries < 6; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(pause);
    if (ask(connection).answer != ledger::lead_answer::nobody) return true;
  }
  return false;
}

}  // namespace argosy::argosyd
