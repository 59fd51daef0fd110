// SPDX-License-Identifier: Apache-2.0
// The output of runs whose pods are gone or going: a file for each container. To make room for
// later ones the oldest are cut down to their ends, first to 64 KiB, then to 4 KiB, so that the
// last words of many runs are there; only then the oldest go. It belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/output/output_saver.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

/// The position in what is kept.
inline constexpr const char* kept_position = "kept";

class kept_output {
 public:
  /// An output is cut down so many times.
  static constexpr std::size_t cuts = 2;

  /// Opens the folder, which is created when something is to be kept; what an earlier agent has
  /// left there is kept on. All files together take at most `bytes_max` bytes, each counting as
  /// 4 KiB at least. An empty path keeps nothing.
  [[nodiscard]] static kept_output open(const std::filesystem::path& folder,
                                        std::uint64_t bytes_max);

  /// What cannot be written is not kept.
  void keep(const saved_output& output);
  [[nodiscard]] bool has(const model::run_key& run) const;
  /// The first lines of outputs that go on stand beside, and count nowhere: they go with their
  /// pods.
  void keep_head(const output_head& head);
  void drop_head(const model::run_key& run, const std::string& container);
  [[nodiscard]] std::vector<output_head> heads() const;
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
  void remove(place at);
  /// The youngest comes last. Returns false if all are as short as can be.
  bool cut_oldest();
  bool cut_if_longer(place at, std::uint64_t bytes_max);
  /// Returns false if that cannot be read or written.
  bool cut(const place& at, std::uint64_t bytes_max);

  std::filesystem::path folder_;
  std::uint64_t bytes_max_ = 0;
  std::map<place, one> all_;
  std::map<std::uint64_t, place> by_age_;
  std::uint64_t used_ = 0;
  std::uint64_t last_age_ = 0;
  std::array<std::uint64_t, cuts> is_cut_{};  ///< Those that are older have been cut.
};

}  // namespace argosy::backends
