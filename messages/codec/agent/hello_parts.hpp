// SPDX-License-Identifier: Apache-2.0
// Hellos that are too long for one frame, until their last part has come. Owned by the GATEWAY of
// the agents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "messages/codec/agent/agent_codec.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"

namespace argosy::codec {

struct hello_limits {
  /// Unfinished ones of a cluster: one more puts out that whose last part is the oldest.
  std::size_t per_cluster = 2;
  /// Of all that is unfinished, as encoded; far more than any cluster has to say.
  std::size_t bytes_max = 64 * 1024 * 1024;
  /// Without a further part for so long, one is forgotten: its agent has given up.
  boot_time age_max = std::chrono::seconds{30};
};

class hello_parts {
 public:
  explicit hello_parts(hello_limits limits = {}) : limits_(limits) {}

  /// The hello when this was its last part; nothing before. The first part of another hello of the
  /// same agent ends one that is not complete. `bytes` is the size of the encoded part; `now` is
  /// of any clock that never steps. ec::invalid_argument: the parts before it are missing, or there
  /// are too many. ec::overloaded: no room. In both cases the agent has to begin again.
  [[nodiscard]] result<std::optional<model::agent_hello>> add(codec::hello_part part,
                                                              std::size_t bytes, boot_time now);

  /// Of what is unfinished, with some for each hello itself.
  [[nodiscard]] std::size_t open_bytes() const noexcept { return bytes_; }

 private:
  struct open_hello {
    model::agent_hello hello;
    std::uint32_t next = 1;  ///< Number of the part that is awaited.
    std::size_t bytes = 0;
    boot_time last_at{};  ///< When its last part came.
  };
  /// Those of one cluster, by incarnation.
  using agent_map = std::map<std::uint64_t, open_hello>;

  void forget(agent_map& agents, agent_map::iterator which);
  void forget_old(boot_time now);
  [[nodiscard]] result<std::optional<model::agent_hello>> add(codec::hello_part part,
                                                              std::size_t bytes, boot_time now,
                                                              agent_map& agents);

  hello_limits limits_;
  std::map<std::string, agent_map> open_;
  std::size_t bytes_ = 0;
};

}  // namespace argosy::codec
