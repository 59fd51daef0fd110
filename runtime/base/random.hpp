// SPDX-License-Identifier: Apache-2.0
// The seam through which randomness enters, so that tests and the simulator can fix it.
#pragma once

#include <cstdint>
#include <random>

namespace argosy {

/// A source of uniformly distributed 64-bit values. Implementations are not thread-safe.
class random_source {
 public:
  virtual ~random_source() = default;
  [[nodiscard]] virtual std::uint64_t next() = 0;
};

/// The same seed gives the same values, on every machine.
class seeded_random final : public random_source {
 public:
  explicit seeded_random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// A source that is seeded by the operating system.
class system_random final : public random_source {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  static std::uint64_t device_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }
  std::mt19937_64 engine_{device_seed()};
};

}  // namespace argosy
