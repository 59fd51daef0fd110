// SPDX-License-Identifier: Apache-2.0
// Knows the history of the log in which this process leads, for tokens with which callers go on
// later. ROOT writes it when a claim is in the log; it may be read on any thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/eventlog/log_load.hpp"
#include "runtime/model/lineage.hpp"

namespace argosy::actors {

class lineage_board {
 public:
  using lineage_ptr = std::shared_ptr<const model::lineage>;

  explicit lineage_board(std::shared_ptr<const eventlog::log_load> load) : load_(std::move(load)) {}

  void set(model::lineage all) {
    auto next = std::make_shared<const model::lineage>(std::move(all));
    const std::scoped_lock lock{guard_};
    all_ = std::move(next);
  }
  [[nodiscard]] lineage_ptr all() const {
    const std::scoped_lock lock{guard_};
    return all_;
  }
  /// The last position that is durable and applied.
  [[nodiscard]] model::log_position position() const { return load_->position(); }
  [[nodiscard]] model::log_place now() const { return all()->place_at(position()); }

 private:
  const std::shared_ptr<const eventlog::log_load> load_;
  mutable std::mutex guard_;
  lineage_ptr all_ = std::make_shared<const model::lineage>();
};

}  // namespace argosy::actors
