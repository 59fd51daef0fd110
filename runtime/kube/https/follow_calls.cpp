// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/follow_calls.hpp"

#include <utility>
#include <variant>

namespace argosy::kube {

namespace {

struct teller {
  follower& to;

  void operator()(told_list& list) const { to.listed(std::move(list.objects)); }
  void operator()(told_change& change) const { to.changed(change.how, std::move(change.object)); }
  void operator()(const told_resumption&) const { to.resumed(); }
  void operator()(const error& why) const { to.interrupted(why); }
};

constexpr int good = 200;

const char* verb_of(follow_step::kind what) {
  return what == follow_step::kind::list ? "list" : "watch";
}

}  // namespace

void follower_gate::tell(notice what) {
  pass([&](follower& to) { std::visit(teller{to}, what); });
}

void follower_gate::close(bool on_thread_of_calls) {
  open_ = false;
  // A call that began before holds the mutex.
  if (on_thread_of_calls) return;
  const std::lock_guard wait{calls_};
}

follow_calls::follow_calls(curl_loop& loop, sender& sends, random_source& random,
                           const https_options& options)
    : loop_(loop), sends_(sends), random_(random), options_(options) {}

void follow_calls::begin(std::uint64_t number, const std::string& collection,
                         std::shared_ptr<follower_gate> to) {
  auto& one =
      calls_
          .emplace(number, call{follow_core{collection, options_.follows, random_}, std::move(to)})
          .first->second;
  take(number, one.core.begin());
}

void follow_calls::end(std::uint64_t number) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  stop(found->second);
  calls_.erase(found);
}

void follow_calls::stop(call& one) {
  if (one.sending != 0) sends_.cancel(std::exchange(one.sending, 0));
  if (one.timer != 0) loop_.forget(std::exchange(one.timer, 0));
  one.next.reset();
  one.away = false;
}

void follow_calls::begin_anew(const error& why) {
  for (auto& [number, one] : calls_) {
    stop(one);
    auto effects = one.core.begin_anew(why);
    tell(one, std::move(effects.tell));
    take(number, std::move(*effects.next));
  }
}

void follow_calls::take(std::uint64_t number, follow_step step) {
  auto& one = calls_.at(number);
  one.planned = std::move(step);
  if (one.planned.after.count() == 0)
    send(number);
  else
    one.timer = loop_.after(one.planned.after, [this, number] { send(number); });
}

void follow_calls::answered() {
  for (auto& [number, one] : calls_) {
    if (one.timer == 0 || !std::exchange(one.away, false)) continue;
    loop_.forget(one.timer);
    send(number);
  }
}

void follow_calls::send(std::uint64_t number) {
  auto& one = calls_.at(number);
  const auto& step = one.planned;
  one.timer = 0;
  exchange_plan plan{.what = {.path = step.path},
                     .within = options_.try_within,
                     .answer_bytes_max = options_.answer_bytes_max};
  if (step.what == follow_step::kind::watch) {
    plan.stream = [this, number](std::string_view bytes) { return watched(number, bytes); };
    plan.opened = [this, number] { opened(number); };
    plan.silence_max = options_.watch_silence_max;
  }
  one.to->pass([&](follower& to) { to.asked(verb_of(step.what)); });
  one.sending = sends_.send(std::move(plan), [this, number, what = step.what](exchange_end end) {
    ended(number, what, std::move(end));
  });
}

void follow_calls::opened(std::uint64_t number) {
  auto& one = calls_.at(number);
  one.to->pass([](follower& to) {
    to.answered(verb_of(follow_step::kind::watch), answer{good});
    to.heard();
  });
  tell(one, one.core.watch_opened().tell);
  answered();
}

bool follow_calls::watched(std::uint64_t number, std::string_view bytes) {
  auto& one = calls_.at(number);
  auto effects = one.core.watched(bytes);
  one.next = std::move(effects.next);
  one.to->pass([&](follower& to) {
    if (effects.failed)
      to.answered(verb_of(follow_step::kind::watch), answer{*effects.failed});
    else
      to.heard();
  });
  tell(one, std::move(effects.tell));
  return !one.next;
}

void follow_calls::ended(std::uint64_t number, follow_step::kind what, exchange_end end) {
  auto& one = calls_.at(number);
  one.sending = 0;
  if (one.next) {
    take(number, *std::exchange(one.next, std::nullopt));
    return;
  }
  if (end.status != 0) answered();
  tell_end(one, what, end);
  const bool listed = what == follow_step::kind::list && end.status == good && !end.why;
  follow_effects effects;
  if (listed) {
    effects = one.core.page(end.body);
  } else {
    const follow_end how{.status = end.status,
                         .body = std::move(end.body),
                         .retry_after = end.retry_after,
                         .why = std::move(end.why),
                         .lasted = end.lasted};
    one.away = how.is_away();
    effects =
        what == follow_step::kind::list ? one.core.list_failed(how) : one.core.watch_ended(how);
  }
  tell(one, std::move(effects.tell));
  if (effects.next) take(number, std::move(*effects.next));
}

void follow_calls::tell_end(const call& one, follow_step::kind what, const exchange_end& end) {
  const bool listed = what == follow_step::kind::list;
  // A watch was answered when it was opened, and ends as it should.
  if (!listed && end.status == good && !end.why) return;
  one.to->pass([&](follower& to) {
    to.answered(verb_of(what), end.why ? result<answer>{fail(*end.why)} : answer{end.status});
    if (listed && end.status == good && !end.why) to.heard();
  });
}

void follow_calls::tell(const call& one, std::vector<notice> what) {
  // The call itself stays until the loop runs what a follower posts.
  for (auto& each : what) one.to->tell(std::move(each));
}

}  // namespace argosy::kube
