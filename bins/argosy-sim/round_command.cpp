// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-sim/round_command.hpp"

#include <openssl/evp.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snap1.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/settings/scheduling_config.hpp"

namespace argosy::sim {

namespace {

std::string sha256(const std::string& data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1)
    return {};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += digits[hash[i] >> 4];
    text += digits[hash[i] & 15];
  }
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Where the decisions of an input are written. In a folder each input has a file of its own.
std::filesystem::path decisions_path(const round_options& options, const std::string& file) {
  std::filesystem::path out(options.decisions);
  std::error_code problem;
  if (options.files.size() > 1 || std::filesystem::is_directory(out, problem)) {
    out /= std::filesystem::path(file).stem();
    out += ".dec";
  }
  return out;
}

/// Refuses inputs of the same name in two folders, since only the decisions of the last would
/// remain.
result<void> check_decisions(const round_options& options) {
  if (options.decisions.empty()) return {};
  std::map<std::filesystem::path, std::string> inputs;
  for (const auto& file : options.files) {
    const auto out = decisions_path(options, file);
    const auto [at, added] = inputs.emplace(out, file);
    if (!added)
      return fail(ec::invalid_argument, "the decisions of '" + at->second + "' and '" + file +
                                            "' would both go to '" + out.string() +
                                            "'; rename one, or decide them apart");
  }
  return {};
}

result<void> write_decisions(const round_options& options, const std::string& file,
                             const std::string& text) {
  const auto out = decisions_path(options, file);
  std::error_code problem;
  if (options.files.size() > 1) std::filesystem::create_directories(out.parent_path(), problem);
  std::ofstream stream(out, std::ios::binary);
  if (!stream || !(stream << text) || !stream.flush())
    return fail(ec::invalid_argument, "cannot write '" + out.string() + "'");
  return {};
}

/// The configuration BENCH under a preset, or that of a file, which names its own preset.
result<scheduling::config> base_config(const round_options& options) {
  if (options.config.empty()) {
    const auto preset = scheduling::parse_preset(options.preset);
    if (!preset) return fail(preset.error());
    return scheduling::bench_config(*preset);
  }
  const auto text = settings::read_file(options.config);
  if (!text) return fail(text.error());
  const auto section = settings::load_scheduling(*text, options.config);
  if (!section) return fail(section.error());
  return settings::to_config(*section, scheduling::snap1_pool);
}

result<void> run_file(const round_options& options, const scheduling::config& conf,
                      const std::string& file) {
  const auto load_start = std::chrono::steady_clock::now();
  // There is no limit, since snapshots of large worlds have gigabytes.
  auto text = settings::read_file(file, std::numeric_limits<std::uint64_t>::max());
  if (!text) return fail(std::move(text.error()));
  auto world = scheduling::read_snap1(*text, conf);
  if (!world) return fail(world.error().code, file + ": " + world.error().detail);
  text->clear();
  text->shrink_to_fit();
  nlohmann::ordered_json out;
  const auto& from = world->jobs_and_nodes;
  out["file"] = file;
  out["nodes"] = from.node_count();
  out["queues"] = from.queue_count();
  out["running"] = from.running_count();
  out["queued"] = from.queued_count();
  out["load_seconds"] = seconds_since(load_start);
  scheduling::plan decided;
  auto& seconds = out["round_seconds"] = nlohmann::ordered_json::array();
  for (unsigned i = 0; i < std::max(1u, options.repeat); ++i) {
    decided = {};
    const auto start = std::chrono::steady_clock::now();
    decided = scheduling::schedule(from, world->conf, world->params);
    seconds.push_back(seconds_since(start));
  }
  std::uint64_t skipped = 0;
  for (const auto& skip : decided.skips)
    if (skip.shape != scheduling::none) skipped += skip.jobs;
  out["scheduled"] = decided.leases.size();
  out["rescheduled"] = decided.rescheduled;
  out["preempted"] = decided.preemptions.size();
  // Members of an incomplete gang had no turn and do not count.
  std::uint64_t failed = 0;
  for (const auto& refused : decided.refusals)
    if (refused.code != scheduling::reason::gang_incomplete) failed += refused.jobs;
  out["failed"] = failed;
  out["skipped"] = skipped;
  out["peak_rss_bytes"] = peak_rss_bytes();
  const auto lines = scheduling::decisions(*world, decided);
  out["decisions_sha256"] = sha256(lines);
  if (!decided.error.empty()) out["error"] = decided.error;
  if (!decided.violation.empty()) out["violation"] = decided.violation;
  // Names come from a file and need not be UTF-8.
  std::cout << out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
            << std::endl;
  if (options.refusals) {
    for (const auto& refused : decided.refusals) {
      const auto counts = scheduling::explain(from, world->conf, world->params.pool,
                                              from.job_id(refused.job_index));
      std::cerr << world->job_name(from.job_id(refused.job_index)) << ": "
                << scheduling::render(from, refused);
      if (refused.jobs > 1) std::cerr << " (and " << refused.jobs - 1 << " more like it)";
      std::cerr << '\n';
      for (const auto& why : counts.causes)
        std::cerr << "  " << scheduling::sentence(why, world->conf) << '\n';
    }
  }
  if (options.decisions.empty()) return {};
  return write_decisions(options, file, lines);
}

}  // namespace

int run_rounds(const round_options& options) {
  auto conf = base_config(options);
  if (!conf) {
    std::cerr << "argosy-sim: " << conf.error().detail << '\n';
    return 2;
  }
  if (options.protected_fraction) conf->protected_fraction = *options.protected_fraction;
  if (options.lookback) conf->max_lookback = *options.lookback;
  if (auto ok = check_decisions(options); !ok) {
    std::cerr << "argosy-sim: " << ok.error().detail << '\n';
    return 2;
  }
  int code = 0;
  for (const auto& file : options.files) {
    if (auto ok = run_file(options, *conf, file); !ok) {
      std::cerr << "argosy-sim: " << ok.error().detail << '\n';
      code = 2;
    }
  }
  return code;
}

}  // namespace argosy::sim
