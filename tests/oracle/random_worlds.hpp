// SPDX-License-Identifier: Apache-2.0
// This file makes random worlds for tests, and makes a world as small as it can be on which a test
// fails.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/oracle/world_maker.hpp"

namespace argosy::oracle {

/// Returns a seed that differs with each commit. Where there is no git it is always the same.
inline std::uint64_t chosen_seed() {
  if (const auto* given = std::getenv("ARGOSY_ORACLE_SEED"))
    return std::strtoull(given, nullptr, 10);
  const std::string git = std::string(ARGOSY_SOURCE_DIR) + "/.git/";
  std::string head;
  std::getline(std::ifstream(git + "HEAD"), head);
  if (head.starts_with("ref: ")) {
    std::ifstream file(git + head.substr(5));
    std::getline(file, head);
  }
  return std::strtoull(head.substr(0, 7).c_str(), nullptr, 16) + 1;
}

inline int world_count(int usual) {
  const auto* given = std::getenv("ARGOSY_ORACLE_WORLDS");
  return given == nullptr ? usual : std::atoi(given);
}

inline rc::Gen<world_dice> any_dice(breadth how) {
  const auto row = rc::gen::container<dice>(rc::gen::inRange<std::uint8_t>(0, 240));
  const auto rows = [&](std::size_t most) {
    return rc::gen::resize(static_cast<int>(most), rc::gen::container<std::vector<dice>>(
                                                       rc::gen::resize(rc::kNominalSize, row)));
  };
  return rc::gen::build<world_dice>(
      rc::gen::set(&world_dice::rules, rc::gen::resize(rc::kNominalSize, row)),
      rc::gen::set(&world_dice::columns, rc::gen::resize(rc::kNominalSize, row)),
      rc::gen::set(&world_dice::nodes, rows(nodes_most(how))),
      rc::gen::set(&world_dice::queues, rows(4)),
      rc::gen::set(&world_dice::jobs, rows(jobs_most(how) * 3 / 2)));
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += "  " + line + "\n";
  return text;
}

/// Calls check(world) for so many worlds; it says with RC_FAIL what is wrong.
template <class Check>
void check_worlds(kind preset, breadth how, int worlds, Check check) {
  rc::detail::TestParams params;
  params.seed = chosen_seed();
  params.maxSuccess = world_count(worlds);
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(kind_names[static_cast<std::size_t>(preset)]);
  const auto outcome = rc::detail::checkTestable(
      [&] { check(make_world(*any_dice(how), preset, how)); }, metadata, params);
  if (outcome.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(outcome, text);
  FAIL() << "seed " << params.seed << "\n" << text.str();
}

}  // namespace argosy::oracle
