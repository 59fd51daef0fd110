// SPDX-License-Identifier: Apache-2.0
// Callers over HTTP of whom it is not known yet who they are. A bounded number of them waits, by
// address and in all; who is known at once needs no place.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/border/address_block.hpp"
#include "runtime/border/places_core.hpp"
#include "runtime/rpc/caller.hpp"

namespace argosy::rpc {

class unknown_callers {
 public:
  unknown_callers(admit_function admit, std::size_t places, std::size_t of_each)
      : admit_(std::move(admit)), places_(places, of_each) {}

  /// Waits until it is known who calls, for the time of a check of passwords or of a question to
  /// others.
  [[nodiscard]] admission known(const caller& who) {
    const auto block = border::address_block::of_peer(who.peer);
    const bool has_place = enter(block);
    auto told = std::make_shared<std::promise<admission>>();
    auto answer = told->get_future();
    admit_(who, [told](admission what) { told->set_value(std::move(what)); });
    const auto is_known = [&](std::chrono::milliseconds span) {
      return answer.wait_for(span) == std::future_status::ready;
    };
    const bool may_wait = has_place || is_known(at_once);
    while (may_wait && !stopped_ && !is_known(look_for_end_every)) continue;
    if (has_place) leave(block);
    if (!may_wait)
      return {
          admission::kind::busy, "too many callers wait to be let in; try again in a second", {}};
    if (!is_known(at_once)) return {admission::kind::broken, "the server stops", {}};
    return answer.get();
  }

  /// Nobody waits any more.
  void stop() noexcept { stopped_ = true; }

 private:
  static constexpr std::chrono::milliseconds at_once{0};
  static constexpr std::chrono::milliseconds look_for_end_every{200};

  bool enter(const border::address_block& block) {
    const std::scoped_lock lock{guard_};
    return places_.enter(block);
  }
  void leave(const border::address_block& block) {
    const std::scoped_lock lock{guard_};
    places_.leave(block);
  }

  const admit_function admit_;
  std::atomic<bool> stopped_{false};
  std::mutex guard_;
  border::places_core places_;
};

}  // namespace argosy::rpc
