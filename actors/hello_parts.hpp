// SPDX-License-Identifier: Apache-2.0
// Hellos that are too long for one frame, until their last part has come. Owned by the GATEWAY of
// the agents.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "messages/codec/agent_codec.hpp"
#include "runtime/base/result.hpp"

namespace argosy::actors {

class hello_parts {
 public:
  /// The hello when this was its last part; nothing before. The first part of another hello of the
  /// same agent ends one that is not complete. ec::invalid_argument: the parts before it are
  /// missing, or there are too many; the agent has to begin again.
  [[nodiscard]] result<std::optional<model::agent_hello>> add(codec::hello_part part);

 private:
  struct open_hello {
    model::agent_hello hello;
    std::uint32_t next = 1;  ///< Number of the part that is awaited.
  };
  /// By cluster and incarnation.
  std::map<std::string, std::map<std::uint64_t, open_hello>> open_;
};

}  // namespace argosy::actors
