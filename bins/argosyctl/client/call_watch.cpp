// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/call_watch.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Most calls are answered before that.
constexpr auto first_look = 300ms;
constexpr auto next_look = 500ms;

}  // namespace

struct call_watch::state {
  struct waiting_call {
    bus::reply_handler done;
    clock::time_point sent_at;
    std::string server;  ///< Who served when it was asked first; empty: that is not known.
    bool lost = false;   ///< Nobody served at some time since, perhaps before it was known.
  };

  explicit state(identity_source ask) : ask_who(std::move(ask)) {}

  void finish(std::uint64_t id, result<bus::frame> outcome) {
    bus::reply_handler done;
    {
      const std::lock_guard lock{mutex};
      auto found = calls.extract(id);
      if (found.empty()) return;
      done = std::move(found.mapped().done);
    }
    done(std::move(outcome));
  }

  /// Somebody or nobody serves, as was asked at `asked_at`.
  void learn(const result<std::string>& who, clock::time_point asked_at) {
    std::vector<bus::reply_handler> gone;
    {
      const std::lock_guard lock{mutex};
      for (auto at = calls.begin(); at != calls.end();) {
        auto& call = at->second;
        const bool before = call.sent_at <= asked_at;
        if (before && !who && who.error().code == ec::no_responders) call.lost = true;
        // A process that is known and serves again was only cut off for a moment.
        const bool over = before && who && (call.server.empty() ? call.lost : call.server != *who);
        if (before && who && call.server.empty()) call.server = *who;
        if (over) {
          gone.push_back(std::move(call.done));
          at = calls.erase(at);
        } else {
          ++at;
        }
      }
    }
    for (const auto& done : gone)
      done(
          fail(ec::unreachable,
               "the server that had the request ended before it answered; another one serves now"));
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool ending = false;
  std::uint64_t last_id = 0;
  std::map<std::uint64_t, waiting_call> calls;
  const identity_source ask_who;
  std::thread looking;  ///< Runs from the first call on.
};

call_watch::call_watch(std::shared_ptr<bus::connection> connection, identity_source ask_who)
    : connection_(std::move(connection)), state_(std::make_shared<state>(std::move(ask_who))) {}

call_watch::~call_watch() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->ending = true;
    state_->changed.notify_all();
  }
  if (state_->looking.joinable()) state_->looking.join();
}

namespace {

template <class State>
void look_after(const std::shared_ptr<State>& shared) {
  auto looked_at = clock::time_point::min();
  std::unique_lock lock{shared->mutex};
  while (!shared->ending) {
    if (shared->calls.empty()) {
      shared->changed.wait(lock);
      continue;
    }
    const auto due = std::max(
        shared->calls.begin()->second.sent_at + first_look,
        looked_at == clock::time_point::min() ? clock::time_point::min() : looked_at + next_look);
    if (clock::now() < due) {
      shared->changed.wait_until(lock, due);
      continue;
    }
    looked_at = clock::now();
    lock.unlock();
    shared->ask_who(
        [shared, looked_at](const result<std::string>& who) { shared->learn(who, looked_at); });
    lock.lock();
  }
}

}  // namespace

void call_watch::request(const std::string& subject, const std::string& data,
                         const bus::headers& with, std::chrono::milliseconds timeout,
                         bus::reply_handler done) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock{state_->mutex};
    id = ++state_->last_id;
    state_->calls.emplace(id, state::waiting_call{std::move(done), clock::now(), {}});
    if (!state_->looking.joinable())
      state_->looking = std::thread{[shared = state_] { look_after(shared); }};
    state_->changed.notify_all();
  }
  connection_->request(subject, data, with, timeout,
                       [shared = state_, id](result<bus::frame> outcome) {
                         shared->finish(id, std::move(outcome));
                       });
}

}  // namespace argosy::ctl
