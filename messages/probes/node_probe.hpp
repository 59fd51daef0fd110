// SPDX-License-Identifier: Apache-2.0
// The node_probe has the figures of the NODEs: how many there are in each state, what they offer,
// and what of it is in use. Since there may be very many nodes, only those in quarantine have time
// series of their own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/ledger/node_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::probes {

/// This says what one node offers to jobs, in the units of the model, and what its runs request.
struct node_amounts {
  model::resource_list offered;
  model::resource_list used;
  bool takes_jobs = false;
  ledger::node_state state = ledger::node_state::gone;
  std::string name{};  ///< The name of the node.

  /// Whether something runs on it.
  [[nodiscard]] bool in_use() const noexcept;

  friend bool operator==(const node_amounts&, const node_amounts&) = default;
};

struct node_probe final : metrics::probe {
  /// Names of clusters are labels. Clusters that come when there are this many are shown together,
  /// as cluster "others".
  static constexpr std::size_t clusters_max = 200;
  /// So many of the nodes in quarantine are shown by name.
  static constexpr std::size_t named_max = 200;

  node_probe() : probe("node") {}

  static constexpr const char* nodes_name = "argosy_nodes";
  static constexpr const char* nodes_help = "Nodes of all clusters by state.";

  metrics::gauge ready{*this, nodes_name, nodes_help, {{"state", "ready"}}};
  metrics::gauge cordoned{*this, nodes_name, nodes_help, {{"state", "cordoned"}}};
  metrics::gauge unready{*this, nodes_name, nodes_help, {{"state", "unready"}}};
  metrics::gauge quarantined{*this, nodes_name, nodes_help, {{"state", "quarantined"}}};
  metrics::gauge silent{*this, nodes_name, nodes_help, {{"state", "silent"}}};
  metrics::gauge gone{*this, nodes_name, nodes_help, {{"state", "gone"}}};

  /// A node of this cluster and pool contributes these amounts from now on.
  void add(const std::string& cluster, const std::string& pool, const node_amounts& node);
  /// It does not any more. They must have been added.
  void remove(const std::string& cluster, const std::string& pool, const node_amounts& node);

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  __extension__ using wide = __int128;

  /// The sums over the nodes of one cluster and pool of one resource. They are wide, since agents
  /// may report any amounts.
  struct sums {
    wide offered = 0;
    wide ready = 0;  ///< The nodes that take new jobs offer so much.
    wide used = 0;
    wide free = 0;            ///< So much is free on the nodes that take new jobs.
    wide broken = 0;          ///< The part of `free` that lies on nodes on which something runs.
    std::uint64_t nodes = 0;  ///< The number of lists in which the resource occurs.
  };
  using place = std::pair<std::string, std::string>;

  /// The sums over the nodes of one cluster and pool.
  struct place_sums {
    std::map<std::string, sums> resources;
    std::array<std::int64_t, 6> states{};  ///< Nodes in the order of ledger::node_state.
  };

  void count(const std::string& cluster, const std::string& pool, const node_amounts& node,
             int sign);
  [[nodiscard]] std::map<place, place_sums> shown_places() const;
  void show_quarantined(metrics::family_list& out) const;
  static void show_fragments(const std::map<place, place_sums>& shown, metrics::family_list& out);

  mutable std::mutex mutex_;
  std::map<place, place_sums> sums_;  ///< Guarded by mutex_.
  /// The nodes in quarantine by cluster, node and pool, and how many shares name each. Guarded by
  /// mutex_.
  std::map<std::array<std::string, 3>, std::int64_t> quarantined_nodes_;
};

/// What one NODE contributes to the figures of all.
class node_share {
 public:
  explicit node_share(metrics::board& board) : whole_(board.get<node_probe>()) {}
  ~node_share();
  node_share(const node_share&) = delete;
  node_share& operator=(const node_share&) = delete;

  void show(const ledger::node_core& core);

 private:
  std::shared_ptr<node_probe> whole_;
  /// The contributions in the order of ledger::node_state.
  std::array<metrics::portion, 6> by_state_{
      metrics::portion{whole_->ready},   metrics::portion{whole_->cordoned},
      metrics::portion{whole_->unready}, metrics::portion{whole_->quarantined},
      metrics::portion{whole_->silent},  metrics::portion{whole_->gone}};
  bool counted_ = false;  ///< Whether the sums have what is below.
  std::string cluster_;
  std::string pool_;
  node_amounts shown_;
};

}  // namespace argosy::probes
