// SPDX-License-Identifier: Apache-2.0
// Decides when a caller may be sent more. A server between the two keeps what a caller asks for and
// never reads, so that whoever asks for much would fill its memory, and keep this program at work
// that nobody wants. Each caller is sent bytes at a rate, of which the first come at once. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace argosy::border {

/// What one caller is sent by answers and by items of streams, together. By these values a server
/// keeps less than half of access::max_pending_line of it before it closes who does not read.
struct answer_rate {
  std::uint64_t bytes_per_second = std::uint64_t{32} << 20;
  std::chrono::seconds at_once{2};  ///< What so many seconds bring is sent at once.
};

class answer_rate_core {
 public:
  using duration = std::chrono::nanoseconds;

  explicit answer_rate_core(const answer_rate& rate) noexcept : rate_(rate) {}

  /// How long after `now`, a time of any clock that does not go back, the caller may be sent more.
  /// Zero is now, and then it may be as much as it is.
  [[nodiscard]] duration wait(const std::string& caller, duration now) const {
    const auto found = paid_until_.find(caller);
    return found == paid_until_.end() ? duration{0}
                                      : std::max(found->second - rate_.at_once - now, duration{0});
  }
  /// The caller is sent so many bytes.
  void sent(const std::string& caller, std::uint64_t bytes, duration now) {
    forget_before(now);
    auto& until = paid_until_.try_emplace(caller, now).first->second;
    until = std::max(until, now) +
            std::chrono::duration_cast<duration>(std::chrono::duration<double>{
                static_cast<double>(bytes) / static_cast<double>(rate_.bytes_per_second)});
  }
  /// How many callers are known: those who were sent something that their rate has not paid yet.
  [[nodiscard]] std::size_t callers() const noexcept { return paid_until_.size(); }

 private:
  /// Looks at all callers once a second at most.
  void forget_before(duration now) {
    if (now < forgotten_ + std::chrono::seconds{1}) return;
    forgotten_ = now;
    std::erase_if(paid_until_, [&](const auto& each) { return each.second <= now; });
  }

  const answer_rate rate_;
  /// By caller: when what he was sent would have come at his rate.
  std::map<std::string, duration> paid_until_;
  duration forgotten_{};
};

}  // namespace argosy::border
