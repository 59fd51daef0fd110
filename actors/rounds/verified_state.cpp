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

verified_state::outcome verified_state::decide(
    const scheduling::snapshot& from, const std::shared_ptr<const scheduling::config>& conf,
    const scheduling::round_params& params) {
  ++rounds_;
  const auto before = kept_.made_anew();
  std::future<scheduling::plan> second;
  if (is_verified())
    second = decide_apart([&] { return scheduling::schedule(from, *conf, params); });
  outcome out;
  out.plan = kept_.decide(from, conf, params);
  out.made_anew = kept_.made_anew() != before;
  if (!second.valid()) return out;
  auto whole = second.get();
  if (scheduling::decide_alike(whole, out.plan)) return out;
  kept_.clear();
  out.differed = true;
  out.plan = std::move(whole);
  return out;
}

}  // namespace argosy::actors
