// SPDX-License-Identifier: Apache-2.0
// This file declares a sound store and log, of which tests damage one thing, and the check of both.
#pragma once

#include <functional>
#include <vector>

#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/scan.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {

class checked : public view_recovery {
 protected:
  static constexpr std::uint64_t last = 12;

  /// Writes a lead, a queue, eight live jobs, one that was cancelled, and one that is leased.
  checked() {
    write_history(10);
    append(decided(model::job_cancelled{job(3), "me", ""}));
    model::job_leased lease;
    lease.run = {job(4), 1};
    append(decided(std::move(lease)));
  }

  static ulid job(int number) { return submitted(number).header->id; }
  static std::string key(int number) { return std::string{job_key(job(number))}; }

  check_report check(const codec::log_key* with) {
    check_report out;
    auto txn = database_.begin_read().value();
    const auto at = check_store(*txn, with, out);
    EXPECT_TRUE(at) << at.error().detail;
    if (!at || !*at) return out;
    const auto done = check_log(log_, *txn, **at, with, out);
    EXPECT_TRUE(done) << done.error().detail;
    return out;
  }
  check_report check() { return check(key_.get()); }

  /// The places and faults, one in each line.
  static std::string faults(const check_report& report) {
    std::string out;
    for (const auto& found : report.findings())
      out += found.place + " [" + found.key + "] " + found.fault + "\n";
    return out;
  }
  static std::string notes(const check_report& report) {
    std::string out;
    for (const auto& sentence : report.notes()) out += sentence + "\n";
    return out;
  }

  void change(const std::function<void(store::write_txn&)>& how) {
    auto txn = database_.begin_write();
    how(**txn);
    ASSERT_TRUE((*txn)->commit());
  }
  void put(store::table in, const std::string& key, const std::string& value) {
    change([&](auto& txn) { ASSERT_TRUE(txn.put(in, key, value)); });
  }
  void erase(store::table in, const std::string& key) {
    change([&](auto& txn) { ASSERT_TRUE(txn.erase(in, key).value()) << to_string(in); });
  }
  std::pair<std::string, std::string> first(store::table in) {
    auto txn = database_.begin_read().value();
    auto cursor = txn->open_cursor(in).value();
    const auto found = cursor->first().value();
    EXPECT_TRUE(found) << to_string(in);
    return {std::string{found->key}, std::string{found->value}};
  }
  view_position position() {
    auto txn = database_.begin_read();
    return **read_position(**txn);
  }
};

}  // namespace argosy::view
