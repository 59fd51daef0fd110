// SPDX-License-Identifier: Apache-2.0
// Fibers let what blocks in a real process, such as an append to the log, block here as well, while
// one thread runs the whole world: the handler that blocks is parked on a stack of its own, and all
// others go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace argosy::sim {

/// Thrown out of a wait whose machine was killed meanwhile.
struct machine_killed {};

/// Not thread-safe: all of it belongs to the thread that made it.
class fiber_pool {
 public:
  fiber_pool();
  ~fiber_pool();
  fiber_pool(const fiber_pool&) = delete;
  fiber_pool& operator=(const fiber_pool&) = delete;

  struct fiber;
  /// One wait of one fiber.
  struct ticket {
    fiber* who = nullptr;
    std::uint64_t turn = 0;
  };

  /// Runs the job until it ends or is parked; from within a fiber, to its end. A job that ends by
  /// machine_killed has ended.
  void run(std::size_t owner, std::function<void()> job);
  /// Whether this is called from within a job.
  [[nodiscard]] bool is_inside() const noexcept { return current_ != nullptr; }

  /// Parks the job that calls this until resume() is called with the ticket that `arrange` gets.
  /// Throws machine_killed if end_all() was called instead.
  void park(const std::function<void(ticket)>& arrange);
  /// Goes on with the job, unless it does not wait any more. Must not be called from within one.
  void resume(const ticket& which);
  /// Throws in all parked jobs of the owner, one after the other.
  void end_all(std::size_t owner);

 private:
  void enter(fiber& one);
  static void body();

  std::unique_ptr<fiber> outside_;  ///< The thread itself.
  fiber* current_ = nullptr;
  std::vector<std::unique_ptr<fiber>> all_;
  std::vector<fiber*> idle_;
};

}  // namespace argosy::sim
