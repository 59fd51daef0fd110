// SPDX-License-Identifier: Apache-2.0
// Keeps pod specs that passed the checks, by the bytes in which they came. One decoder owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/text_hash.hpp"
#include "runtime/access/pods/pod_demands.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// All that a job header takes from its pod spec. It is immutable.
struct checked_pod {
  std::string encoded;  ///< The pod spec with its defaults filled in.
  std::shared_ptr<const model::job_shape> shape;
  /// The hash of the spec as it came, whatever the order of its map entries.
  std::uint64_t content_hash = 0;
  std::int64_t grace_seconds = 0;
  std::int64_t deadline_seconds = 0;
  /// What a policy may not allow. Agents mend what the pod leaves open, which is not in it.
  std::vector<access::pod_demand> demands;
  std::string name{};  ///< That of its first container; empty if that says nothing.
};

/// The cache forgets everything once it holds more than `size_max` bytes. That is cheap, and good
/// enough for submissions, in which equal pod specs follow each other.
class pod_cache {
 public:
  explicit pod_cache(std::size_t size_max) : size_max_(size_max) {}

  [[nodiscard]] std::shared_ptr<const checked_pod> find(std::string_view bytes) const {
    const auto at = pods_.find(bytes);
    return at == pods_.end() ? nullptr : at->second;
  }

  void add(std::string_view bytes, std::shared_ptr<const checked_pod> pod) {
    const auto cost = bytes.size() + pod->encoded.size() + sizeof(checked_pod) +
                      pod->demands.size() * demand_size;
    if (size_ + cost > size_max_) {
      pods_.clear();
      size_ = 0;
    }
    if (pods_.try_emplace(std::string{bytes}, std::move(pod)).second) size_ += cost;
  }

 private:
  /// About what a demand takes with its texts.
  static constexpr std::size_t demand_size = 200;

  text_map<std::string, std::shared_ptr<const checked_pod>> pods_;
  std::size_t size_max_;
  std::size_t size_ = 0;
};

}  // namespace argosy::codec
