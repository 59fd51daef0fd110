// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/connect_attempt.hpp"

#include <openssl/crypto.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace argosy::bus {

namespace {

using clock = std::chrono::steady_clock;

/// A try that hangs may come back while the process ends. OpenSSL must not have taken itself apart
/// by then, which it does at the end of a process unless it is told so before its first use.
const auto keeps_openssl = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);

/// The tries of this process that were given up and still hang. Each keeps a thread and a socket,
/// so that where many do the next one begins only after a while, or when one of them has ended.
class hanging_tries {
 public:
  static hanging_tries& all() {
    static hanging_tries tries;
    return tries;
  }

  [[nodiscard]] bool may_begin_another() {
    const std::lock_guard lock{mutex_};
    return clock::now() >= next_;
  }
  void add(std::chrono::milliseconds limit) {
    const std::lock_guard lock{mutex_};
    if (++count_ >= many) next_ = clock::now() + count_ * limit;
  }
  void remove() {
    const std::lock_guard lock{mutex_};
    --count_;
    next_ = {};
  }

 private:
  static constexpr int many = 16;

  std::mutex mutex_;
  int count_ = 0;
  clock::time_point next_{};
};

struct attempt {
  nats_options options{nullptr, &natsOptions_Destroy};
  std::shared_ptr<session_reach> reach;
  std::function<bool(nats_session&)> again;
  std::function<error(natsStatus)> explain;

  std::mutex mutex{};
  std::condition_variable ended{};
  std::optional<connected> outcome{};
  bool given_up = false;
};

void try_to_connect(const std::shared_ptr<attempt>& to) {
  connected out;
  const auto asks_again = [&] {
    bool again = false;
    to->reach->run([&](nats_session* session) { again = to->again(*session); });
    return again;
  };
  do out.code = natsConnection_Connect(&out.connection, to->options.get());
  while (out.code != NATS_OK && asks_again());
  if (out.code != NATS_OK) out.why = to->explain(out.code);
  {
    const std::lock_guard lock{to->mutex};
    to->outcome = out;
    to->ended.notify_all();
    if (!to->given_up) return;
  }
  hanging_tries::all().remove();
  if (out.connection == nullptr) return;
  // The library may tell of its end later, on a thread of its own, and even while the process ends:
  // what it then reaches is never destroyed.
  static std::mutex mutex;
  static auto& still_told = *new std::vector<std::shared_ptr<session_reach>>;
  {
    const std::lock_guard lock{mutex};
    still_told.push_back(to->reach);
  }
  natsConnection_Destroy(out.connection);
}

}  // namespace

std::optional<connected> connect_within(std::chrono::milliseconds limit, nats_options options,
                                        const std::shared_ptr<session_reach>& reach,
                                        const std::atomic<bool>& closed,
                                        std::function<bool(nats_session&)> again,
                                        std::function<error(natsStatus)> explain) {
  if (!hanging_tries::all().may_begin_another()) {
    reach->close();
    return std::nullopt;
  }
  const auto made = std::make_shared<attempt>();
  made->options = std::move(options);
  made->reach = reach;
  made->again = std::move(again);
  made->explain = std::move(explain);
  const auto end = clock::now() + limit;
  std::thread trying{[made] { try_to_connect(made); }};
  std::unique_lock lock{made->mutex};
  while (!made->outcome && !closed && clock::now() < end)
    made->ended.wait_for(lock, std::chrono::milliseconds{20});
  const bool in_time = made->outcome.has_value();
  made->given_up = !in_time;
  if (!in_time) hanging_tries::all().add(limit);
  lock.unlock();
  if (in_time) {
    trying.join();
    return made->outcome;
  }
  trying.detach();
  reach->close();
  return std::nullopt;
}

}  // namespace argosy::bus
