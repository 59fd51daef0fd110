// SPDX-License-Identifier: Apache-2.0
// Lets go of calls whose callers keep the server waiting: who opens a call and sends no request, or
// takes nothing of an answer, holds memory for as long as he likes. The pings of a connection do
// not show him, since his machine answers them.
#pragma once

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace argosy::rpc {

class caller_wait;

/// Looks at all calls a few times within the bound, on a thread of its own.
class patience {
 public:
  explicit patience(std::chrono::milliseconds at_most);
  /// All calls must have ended before.
  ~patience();
  patience(const patience&) = delete;
  patience& operator=(const patience&) = delete;

 private:
  friend class caller_wait;
  void look();

  const std::chrono::milliseconds at_most_;
  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable wake_;
  bool ended_ = false;
  std::set<caller_wait*> calls_;
  std::thread thread_;
};

/// The part of one call. It must end before the context does.
class caller_wait {
 public:
  caller_wait(patience& all, ::grpc::ServerContextBase& context);
  ~caller_wait();
  caller_wait(const caller_wait&) = delete;
  caller_wait& operator=(const caller_wait&) = delete;

  /// From now on, and anew if it was before, it is the caller's turn. Called on any thread.
  void begin() noexcept;
  void end() noexcept;

 private:
  friend class patience;

  patience& all_;
  ::grpc::ServerContextBase& context_;
  /// When it began, in ticks of the steady clock; 0: it is not the caller's turn.
  std::atomic<std::chrono::steady_clock::rep> since_{0};
};

}  // namespace argosy::rpc
