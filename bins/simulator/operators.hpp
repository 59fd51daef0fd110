// SPDX-License-Identifier: Apache-2.0
// The operators of a simulated world. They close nodes, clusters and queues and open them again,
// drain, hold, change and forget, each at times that follow from the seed. What they closed is open
// again when they are done.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bins/simulator/agent_machine.hpp"
#include "bins/simulator/control_plane.hpp"
#include "bins/simulator/requester.hpp"

namespace argosy::sim {

enum class act_kind : std::uint8_t {
  cordon_node,
  cordon_cluster,
  drain,
  cordon_queue,
  change_queue,
  hold,
  make_queue,  ///< It is deleted again.
  reload,
  forget_cluster,  ///< Its machine has booted, and its agent comes back afterwards.
};

inline constexpr std::array<std::string_view, 9> act_names{
    "cordon a node",           "cordon a cluster",    "drain",
    "cordon a queue",          "change a queue",      "hold and release",
    "make and delete a queue", "reload the settings", "forget a cluster"};

class operators {
 public:
  /// `around`, the machines and their files of settings outlive it.
  operators(surroundings& around, std::uint64_t seed, std::vector<settings_file*> files,
            std::vector<agent_machine*> agents, std::uint64_t queues);

  /// Acts until then.
  void begin(virtual_time::duration until);
  /// Whether all is open again and every request was answered.
  [[nodiscard]] bool is_served() const noexcept { return open_ == 0 && desk_.is_served(); }
  [[nodiscard]] user_end& end() noexcept { return desk_.end(); }
  [[nodiscard]] const std::map<act_kind, std::uint64_t>& counts() const noexcept { return counts_; }

 private:
  void come(virtual_time::duration until);
  void act();
  void cordon_node();
  void cordon_cluster();
  void drain();
  void cordon_queue();
  void change_queue();
  void hold();
  void make_queue();
  void reload();
  void forget_cluster();
  /// Takes back what was done, after a while.
  void later(std::function<void()> undo);
  /// Sends a request of which only the effect counts, and takes it back a while after its answer.
  void tell(const std::string& method, const google::protobuf::MessageLite& request,
            std::function<void()> undo = {});
  /// Sends this when it is called.
  template <class Request>
  [[nodiscard]] std::function<void()> telling(std::string method, Request request) {
    return
        [this, method = std::move(method), request = std::move(request)] { tell(method, request); };
  }
  [[nodiscard]] std::string any_name() {
    return agent_machine::name_of(1 + chances_.below(agents_.size()));
  }

  surroundings& around_;
  dice chances_;
  const std::vector<settings_file*> files_;
  const std::vector<agent_machine*> agents_;
  const std::uint64_t queues_;
  requester desk_;
  std::map<act_kind, std::uint64_t> counts_;
  std::uint64_t open_ = 0;  ///< Acts that are to be taken back.
  std::uint64_t made_ = 0;
};

}  // namespace argosy::sim
