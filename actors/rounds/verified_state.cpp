// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/verified_state.hpp"

#include <future>
#include <system_error>
#include <utility>

namespace argosy::actors {

namespace {

/// Decides on a thread of its own; nothing if there is none to be had.
template <class Decide>
std::future<scheduling::plan> decide_apart(Decide decide) {
  try {
    return std::async(std::launch::async, std::move(decide));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace

scheduling::round_params with_draws_of(const scheduling::plan& plan,
                                       scheduling::round_params params) {
  params.draws_end = {};
  params.draw_limit = plan.draw_limit;
  return params;
}

verified_state::outcome verified_state::decide(
    const scheduling::snapshot& from, const std::shared_ptr<const scheduling::config>& conf,
    const scheduling::round_params& params) {
  ++rounds_;
  const auto before = kept_.made_anew();
  const bool is_twice = is_verified();
  // If time may end the draws, their number is known only when they are over.
  const bool is_timed = params.draws_end != nullptr;
  std::future<scheduling::plan> second;
  if (is_twice && !is_timed)
    second = decide_apart([&] { return scheduling::schedule(from, *conf, params); });
  outcome out;
  out.plan = kept_.decide(from, conf, params);
  out.made_anew = kept_.made_anew() != before;
  if (!is_twice) return out;
  auto whole =
      is_timed ? scheduling::schedule(from, *conf, with_draws_of(out.plan, params)) : second.get();
  if (scheduling::decide_alike(whole, out.plan)) return out;
  kept_.clear();
  out.differed = true;
  out.plan = std::move(whole);
  return out;
}

}  // namespace argosy::actors
