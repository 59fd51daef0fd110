// SPDX-License-Identifier: Apache-2.0
#include "messages/view/check/report.hpp"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <utility>

#include "messages/view/job_walk.hpp"

namespace argosy::view {

namespace {

constexpr const char* make_anew =
    "Stop argosyd, move the folder 'store' of the data directory away and start argosyd: it makes "
    "the store anew from the log. If the log does not reach back to its beginning, restore a "
    "backup with 'argosyd recover --from DIR' instead.";

}  // namespace

void check_report::add(finding found) {
  ++count_;
  if (++by_place_[found.place] <= told_max) findings_.push_back(std::move(found));
}

void check_report::add(store::table in, std::string_view key, std::string fault) {
  using enum store::table;
  const bool is_job = in == jobs_live || in == jobs_done || in == jobs_placed || in == specs;
  add({"table " + std::string{to_string(in)},
       is_job && key.size() == sizeof(ulid) ? to_string(id_of(key)) : readable_key(key),
       std::move(fault), make_anew});
}

std::string readable_key(std::string_view key) {
  const bool text =
      std::ranges::all_of(key, [](char letter) { return letter > ' ' && letter < '\x7f'; });
  if (text) return std::string{key};
  return "0x" + absl::BytesToHexString(absl::string_view{key.data(), key.size()});
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string{count == 1 ? one : many};
}

}  // namespace argosy::view
