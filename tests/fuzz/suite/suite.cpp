// SPDX-License-Identifier: Apache-2.0
// Goal: no input makes a decoder crash, hang, take much memory or break what it promises. Method:
// each target gets a fixed number of inputs, which are its seeds after random changes; an input
// that was taken is changed further. The seed follows the commit; ARGOSY_FUZZ_SEED sets it, and
// ARGOSY_FUZZ_INPUTS multiplies the number of inputs. What fails is kept in a file, and its name is
// printed; with that name in ARGOSY_FUZZ_INPUT the target takes this input alone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/mutation.hpp"
#include "tests/fuzz/suite/memory.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {
namespace {

/// No input of a few kilobytes takes so many seconds of a processor.
constexpr int seconds_max = 10;
/// How many inputs that were taken are kept to be changed further.
constexpr std::size_t kept_max = 200;

/// Other inputs with each commit; where there is no git they are always the same.
std::uint64_t chosen_seed() {
  if (const auto* given = std::getenv("ARGOSY_FUZZ_SEED")) return std::strtoull(given, nullptr, 10);
  const std::string git = std::string{ARGOSY_SOURCE_DIR} + "/.git/";
  std::string head;
  std::getline(std::ifstream{git + "HEAD"}, head);
  if (head.starts_with("ref: ")) {
    std::ifstream file{git + head.substr(5)};
    std::getline(file, head);
  }
  return std::strtoull(head.substr(0, 7).c_str(), nullptr, 16) + 1;
}

std::size_t input_count(const target& of) {
  const auto* const given = std::getenv("ARGOSY_FUZZ_INPUTS");
  return of.inputs * (given == nullptr ? 1 : std::strtoull(given, nullptr, 10));
}

// What a signal needs to tell which input was at work.
std::string_view current;
std::array<char, 512> failed_file{};
std::array<char, 512> failed_words{};

void tell(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void tell_input(int signal) {
  const int file = ::open(failed_file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) static_cast<void>(!::write(file, current.data(), current.size()));
  if (signal == SIGPROF) tell("the input takes too long\n");
  tell(failed_words.data());
  std::signal(signal, SIG_DFL);
  ::raise(signal == SIGPROF ? SIGKILL : signal);
}

void expect_failures_of(const target& of, std::uint64_t seed) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("argosy-fuzz-" + of.name + "-" + std::to_string(seed));
  const auto words = "target " + of.name + ", seed " + std::to_string(seed) +
                     "; the input is kept: ARGOSY_FUZZ_INPUT=" + file.string() + "\n";
  std::strncpy(failed_file.data(), file.c_str(), failed_file.size() - 1);
  std::strncpy(failed_words.data(), words.c_str(), failed_words.size() - 1);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) {
    struct sigaction action {};
    action.sa_handler = tell_input;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
  // A stack that has overflowed has no room for the handler.
  static std::array<char, 64 << 10> stack;
  stack_t place{};
  place.ss_sp = stack.data();
  place.ss_size = stack.size();
  ::sigaltstack(&place, nullptr);
}

/// An exception ends the program here, so that the input is told. What is loaded at the first use
/// is not the input's memory.
bool take(const target& by, std::string_view input, bool is_first = false) noexcept {
  current = input;
  const itimerval patience{{}, {seconds_max, 0}};
  ::setitimer(ITIMER_PROF, &patience, nullptr);
  // Reading past the end of what was allocated is seen by sanitizers alone.
  const std::string exact{input};
  count_memory();
  const bool taken = by.take(exact);
  require(is_first || memory_peak() <= by.memory_max + 400 * input.size(),
          "the input takes " + std::to_string(memory_peak()) + " bytes of memory");
  return taken;
}

class decoders : public ::testing::TestWithParam<const target*> {};

TEST_P(decoders, keep_their_promises) {
  const auto& of = *GetParam();
  const auto seed = chosen_seed();
  expect_failures_of(of, seed);
  if (const auto* given = std::getenv("ARGOSY_FUZZ_INPUT")) {
    std::ostringstream input;
    input << std::ifstream{given, std::ios::binary}.rdbuf();
    take(of, input.str());
    return;
  }
  auto seeds = of.seeds();
  for (auto& found : files_in("tests/fuzz/found/" + of.name, "")) seeds.push_back(std::move(found));
  ASSERT_FALSE(seeds.empty());
  for (const auto& each : seeds) take(of, each, true);
  std::size_t taken = 0;
  for (const auto& each : seeds) taken += take(of, each);
  ASSERT_GT(taken, 0u) << "no seed is taken";
  mutator random{of, seed};
  std::vector<std::string> kept;
  const auto count = input_count(of);
  for (std::size_t i = 0; i < count; ++i) {
    const bool from_kept = !kept.empty() && random.below(2) == 0;
    const auto& from =
        from_kept ? kept[random.below(kept.size())] : seeds[random.below(seeds.size())];
    auto input = random.changed(from, seeds);
    if (!take(of, input)) continue;
    ++taken;
    if (kept.size() < kept_max)
      kept.push_back(std::move(input));
    else
      kept[random.below(kept.size())] = std::move(input);
  }
  RecordProperty("taken", static_cast<int>(taken));
}

INSTANTIATE_TEST_SUITE_P(all, decoders, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace argosy::fuzz
