// SPDX-License-Identifier: Apache-2.0
// The fair story is what the log tells about whose jobs start. A queue that has waited for long and
// has less than its share is passed over whenever another that has much more starts a job in whose
// place the waiting one would have fitted. Once in a while that is right; again and again it is
// not. Only jobs that have never run and stand alone are looked at.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::witness {

class fair_story {
 public:
  /// Takes the events of the log in their order.
  void add(const model::event& event);
  /// The jobs that were passed over too often, each in a sentence.
  [[nodiscard]] const std::vector<std::string>& findings() const noexcept { return findings_; }
  /// How often a lease was compared with a job that waited.
  [[nodiscard]] std::uint64_t comparisons() const noexcept { return comparisons_; }

 private:
  struct job_facts {
    std::string queue{};
    std::string priority_class{};
    std::int64_t cpu = 0;
    std::int64_t since_ns = 0;  ///< When it was submitted.
    std::uint32_t passed = 0;   ///< How often it was passed over.
    bool stands_alone = true;
    bool runs = false;
  };
  struct queue_facts {
    double factor = 1;
    bool closed = false;
    std::int64_t cpu = 0;                  ///< What its runs have.
    std::map<ulid, std::int64_t> fresh{};  ///< What the jobs that have never run ask for.
  };

  void submitted(const model::job_header& header, std::int64_t now_ns);
  void leased(const ulid& id, std::int64_t now_ns);
  void ended(const ulid& id);
  void compare(const job_facts& started, const queue_facts& of, std::int64_t now_ns);

  std::map<ulid, job_facts> jobs_;
  std::map<std::string, queue_facts> queues_;
  std::vector<std::string> findings_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace argosy::witness
