// SPDX-License-Identifier: Apache-2.0
// The output of runs whose pods are gone or going: a file for each container. The oldest give way
// to later ones. It belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "runtime/backends/kubernetes/output/output_saver.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

/// The position in what is kept.
inline constexpr const char* kept_position = "kept";

class kept_output {
 public:
  /// Opens the folder, which is created when something is to be kept; what an earlier agent has
  /// left there is kept on. All files together take at most `bytes_max` bytes, each counting as
  /// 4 KiB at least. An empty path keeps nothing.
  [[nodiscard]] static kept_output open(const std::filesystem::path& folder,
                                        std::uint64_t bytes_max);

  /// What cannot be written is not kept.
  void keep(const saved_output& output);
  [[nodiscard]] bool has(const model::run_key& run) const;
  /// Reads that of the container, or of the first one. Fails with ec::not_found, and with
  /// ec::invalid_argument if only some of it is wanted by its time.
  [[nodiscard]] result<model::log_chunk> read(const model::log_request& wanted) const;

 private:
  struct place {
    model::run_key run;
    std::string container;
    auto operator<=>(const place&) const = default;
  };
  struct one {
    std::string name;  ///< That of its file.
    bool first = false;
    bool cut = false;  ///< Only its beginning and its end are there.
    std::uint64_t bytes = 0;
    std::uint64_t age = 0;  ///< Older ones have smaller numbers.
  };

  void note(const place& at, one what);
  void drop(const place& at);

  std::filesystem::path folder_;
  std::uint64_t bytes_max_ = 0;
  std::map<place, one> all_;
  std::map<std::uint64_t, place> by_age_;
  std::uint64_t used_ = 0;
  std::uint64_t last_age_ = 0;
};

}  // namespace argosy::backends
