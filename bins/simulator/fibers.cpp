// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/fibers.hpp"

#include <cxxabi.h>
#include <ucontext.h>

#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/trace/context.hpp"

namespace argosy::sim {

namespace {

constexpr std::size_t stack_bytes = 512u << 10;

/// The pool of which a job runs on this thread; makecontext() cannot hand it on.
thread_local fiber_pool* running = nullptr;

/// The state that the C++ runtime and tracing keep for a thread. Each fiber has its own.
struct thread_part {
  abi::__cxa_eh_globals* exceptions = abi::__cxa_get_globals();
  struct globals {
    void* caught;
    unsigned int uncaught;
  };
  globals kept = *reinterpret_cast<globals*>(exceptions);
  trace::detail::thread_context here = trace::detail::here;

  void put_back() const {
    *reinterpret_cast<globals*>(exceptions) = kept;
    trace::detail::here = here;
  }
};

}  // namespace

struct fiber_pool::fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack{};
  std::function<void()> job{};
  std::size_t owner = 0;
  std::uint64_t turn = 0;
  bool parked = false;
  bool ended = false;  ///< Its machine was killed while it was parked.
};

fiber_pool::fiber_pool() : outside_(std::make_unique<fiber>()) {}

fiber_pool::~fiber_pool() {
  // A parked job's stack has objects that nobody would destroy.
  for (const auto& one : all_) ARGOSY_CHECK(!one->parked);
}

void fiber_pool::body() {
  auto& pool = *running;
  for (;;) {
    auto& me = *pool.current_;
    try {
      me.job();
    } catch (const machine_killed&) {
    }
    me.job = nullptr;
    pool.idle_.push_back(&me);
    swapcontext(&me.context, &pool.outside_->context);
  }
}

void fiber_pool::enter(fiber& one) {
  ARGOSY_CHECK(current_ == nullptr);
  const thread_part outer;
  auto* const before = std::exchange(running, this);
  current_ = &one;
  swapcontext(&outside_->context, &one.context);
  current_ = nullptr;
  running = before;
  outer.put_back();
}

void fiber_pool::run(std::size_t owner, std::function<void()> job) {
  if (is_inside()) return job();
  if (idle_.empty()) {
    auto& made = *all_.emplace_back(std::make_unique<fiber>());
    made.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    getcontext(&made.context);
    made.context.uc_stack.ss_sp = made.stack.get();
    made.context.uc_stack.ss_size = stack_bytes;
    made.context.uc_link = nullptr;
    makecontext(&made.context, &fiber_pool::body, 0);
    idle_.push_back(&made);
  }
  auto& chosen = *idle_.back();
  idle_.pop_back();
  chosen.owner = owner;
  chosen.ended = false;
  chosen.job = std::move(job);
  enter(chosen);
}

void fiber_pool::park(const std::function<void(ticket)>& arrange) {
  ARGOSY_CHECK(is_inside());
  auto& me = *current_;
  me.parked = true;
  arrange({&me, ++me.turn});
  const thread_part own;
  swapcontext(&me.context, &outside_->context);
  own.put_back();
  me.parked = false;
  if (me.ended) throw machine_killed{};
}

void fiber_pool::resume(const ticket& which) {
  if (which.who->parked && which.who->turn == which.turn) enter(*which.who);
}

void fiber_pool::end_all(std::size_t owner) {
  // An ending job may make others, but no new one of its owner waits any more.
  for (std::size_t i = 0; i < all_.size(); ++i) {
    auto& one = *all_[i];
    if (!one.parked || one.owner != owner) continue;
    one.ended = true;
    enter(one);
  }
}

}  // namespace argosy::sim
