// SPDX-License-Identifier: Apache-2.0
// Keeps the parts of hellos that are too long for one frame until their last part has come. The
// GATEWAY of the agents owns it.
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
  /// How many unfinished hellos one cluster may have. One more drops the one whose last part is the
  /// oldest.
  std::size_t per_cluster = 2;
  /// How many encoded bytes all unfinished hellos may have; far more than any cluster has to say.
  std::size_t bytes_max = 64 * 1024 * 1024;
  /// A hello without a further part for this long is forgotten: its agent has given up.
  boot_time age_max = std::chrono::seconds{30};
};

class hello_parts {
 public:
  explicit hello_parts(hello_limits limits = {}) : limits_(limits) {}

  /// Adds a part. Returns the hello when this was its last part, and nothing before. The first part
  /// of another hello of the same agent drops one that is not complete. `bytes` is the size of the
  /// encoded part; `now` comes from a clock that never steps. ec::invalid_argument: the parts
  /// before it are missing. ec::overloaded: there is no room. In both cases the agent has to begin
  /// again. ec::too_large: it is too large alone.
  [[nodiscard]] result<std::optional<model::agent_hello>> add(codec::hello_part part,
                                                              std::size_t bytes, boot_time now);

  /// The bytes of all unfinished hellos, with a share for each hello itself.
  [[nodiscard]] std::size_t open_bytes() const noexcept { return bytes_; }

 private:
  struct open_hello {
    model::agent_hello hello;
    std::uint32_t next = 1;  ///< The number of the part that is awaited.
    std::size_t bytes = 0;
    boot_time last_at{};  ///< When the last of the parts came that are here.
  };
  /// The unfinished hellos of one cluster by incarnation.
  using agent_map = std::map<model::incarnation, open_hello>;

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
