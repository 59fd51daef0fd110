// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/ask_calls.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/base/text.hpp"

namespace argosy::kube {

namespace {

constexpr bool is_header_text(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

}  // namespace

result<void> validate(const request& what) {
  constexpr std::string_view verbs[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  if (std::ranges::find(verbs, what.verb) == std::end(verbs))
    return fail(ec::invalid_argument, "'" + shown(what.verb) + "' is no verb of the API");
  const auto is_odd = [](char c) { return c <= ' ' || c > '~' || c == '#'; };
  if (!what.path.starts_with('/') || std::ranges::any_of(what.path, is_odd))
    return fail(ec::invalid_argument, "'" + shown(what.path) +
                                          "' is no path of the API; it begins with a slash, and "
                                          "odd characters are written as %XX");
  if (!is_header_text(what.user) || !is_header_text(what.content_type) ||
      !std::ranges::all_of(what.groups, is_header_text))
    return fail(ec::invalid_argument, "the name of the user '" + shown(what.user) +
                                          "', or of a group of his, holds control characters");
  return {};
}

ask_calls::ask_calls(curl_loop& loop, sender& sends, random_source& random,
                     const https_options& options)
    : loop_(loop), sends_(sends), random_(random), options_(options) {}

void ask_calls::begin(request what, answer_handler done) {
  if (auto good = validate(what); !good) {
    done(fail(std::move(good.error())));
    return;
  }
  if (calls_.size() >= options_.asks_max) {
    done(fail(ec::overloaded, "there are " + std::to_string(options_.asks_max) +
                                  " requests to the API server under way already"));
    return;
  }
  const auto now = loop_.clock().boot();
  if (what.until <= now) {
    done(fail(ec::cancelled, "the request may not be sent any more"));
    return;
  }
  const auto number = ++last_number_;
  const boot_time wanted = what.within.count() > 0 ? what.within : options_.ask_within;
  const auto within = std::min<boot_time>(wanted, what.until - now);
  const auto deadline = now + within;
  const bool safe = what.verb == "GET";
  auto& one = calls_
                  .emplace(number, call{std::move(what), std::move(done),
                                        retry_core{safe, deadline, options_.retries}, deadline})
                  .first->second;
  one.deadline_timer = loop_.after(within, [this, number] { too_late(number); });
  try_once(number);
}

void ask_calls::try_once(std::uint64_t number) {
  auto& one = calls_.at(number);
  one.wait_timer = 0;
  exchange_plan plan{.what = one.what,
                     .within = one.what.within.count() > 0 ? one.what.within : options_.try_within,
                     .answer_bytes_max = options_.answer_bytes_max};
  one.sending = sends_.send(std::move(plan),
                            [this, number](exchange_end end) { tried(number, std::move(end)); });
}

void ask_calls::tried(std::uint64_t number, exchange_end end) {
  auto& one = calls_.at(number);
  one.sending = 0;
  const try_end how{end.status, end.retry_after, end.final};
  if (const auto wait = one.retries.after(how, loop_.clock().boot(), random_)) {
    one.wait_timer = loop_.after(*wait, [this, number] { try_once(number); });
    return;
  }
  if (end.why)
    finish(number, fail(std::move(*end.why)));
  else
    finish(number, answer{end.status, std::move(end.body), end.date});
}

void ask_calls::too_late(std::uint64_t number) {
  const auto& one = calls_.at(number);
  const auto limit = one.what.within.count() > 0 ? one.what.within : options_.ask_within;
  const auto within = std::to_string(limit.count()) + " ms";
  // No try is under way between two of them, and the next would not begin after the deadline.
  const bool sent = one.sending != 0 && !sends_.waits(one.sending);
  if (one.sending != 0) sends_.cancel(one.sending);
  finish(number, sent ? fail(ec::timeout, "the API server did not answer within " + within)
                      : fail(ec::unreachable, "the request could not be sent within " + within +
                                                  ": too many wait for their turn, or for "
                                                  "credentials"));
}

void ask_calls::finish(std::uint64_t number, result<answer> with) {
  auto node = calls_.extract(number);
  auto& one = node.mapped();
  if (one.wait_timer != 0) loop_.forget(one.wait_timer);
  if (one.deadline_timer != 0) loop_.forget(one.deadline_timer);
  one.done(std::move(with));
}

void ask_calls::cancel_all() {
  while (!calls_.empty()) {
    const auto number = calls_.begin()->first;
    if (calls_.begin()->second.sending != 0) sends_.cancel(calls_.begin()->second.sending);
    finish(number, fail(ec::cancelled, "the client of the API server ends"));
  }
}

}  // namespace argosy::kube
