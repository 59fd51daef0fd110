// SPDX-License-Identifier: Apache-2.0
// Kubernetes quantities ("500m", "64Mi", "1e3") as whole numbers of a resource's unit, and back.
// Exact: what does not fit the unit is an error, never rounded.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::model {

/// The most that one job may request of a resource, in the resource's unit: 2^50. Below it no sum
/// over the jobs of a round overflows.
inline constexpr std::int64_t request_max = std::int64_t{1} << 50;

/// What an amount counts.
enum class resource_unit : std::uint8_t {
  milli,  ///< Thousandths: cpu.
  byte,   ///< Bytes: memory and disk. Written with binary suffixes.
  piece,  ///< Whole things: GPUs.
};

/// The unit of a resource by its Kubernetes name: cpu is milli; memory, storage, ephemeral-storage
/// and hugepages-* are bytes; everything else is pieces.
[[nodiscard]] resource_unit unit_of(std::string_view resource) noexcept;

/// How many cores, bytes or pieces an amount of 1 of the resource is: 0.001 for cpu, 1 for all
/// others.
[[nodiscard]] double base_units(std::string_view resource) noexcept;

/// `text` as a number of `unit`, 0 to `most`. A decimal number with an optional suffix n, u, m, k,
/// M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or a decimal exponent. ec::invalid_argument, with the
/// text and the fix but without a place, for anything else, negative values, fractions of the unit
/// and values beyond `most`.
[[nodiscard]] result<std::int64_t> parse_quantity(
    std::string_view text, resource_unit unit,
    std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// The shortest exact form that people use: "2", "1500m"; "64Mi", "1000" for bytes.
/// Takes negative amounts too, for differences.
[[nodiscard]] std::string format_quantity(std::int64_t amount, resource_unit unit);

/// Where an amount that has more decimals than are shown goes: what there is goes down and what is
/// asked for goes up, so that two amounts that differ never look equal.
enum class rounding : std::uint8_t { down, up };

/// An amount of 0 or more for people: "1.5 cores", "23.54 GiB", "512 bytes"; whole things as a bare
/// number. Bytes have two decimals at most.
[[nodiscard]] std::string human_amount(std::int64_t amount, resource_unit unit, rounding to);

}  // namespace argosy::model
