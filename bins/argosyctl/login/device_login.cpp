// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/login/device_login.hpp"

#include <algorithm>

namespace argosy::ctl {

namespace {

using std::chrono::seconds;

/// By so much a provider slows us down that says so, or does not answer (RFC 8628, 3.5).
constexpr seconds slower_by{5};

}  // namespace

result<login_token> log_in(const context& from, const login_world& world) {
  const auto at = find_provider(from, world.fetch);
  if (!at) return fail(at.error());
  const auto code = begin_login(from, *at, world.fetch);
  if (!code) return fail(code.error());
  world.show(*code);
  const auto begin = world.now();
  const auto end = begin + code->good_for.count();
  const auto limit = world.limit ? begin + std::chrono::ceil<seconds>(*world.limit).count() : end;
  auto interval = code->interval;
  while (true) {
    const auto left = std::min(end, limit) - world.now();
    world.wait(std::max(seconds{1}, std::min(interval, seconds{left})));
    if (world.stopped()) return fail(ec::cancelled, "interrupted; you are not logged in");
    const auto got = poll_login(from, *at, *code, world.now(), world.fetch);
    if (!got && got.error().code != ec::unreachable) return fail(got.error());
    if (got && got->state == login_state::done) return got->token;
    if (!got || got->state == login_state::too_fast) interval += slower_by;
    if (world.now() >= end)
      return fail(ec::denied, "the code has expired before it was entered; log in again");
    if (world.now() >= limit)
      return fail(ec::timeout, "the login was not finished within the time (--timeout)");
  }
}

}  // namespace argosy::ctl
