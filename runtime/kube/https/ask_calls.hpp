// SPDX-License-Identifier: Apache-2.0
// The single requests of a client that are under way. It belongs to the thread of the loop.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "runtime/base/random.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/https_options.hpp"
#include "runtime/kube/https/retry_core.hpp"
#include "runtime/kube/https/sender.hpp"

namespace argosy::kube {

class ask_calls {
 public:
  /// All must outlive it.
  ask_calls(curl_loop& loop, sender& sends, random_source& random, const https_options& options);

  void begin(request what, answer_handler done);
  /// Answers all that are under way.
  void cancel_all();

 private:
  struct call {
    request what;
    answer_handler done;
    retry_core retries;
    boot_time deadline;
    std::uint64_t sending = 0;
    std::uint64_t wait_timer = 0;
    std::uint64_t deadline_timer = 0;
  };

  void try_once(std::uint64_t number);
  void tried(std::uint64_t number, exchange_end end);
  void too_late(std::uint64_t number);
  void finish(std::uint64_t number, result<answer> with);

  curl_loop& loop_;
  sender& sends_;
  random_source& random_;
  const https_options& options_;
  std::unordered_map<std::uint64_t, call> calls_;
  std::uint64_t last_number_ = 0;
};

/// ec::invalid_argument for a request that cannot be put into HTTP as it is.
[[nodiscard]] result<void> validate(const request& what);

}  // namespace argosy::kube
