// SPDX-License-Identifier: Apache-2.0
// This file declares the memory of what rounds did in the last hours. It takes a bounded amount of
// room however long it remembers: what is older is told in coarser spans.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/round_report.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// Up to this age, spans are at most so long. What is older than all ages is forgotten.
struct trend_age {
  std::chrono::nanoseconds age;
  std::chrono::nanoseconds span;
};

struct trend_limits {
  std::vector<trend_age> ages{{std::chrono::minutes{30}, std::chrono::seconds{10}},
                              {std::chrono::hours{6}, std::chrono::minutes{1}},
                              {std::chrono::hours{72}, std::chrono::minutes{10}}};
  /// A span has the shares of so many queues: those that have or want most.
  std::size_t queues_max = 200;
};

/// A round_view owns it and tells it of every round. A restart, or another leader, begins anew.
class round_trends {
 public:
  round_trends() = default;
  explicit round_trends(trend_limits to) : limits_(std::move(to)) {}

  void decided(const model::pool_name& pool, const scheduling::plan& plan, std::int64_t begun_ns,
               std::int64_t duration_ns);
  /// Forgets all other pools.
  void keep_only(const std::vector<model::pool_name>& pools);
  /// By the names of pools.
  [[nodiscard]] std::vector<native::round_trend> all() const;

 private:
  using names = std::map<std::string, std::shared_ptr<const std::string>, std::less<>>;
  struct one_pool {
    std::vector<native::round_span_ptr> spans;
    std::size_t tidied = 0;  ///< How many spans there were after they were made coarser.
    names known;             ///< A queue's name is there once, however many spans have it.
  };

  [[nodiscard]] native::round_span span_of(const scheduling::plan& plan, std::int64_t begun_ns,
                                           std::int64_t duration_ns, names& known) const;

  /// Joins what has become older.
  void make_coarser(one_pool& pool, std::int64_t now_ns) const;

  trend_limits limits_{};
  std::map<model::pool_name, one_pool> pools_;
};

}  // namespace argosy::rounds
