// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/hand_over.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "actors/standby/lead_answers.hpp"
#include "messages/probes/standby_probe.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger over_logger{"argosyd"};

constexpr std::chrono::milliseconds limit{500};
constexpr std::chrono::milliseconds step{10};

}  // namespace

void hand_over_wish::set(const std::string& heir) {
  const std::lock_guard lock{mutex_};
  heir_ = heir;
}

std::optional<std::string> hand_over_wish::heir() const {
  const std::lock_guard lock{mutex_};
  return heir_;
}

void hand_over(const std::shared_ptr<bus::connection>& connection, ledger::leader_standing last,
               const hand_over_wish& wish, metrics::board& board) {
  const auto waiting = board.get<probes::standby_probe>(system_clock_source());
  const auto others = waiting->all().size();
  if (others == 0) return;
  last.is_over = true;
  last.heir = wish.heir().value_or(std::string{});
  const auto answers = std::make_shared<std::atomic<std::size_t>>(0);
  const auto tell = [last, answers]() -> std::optional<ledger::leader_standing> {
    ++*answers;
    return last;
  };
  const auto answering = actors::answer_as_leader(connection, {tell}, waiting);
  for (auto waited = limit.zero(); answering && waited < limit && *answers < others; waited += step)
    std::this_thread::sleep_for(step);
  over_logger.info("those that wait know that this process leads no more",
                   logging::kv("told", answers->load()));
}

}  // namespace argosy::argosyd
