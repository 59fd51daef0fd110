// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/rounds.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/health/family.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/scheduling/snap1.hpp"
#include "runtime/settings/scheduling_config.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger logger{"argosyd"};

std::optional<std::uint64_t> number_of(const std::filesystem::path& file) {
  const auto name = file.stem().string();
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (file.extension() != ".snap" || problem != std::errc{} || end != name.data() + name.size())
    return {};
  return number;
}

/// Numbers of the files that are there, ascending.
std::vector<std::uint64_t> kept(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code problem;
  for (std::filesystem::directory_iterator at{folder, problem}, end; !problem && at != end;
       at.increment(problem))
    if (const auto number = number_of(at->path())) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void keep_round(const std::filesystem::path& folder, const native::round_request& request,
                const scheduling::plan& plan) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  auto numbers = kept(folder);
  const auto next = numbers.empty() ? 1 : numbers.back() + 1;
  const auto path = folder / (std::to_string(next) + ".snap");
  const auto fresh = std::filesystem::path{path}.replace_extension(".new");
  {
    std::ofstream out{fresh, std::ios::binary | std::ios::trunc};
    out << "# " << plan.violation << '\n'
        << scheduling::write_snap1(*request.snapshot, *request.config, request.params);
    if (!out.flush()) problem = std::make_error_code(std::errc::io_error);
  }
  if (!problem) std::filesystem::rename(fresh, path, problem);
  if (problem) {
    logger.error("a round that failed its self-check could not be saved",
                 logging::kv("file", path.string()), logging::kv("error", problem.message()));
    return;
  }
  logger.error("a round failed its self-check; decide it again with argosy-sim round",
               logging::kv("file", path.string()), logging::kv("error", plan.violation));
  numbers.push_back(next);
  for (std::size_t i = 0; i + kept_rounds_max < numbers.size(); ++i)
    std::filesystem::remove(folder / (std::to_string(numbers[i]) + ".snap"), problem);
}

/// Those with settings, and those whose nodes they use.
std::set<std::string> named_pools(const settings::scheduling_settings& settings) {
  std::set<std::string> names;
  for (const auto& pool : settings.pools) {
    names.insert(pool.name);
    names.insert(pool.away_pools.begin(), pool.away_pools.end());
  }
  return names;
}

class round_collector final : public prometheus::Collectable {
 public:
  explicit round_collector(std::shared_ptr<const actors::round_counters> counters)
      : counters_(std::move(counters)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    using health::add_sample;
    auto rounds = health::counter_family(
        "argosy_rounds_total",
        "Rounds by result. Any violation is a fault of the scheduler; see the log for the file.");
    add_sample(rounds, {{"result", "decided"}}, static_cast<double>(counters_->decided));
    add_sample(rounds, {{"result", "failed"}}, static_cast<double>(counters_->failed));
    add_sample(rounds, {{"result", "violation"}}, static_cast<double>(counters_->violations));
    auto leases = health::counter_family("argosy_round_leases_total", "Jobs given a node.");
    add_sample(leases, {}, static_cast<double>(counters_->leases));
    auto lost = health::counter_family("argosy_round_preemptions_total", "Jobs preempted.");
    add_sample(lost, {}, static_cast<double>(counters_->preemptions));
    return {rounds, leases, lost};
  }

 private:
  std::shared_ptr<const actors::round_counters> counters_;
};

}  // namespace

result<actors::round_rules> make_round_rules(const settings::scheduling_settings& settings,
                                             const std::filesystem::path& folder) {
  actors::round_rules rules;
  for (const auto& pool : named_pools(settings)) {
    auto own = settings::to_config(settings, pool);
    if (!own) return fail(own.error());
    rules.pools[pool] = std::make_shared<const scheduling::config>(std::move(*own));
  }
  rules.keep = [folder](const native::round_request& request, const scheduling::plan& plan) {
    keep_round(folder, request, plan);
  };
  return rules;
}

result<void> check_rounds(const settings::scheduling_settings& settings) {
  if (auto all = settings::to_config(settings, ""); !all) return fail(all.error());
  for (const auto& pool : named_pools(settings))
    if (auto own = settings::to_config(settings, pool); !own) return fail(own.error());
  return {};
}

std::shared_ptr<const prometheus::Collectable> round_metrics(
    std::shared_ptr<const actors::round_counters> counters) {
  return std::make_shared<const round_collector>(std::move(counters));
}

}  // namespace argosy::argosyd
