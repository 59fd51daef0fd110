// SPDX-License-Identifier: Apache-2.0
// The link between clients and the API server of the tests, request by request: it can hold
// requests or answers back, end them without an answer, or slow them down, by verb and path and
// until it is mended. Whole connections are disturbed by tests/support/proxy instead. All functions
// are safe to call from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tests/support/kube/kube_request.hpp"

namespace argosy::testing {

enum class link_fault : std::uint8_t {
  none,          ///< Only the delay counts.
  hold_request,  ///< It reaches the cluster when the link is mended. A watch brings nothing.
  hold_answer,   ///< The cluster does what it asks for, and the answer waits.
  drop_request,  ///< It never reaches the cluster, and its connection ends.
  drop_answer,   ///< The cluster does what it asks for, and the connection ends.
};

/// What happens to requests with this verb ("WATCH" for watches) whose path has this part; an empty
/// text stands for all.
struct link_rule {
  std::string verb{};
  std::string part{};
  link_fault fault = link_fault::hold_request;
  std::chrono::milliseconds delay{0};  ///< Answers come so much later.
};

class cluster_link {
 public:
  /// Returns a number for mend().
  std::uint64_t disturb(link_rule rule);
  void mend(std::uint64_t rule);
  /// Ends all disturbances.
  void mend();

  /// Waits as the rules say. Returns false if the connection has to end instead.
  [[nodiscard]] bool carry_request(const kube_request& what);
  [[nodiscard]] bool carry_answer(const kube_request& what);
  /// Nothing waits from now on, and no connection goes on.
  void end();

 private:
  [[nodiscard]] bool carry(const kube_request& what, link_fault hold, link_fault drop);
  [[nodiscard]] bool has(const kube_request& what, link_fault fault) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, link_rule> rules_;
  std::uint64_t last_ = 0;
  bool ended_ = false;
};

}  // namespace argosy::testing
