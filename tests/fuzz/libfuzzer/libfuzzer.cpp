// SPDX-License-Identifier: Apache-2.0
// The same targets for libFuzzer. ARGOSY_FUZZ_TARGET names the one that takes the inputs. Its seeds
// are written into the folder that is named first among the arguments.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/mutation.hpp"
#include "tests/fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace argosy::fuzz {
namespace {

const target* current = nullptr;
std::vector<std::string> seeds;

const target& named(const char* name) {
  for (const auto* each : targets()) {
    if (name == nullptr)
      std::puts(each->name.c_str());
    else if (each->name == name)
      return *each;
  }
  if (name != nullptr) std::fprintf(stderr, "there is no target '%s'\n", name);
  std::exit(name == nullptr ? 0 : 2);
}

void begin(int count, char** arguments) {
  current = &named(std::getenv("ARGOSY_FUZZ_TARGET"));
  seeds = current->seeds();
  for (auto& found : files_in("tests/fuzz/found/" + current->name, ""))
    seeds.push_back(std::move(found));
  for (int i = 1; i < count; ++i) {
    if (!std::filesystem::is_directory(arguments[i])) continue;
    for (std::size_t n = 0; n < seeds.size(); ++n)
      std::ofstream{std::string{arguments[i]} + "/seed-" + std::to_string(n), std::ios::binary}
          << seeds[n];
    return;
  }
}

}  // namespace
}  // namespace argosy::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  argosy::fuzz::begin(*count, *arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  argosy::fuzz::current->take({reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Half of the changes are libFuzzer's own.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace argosy::fuzz;
  mutator random{*current, seed};
  if (seeds.empty() || random.below(2) == 0) return LLVMFuzzerMutate(data, size, size_max);
  auto out = random.changed({reinterpret_cast<const char*>(data), size}, seeds);
  out.resize(std::min(out.size(), size_max));
  std::copy(out.begin(), out.end(), data);
  return out.size();
}
