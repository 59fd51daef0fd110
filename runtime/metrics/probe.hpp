// SPDX-License-Identifier: Apache-2.0
// A probe holds the numbers of one part of the process. The part's actors write them and any thread
// reads them, so that nobody has to be asked for a metric. A part derives a struct from `probe`,
// whose members are its metrics: each of them says its name and its help where it stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/metrics/family.hpp"

namespace argosy::metrics {

class probe;

/// A member of a probe. Metrics of one name that stand behind one another make one family.
class metric {
 public:
  metric(probe& owner, family_kind kind, const char* name, const char* help);
  virtual ~metric() = default;
  metric(const metric&) = delete;
  metric& operator=(const metric&) = delete;

  /// An empty family with this metric's name, help and kind.
  [[nodiscard]] family heading() const { return {name_, help_, kind_, {}}; }
  /// Adds the present samples.
  virtual void collect(std::vector<sample>& out) const = 0;

 private:
  const char* name_;
  const char* help_;
  family_kind kind_;
};

/// A number that only grows.
class counter final : public metric {
 public:
  counter(probe& owner, const char* name, const char* help, label_list labels = {});

  void add(std::uint64_t count = 1) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }
  counter& operator++() noexcept {
    add();
    return *this;
  }
  counter& operator+=(std::uint64_t count) noexcept {
    add(count);
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }
  void collect(std::vector<sample>& out) const override;

 private:
  label_list labels_;
  std::atomic<std::uint64_t> value_{0};
};

/// A number that goes up and down.
class gauge final : public metric {
 public:
  gauge(probe& owner, const char* name, const char* help, label_list labels = {});

  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  /// Shows a time as seconds since the Unix epoch.
  void set_time(wall_time time) noexcept {
    set(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
  }
  void add(std::int64_t change) noexcept { value_.fetch_add(change, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }
  void collect(std::vector<sample>& out) const override;

 private:
  label_list labels_;
  std::atomic<std::int64_t> value_{0};
};

/// A counter for each combination of two labels that occurs. The values must come from closed
/// lists.
class counter_table final : public metric {
 public:
  counter_table(probe& owner, const char* name, const char* help, const char* first_label,
                const char* second_label);

  void add(std::string_view first, std::string_view second);
  [[nodiscard]] std::uint64_t value(std::string_view first, std::string_view second) const;
  void collect(std::vector<sample>& out) const override;

 private:
  const char* first_label_;
  const char* second_label_;
  mutable std::mutex mutex_;
  /// Compares pairs of texts without copies of them.
  struct by_texts {
    using is_transparent = void;
    template <class Left, class Right>
    bool operator()(const Left& left, const Right& right) const {
      if (const auto order = std::string_view{left.first}.compare(right.first); order != 0)
        return order < 0;
      return std::string_view{left.second} < std::string_view{right.second};
    }
  };
  /// The counts by the two values, guarded by mutex_.
  std::map<std::pair<std::string, std::string>, std::uint64_t, by_texts> counts_;
};

/// What one actor of several contributes to a gauge that they share. The contribution ends with it.
class portion {
 public:
  explicit portion(gauge& whole) : whole_(whole) {}
  ~portion() { set(0); }
  portion(const portion&) = delete;
  portion& operator=(const portion&) = delete;

  void set(std::int64_t value) noexcept {
    if (value == held_) return;
    whole_.add(value - held_);
    held_ = value;
  }
  [[nodiscard]] std::int64_t value() const noexcept { return held_; }

 private:
  gauge& whole_;
  std::int64_t held_ = 0;
};

class probe {
 public:
  /// `part` is the name of the part in metrics, for example "journal".
  explicit probe(const char* part) : part_(part) {}
  virtual ~probe() = default;
  probe(const probe&) = delete;
  probe& operator=(const probe&) = delete;

  /// All families with their present values.
  [[nodiscard]] family_list families() const;
  /// The same values in short, for the actor to answer when it is asked what it does. The name of a
  /// figure is that of its metric without "argosy_" and the part's name, with the labels' values.
  [[nodiscard]] figure_list figures() const;

 protected:
  /// Adds families whose values are kept elsewhere.
  virtual void collect(family_list&) const {}

 private:
  friend class metric;

  const char* part_;
  std::vector<const metric*> metrics_;
};

}  // namespace argosy::metrics
