// SPDX-License-Identifier: Apache-2.0
// This file declares a walk along records of a log that finds where their chain is broken. It is
// pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/recovery/standing.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::view {

class chain_walk {
 public:
  /// Begins where the first batch begins. With `all_signed` every batch has to have a MAC from the
  /// beginning on; otherwise from the first on that has one. Without a key MACs are not looked at.
  chain_walk(const codec::log_key* key, bool all_signed);

  /// Takes the next record, and returns what is wrong with it, in the predicate of a sentence. A
  /// record that is foreign is only counted. After a fault the walk goes on behind the record.
  [[nodiscard]] std::optional<std::string> take(const eventlog::record& record);

  /// The next batch begins a chain.
  void begin_anew() { end_.reset(); }

  /// How the last record stands to the chain.
  [[nodiscard]] standing found() const noexcept { return found_; }
  /// The last batch of the chain; nothing while there was none.
  [[nodiscard]] const std::optional<view_position>& end() const noexcept { return end_; }
  /// The last record, if it was a batch of the chain.
  [[nodiscard]] const model::log_batch* batch() const { return batch_ ? &*batch_ : nullptr; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
  [[nodiscard]] std::uint64_t foreign() const noexcept { return foreign_; }
  /// How many batches had the MAC of the key.
  [[nodiscard]] std::uint64_t authentic() const noexcept { return authentic_; }

 private:
  [[nodiscard]] view_position before(const eventlog::record& record) const;
  void go_to(const eventlog::record& record, judgement found);

  const codec::log_key* key_;
  bool all_signed_;
  standing found_ = standing::no_batch;
  std::optional<view_position> end_;
  std::optional<model::log_batch> batch_;
  std::uint64_t batches_ = 0;
  std::uint64_t foreign_ = 0;
  std::uint64_t authentic_ = 0;
};

}  // namespace argosy::view
