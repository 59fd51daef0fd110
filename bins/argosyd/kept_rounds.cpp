// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/kept_rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <vector>

#include "runtime/backends/run/file.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/scheduling/snap1.hpp"

namespace argosy::argosyd {

namespace {

std::optional<std::uint64_t> number_of(const std::filesystem::path& file) {
  if (file.extension() != ".snap") return std::nullopt;
  return whole_number<std::uint64_t>(file.stem().string());
}

/// The numbers of the files that are there, ascending.
std::vector<std::uint64_t> numbers_in(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code problem;
  for (std::filesystem::directory_iterator at{folder, problem}, end; !problem && at != end;
       at.increment(problem))
    if (const auto number = number_of(at->path())) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

result<std::filesystem::path> kept_rounds::add(const scheduling::snapshot& from,
                                               const scheduling::config& conf,
                                               const scheduling::round_params& params,
                                               const std::string& why) const {
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  auto numbers = numbers_in(folder_);
  const auto next = numbers.empty() ? 1 : numbers.back() + 1;
  const auto path = folder_ / (std::to_string(next) + ".snap");
  const auto text = "# " + one_line(why) + "\n" + scheduling::write_snap1(from, conf, params);
  if (auto written = backends::write_file(path, text, backends::sync_mode::no); !written)
    return fail(ec::denied, std::move(written.error().detail));
  numbers.push_back(next);
  for (std::size_t i = 0; i + limit_ < numbers.size(); ++i)
    std::filesystem::remove(folder_ / (std::to_string(numbers[i]) + ".snap"), problem);
  return path;
}

}  // namespace argosy::argosyd
