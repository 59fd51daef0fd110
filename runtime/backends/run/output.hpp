// SPDX-License-Identifier: Apache-2.0
// The output of a run on disk: its beginning in the file `output`, and its end in further files,
// each named by the number of bytes that the command had written before it, as `output.70000`. The
// shim writes them; what lies between two of them was not kept, because of the limit or of a full
// disk. Beside each stands which of its bytes are of stderr, as turns.hpp says, in `turns` or
// `turns.70000`; without that file all are of stdout. Whoever reads names bytes as the command
// wrote them, so that an offset stays true.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

struct output_part {
  std::uint64_t start = 0;  ///< How many bytes the command had written before it.
  std::uint64_t size = 0;
};

/// The name of the file with the part that starts there.
[[nodiscard]] std::string output_part_name(std::uint64_t start);

/// The name of the file with the turns of that part.
[[nodiscard]] std::string turns_name(std::uint64_t start);

/// The parts of the run in this folder, in their order. Parts that go meanwhile are left out.
[[nodiscard]] std::vector<output_part> output_parts(const std::filesystem::path& folder);

/// Reads up to `size_max` bytes from `offset` on. If the bytes there were not kept, `data` is a
/// line that says how many, and `next_offset` is behind them; its size is never the difference of
/// the offsets, by which it can be told from output. `written`: how many bytes the command has
/// written in all, if it has ended and that is known, otherwise 0. `end` says that nothing is kept
/// behind what was read.
[[nodiscard]] result<model::log_chunk> read_output(const std::filesystem::path& folder,
                                                   std::uint64_t offset, std::uint32_t size_max,
                                                   std::uint64_t written);

}  // namespace argosy::backends
