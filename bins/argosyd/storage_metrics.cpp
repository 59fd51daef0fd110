// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/storage_metrics.hpp"

#include <string>
#include <utility>
#include <vector>

#include "runtime/health/family.hpp"

namespace argosy::argosyd {

namespace {

class storage_collector final : public prometheus::Collectable {
 public:
  storage_collector(std::shared_ptr<const eventlog::log_load> log, store::database& database)
      : log_(std::move(log)), database_(database) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> out;
    const auto add = [&](const char* name, const char* help, std::uint64_t value) {
      out.push_back(health::gauge_family(name, help));
      health::add_sample(out.back(), {}, static_cast<double>(value));
    };
    add("argosy_log_position", "The last record of the log that is durable and applied.",
        log_->position());
    add("argosy_log_waiting_bytes", "What is decided and not durable yet.", log_->waiting_bytes());
    add("argosy_log_full", "1 while the log refuses records for want of room.",
        log_->full() ? 1 : 0);
    if (const auto room = log_->room(); room.bytes_max > 0) {
      add("argosy_log_bytes", "What the log takes; looked at each minute.", room.bytes);
      add("argosy_log_bytes_max", "What the log may take.", room.bytes_max);
    }
    if (const auto usage = database_.usage()) {
      add("argosy_store_bytes", "What the store takes.", usage->used_bytes);
      add("argosy_store_bytes_max", "What the store may take.", usage->limit_bytes);
    }
    return out;
  }

 private:
  std::shared_ptr<const eventlog::log_load> log_;
  store::database& database_;
};

}  // namespace

std::shared_ptr<const prometheus::Collectable> storage_metrics(
    std::shared_ptr<const eventlog::log_load> log, store::database& database) {
  return std::make_shared<const storage_collector>(std::move(log), database);
}

}  // namespace argosy::argosyd
