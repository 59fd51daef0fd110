// SPDX-License-Identifier: Apache-2.0
// The output of runs whose pods are gone, for a while: a file for each run. It belongs to one
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

struct output_rules {
  boot_time keep = std::chrono::minutes{10};  ///< How long each is kept.
  std::size_t count_max = 1000;
  std::uint64_t bytes_max = std::uint64_t{256} << 20;  ///< For all together.
  std::uint64_t run_bytes_max = std::uint64_t{4} << 20;
};

class kept_output {
 public:
  /// Opens the folder, which is created when something is to be kept. What an earlier agent has
  /// left there is kept as if it had come now. An empty path keeps nothing.
  [[nodiscard]] static kept_output open(const std::filesystem::path& folder,
                                        const output_rules& rules, boot_time now);

  /// What cannot be written is not kept. The oldest go if there is too much.
  void keep(const model::run_key& run, const std::string& output, boot_time now);
  /// Fails with ec::not_found.
  [[nodiscard]] result<model::log_chunk> read(const model::log_request& wanted) const;
  void expire(boot_time now);
  [[nodiscard]] boot_time next_due() const {
    return all_.empty() ? boot_time::max() : all_.front().until;
  }

 private:
  struct one {
    model::run_key run;
    std::uint64_t bytes = 0;
    boot_time until;
  };

  void note(const model::run_key& run, std::uint64_t bytes, boot_time now);
  void drop_first();
  [[nodiscard]] std::filesystem::path path(const model::run_key& run) const;

  std::filesystem::path folder_;
  output_rules rules_;
  std::list<one> all_;  ///< The oldest first.
  std::uint64_t bytes_ = 0;
};

}  // namespace argosy::backends
