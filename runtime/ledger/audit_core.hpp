// SPDX-License-Identifier: Apache-2.0
// The audit_core keeps what the audit trail is still to record, numbers it, and bounds it: refused
// calls come at no cost to who sends them, so that of each caller only some are recorded in a
// window of time, and the others are counted. AUDIT owns it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::ledger {

/// The method of a record that says that somebody was not let in.
inline constexpr std::string_view log_in_method = "log-in";

struct audit_limits {
  std::chrono::nanoseconds window{std::chrono::minutes{1}};
  std::uint32_t refusals_per_caller = 30;  ///< How many are recorded in a window.
  std::uint32_t refusals_in_all = 300;     ///< Likewise, of all callers together.
  /// So many refused log-ins are recorded in a window, under one name from one address, and from
  /// one address.
  std::uint32_t log_ins_per_name = 1;
  std::uint32_t log_ins_per_address = 5;
  /// A call that only shows something stands for the same one of the same caller, with the same
  /// outcome, for so long, and
  /// so many different ones are remembered.
  std::chrono::nanoseconds shown_window{std::chrono::hours{1}};
  std::uint32_t shown_max = 10'000;
  std::uint32_t waiting_max = 10'000;  ///< How many records may wait for the log.
  std::size_t text_bytes_max = 512;    ///< The length of each text of a record.
};

class audit_core {
 public:
  audit_core() = default;
  /// `last` is the number of the newest record that there is.
  audit_core(const audit_limits& limits, std::uint64_t last) : limits_(limits), last_(last) {}

  /// Takes a call that was answered just now. Its texts may be of any bytes and length. Without
  /// `with_refusals` refused calls are counted only. False: it was counted instead of recorded.
  bool record(model::call_recorded call, std::int64_t now_ns, bool with_refusals = true);
  /// Takes a call that only shows something, or was to. Whoever follows the output of a job asks
  /// for it again and again, also before there is any, so that of each caller, method, object and
  /// outcome one is recorded in a window.
  void record_shown(model::call_recorded call, std::int64_t now_ns, bool with_refusals = true);
  /// The events of what is to be recorded now, each once. With `last` windows count as ended.
  [[nodiscard]] std::vector<model::event> take(std::int64_t now_ns, bool last = false);
  /// When take() gives something; nothing while all is recorded.
  [[nodiscard]] std::optional<std::int64_t> due_ns() const;

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
  /// How many calls were left out since this object was made.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct caller {
    std::string user;
    std::string via;
    std::string address;  ///< Only a log-in has one, since nobody knows who called.
    bool log_in = false;

    friend auto operator<=>(const caller&, const caller&) = default;
  };
  struct count {
    std::uint32_t recorded = 0;
    std::uint64_t left_out = 0;
  };

  [[nodiscard]] static caller caller_of(const model::call_recorded& call);
  /// Whether one more refusal of the caller is recorded; if not, it is counted.
  bool has_room(const model::call_recorded& call, std::int64_t now_ns, bool with_refusals);
  void leave_out(const caller& who, std::int64_t now_ns);
  void end_window(std::int64_t now_ns);
  void keep(model::call_recorded call, std::int64_t now_ns);

  audit_limits limits_;
  std::uint64_t last_ = 0;
  std::uint64_t left_out_ = 0;
  std::vector<model::event> waiting_;
  std::optional<std::int64_t> window_end_ns_;  ///< Nothing: no window is open.
  std::uint32_t recorded_ = 0;                 ///< How many refusals of the window are recorded.
  /// Who was refused in the window. Those for whom there is no room share the entry without a name.
  std::map<caller, count> refused_;
  /// Caller, method, outcome and object of what was shown or refused in the window.
  std::set<std::string> shown_;
  std::int64_t shown_until_ns_ = 0;
  /// How many refused log-ins of the window are recorded, by the address that they came from.
  std::map<std::string, std::uint32_t> log_ins_;
};

/// The text without control characters and bytes that are not UTF-8, cut to this size.
[[nodiscard]] std::string plain_text(std::string_view text, std::size_t size_max);

}  // namespace argosy::ledger
